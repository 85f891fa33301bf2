#include "experiments/commands/list_models.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "captioning/learning/runs/model_card.h"
#include "captioning/learning/runs/named_models.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/base/table.h"
#include "core/io/checkpoint.h"
#include "experiments/process/model_places.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

struct ListedModel {
  NamedModel model;
  std::uintmax_t bytes = 0;
  ModelCard card;
  std::string digest;   // of the file
  std::string problem;  // what is wrong with file or card
  std::string note{};   // what is only worth knowing
};

ListedModel shown(NamedModel model) {
  ListedModel out{.model = std::move(model), .bytes = 0, .card = {}, .digest = {}, .problem = {}};
  std::error_code error;
  out.bytes = std::filesystem::file_size(out.model.file, error);
  try {
    out.digest = archive_digest(out.model.file);
    if (out.model.card.empty()) {
      out.note = str("it has no model card ", out.model.name,
                     ".md beside it, which would say what it was trained on");
      return out;
    }
    out.card = read_model_card(out.model.card);
    if (!out.card.digest.empty() && out.card.digest != out.digest)
      out.problem = str("the card describes another file: its digest is ", out.card.digest,
                        ", that of the file is ", out.digest);
  } catch (const Error& found) {
    out.problem = found.what();
  }
  return out;
}

std::vector<ListedModel> listed_models() {
  std::vector<ListedModel> all;
  for (NamedModel& model : named_models(all_model_folders()))
    all.push_back(shown(std::move(model)));
  return all;
}

std::string scores_text(const ModelCard& card) {
  std::string text = join(card.scores, ", ");
  return text.empty() || card.split.empty() ? text : text + " (" + card.split + ")";
}

std::string card_title(const ListedModel& one) {
  if (!one.card.title.empty()) return one.card.title;
  return one.model.card.empty() ? "a model without a card" : "?";
}

}  // namespace

std::string models_text() {
  std::ostringstream out;
  const std::vector<ListedModel> all = listed_models();
  for (const ListedModel& one : all) {
    out << one.model.name << ": " << plain_text(card_title(one)) << "\n";
    const auto line = [&](const char* key, const std::string& text) {
      if (!text.empty()) out << "  " << key << ": " << plain_text(text) << "\n";
    };
    line("file", str(one.model.file.string(), ", ",
                     decimals(static_cast<double>(one.bytes) / 1e6, 1), " MB"));
    line("trained on", one.card.data);
    line("backbone", one.card.backbone);
    line("scores", scores_text(one.card));
    line("licence", one.card.licence);
    line("problem", one.problem);
    line("note", one.note);
    for (const std::filesystem::path& hidden : one.model.hidden) line("hides", hidden.string());
  }
  if (!all.empty()) return out.str();
  out << "no models";
  const std::vector<std::filesystem::path> folders = all_model_folders();
  for (std::size_t i = 0; i < folders.size(); ++i)
    out << (i == 0 ? " in " : ", ") << plain_text(folders[i].string());
  out << (folders.empty() ? ": no folder for them was found" : "")
      << "; name a folder with --models or SACCADE_MODELS\n";
  return out.str();
}

Json models_json() {
  Json models = Json::array(), folders = Json::array();
  for (const ListedModel& one : listed_models()) {
    Json json = {{"name", one.model.name},
                 {"file", one.model.file.string()},
                 {"bytes", one.bytes},
                 {"digest", one.digest},
                 {"card", one.model.card.empty() ? Json() : Json(one.model.card.string())}};
    for (const auto& [key, text] : {std::pair{"title", one.card.title},
                                    {"data", one.card.data},
                                    {"backbone", one.card.backbone},
                                    {"split", one.card.split},
                                    {"licence", one.card.licence},
                                    {"problem", one.problem},
                                    {"note", one.note}})
      json[key] = text.empty() ? Json() : Json(text);
    json["scores"] = one.card.scores;
    json["hides"] = Json::array();
    for (const std::filesystem::path& hidden : one.model.hidden)
      json["hides"].push_back(hidden.string());
    models.push_back(std::move(json));
  }
  for (const std::filesystem::path& folder : all_model_folders())
    folders.push_back(folder.string());
  return {{"models", models}, {"model_folders", folders}};
}

}  // namespace saccade
