#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "captioning/learning/config/choice_axes.h"
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/model_card.h"
#include "captioning/learning/runs/named_models.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/base/suggest.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "experiments/commands/commands.h"
#include "experiments/process/model_places.h"
#include "experiments/report/metric_list.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// A model that is known by name.
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

// {"models": [...], "model_folders": [...]}: the models, and the folders that were searched.
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

constexpr const char* kConfigTopic = "config";
constexpr const char* kMetricsTopic = "metrics";
constexpr const char* kModelsTopic = "models";

// Every start of the program needs them.
std::vector<std::string> topics() {
  std::vector<std::string> out;
  for (const ChoiceAxis& axis : plain_axes())
    if (std::find(out.begin(), out.end(), axis.topic) == out.end()) out.push_back(axis.topic);
  out.emplace_back(kMetricsTopic);
  out.emplace_back(kConfigTopic);
  out.emplace_back(kModelsTopic);
  return out;
}

// Prints "options: a, b, c" behind an indent. Lines end behind a separator where they get long.
void print_items(const std::string& indent, const std::string& label, const std::string& items,
                 const std::string& separator) {
  constexpr std::size_t kColumns = 100;
  const std::string start = indent + label + ": ";
  std::string line = start;
  for (std::size_t at = 0; at < items.size();) {
    const std::size_t found = items.find(separator, at);
    const std::size_t end = found == std::string::npos ? items.size() : found + separator.size();
    const std::string item = items.substr(at, end - at);
    if (line.size() > start.size() && line.size() + item.size() > kColumns) {
      std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
      line.assign(start.size(), ' ');
    }
    line += item;
    at = end;
  }
  std::cout << line << "\n";
}

void print_axes(const std::string& topic) {
  for (const ChoiceAxis& axis : all_axes()) {
    if (!topic.empty() && axis.topic != topic) continue;
    std::cout << axis.topic << " (" << axis.key << ")\n";
    for (const ListedChoice& choice : axis.choices) {
      const std::size_t wide = std::max<std::size_t>(choice.name.size(), 15);
      std::cout << "  " << choice.name << std::string(wide - choice.name.size() + 2, ' ')
                << choice.doc << "\n";
      const std::string indent(wide + 4, ' ');
      if (!choice.source.empty() && choice.source != "-")
        std::cout << indent << "source: " << choice.source << "\n";
      if (!choice.options.empty() && choice.options != "none")
        print_items(indent, "options", choice.options, ", ");
      if (!choice.cost.empty()) std::cout << indent << "cost: " << choice.cost << "\n";
      for (const std::string& limit : choice.limits) print_items(indent, "not with", limit, " ");
    }
    if (!axis.shared.empty()) print_items("  ", "options of all", axis.shared, ", ");
  }
}

// Whether a run may go on with another value of a field: "no", "yes", or where.
std::string may_change(const FieldInfo& field) {
  std::string out = "no";
  for (const TraitRule& one : field.traits)
    if (one.trait == Trait::kMayChange) out = one.rules.empty() ? "yes" : text_of(one.rules);
  return out;
}

void print_keys() {
  for (const FieldInfo& field : describe_config<ExperimentConfig>()) {
    if (field.type == "section") {
      std::cout << "\n" << field.path << ": " << field.doc << "\n";
      continue;
    }
    std::cout << "  " << field.path << ": " << field.doc << "\n      " << field.type;
    if (!field.constraint.empty()) std::cout << ", " << field.constraint;
    std::cout << "; default " << (field.default_value.empty() ? "\"\"" : field.default_value)
              << "\n";
    if (!field.rules.empty()) std::cout << "      read where " << text_of(field.rules) << "\n";
    if (const std::string may = may_change(field); may != "no")
      std::cout << "      may change when a run is resumed"
                << (may == "yes" ? "" : ", where " + may) << "\n";
  }
}

Json list_json(const std::string& topic) {
  Json json = {{"schema_version", 1}};
  if (topic == kModelsTopic) {
    json.update(models_json());
    return json;
  }
  if (topic != kConfigTopic && topic != kMetricsTopic) {
    json["choices"] = Json::array();
    for (const ChoiceAxis& axis : all_axes()) {
      if (!topic.empty() && axis.topic != topic) continue;
      Json choices = Json::array();
      for (const ListedChoice& choice : axis.choices) {
        Json one = {{"name", choice.name}, {"doc", choice.doc}};
        if (!choice.source.empty()) one["source"] = choice.source;
        if (!choice.options.empty()) one["options"] = choice.options;
        if (!choice.cost.empty()) one["cost"] = choice.cost;
        std::string limits = join(choice.limits, "; ");
        if (!limits.empty()) one["not_with"] = limits;
        choices.push_back(std::move(one));
      }
      Json one = {{"topic", axis.topic}, {"key", axis.key}, {"values", choices}};
      if (!axis.shared.empty()) one["options_of_all"] = axis.shared;
      json["choices"].push_back(std::move(one));
    }
  }
  if (topic.empty() || topic == kMetricsTopic) json["metrics"] = metrics_json();
  if (topic.empty() || topic == kConfigTopic) {
    json["config"] = Json::array();
    for (const FieldInfo& field : describe_config<ExperimentConfig>())
      json["config"].push_back({{"path", field.path},
                                {"type", field.type},
                                {"default", field.default_value},
                                {"constraint", field.constraint},
                                {"read_where", text_of(field.rules)},
                                {"may_change", may_change(field)},
                                {"doc", field.doc}});
  }
  return json;
}

int run_list(const std::string& topic, bool as_json) {
  const std::vector<std::string> known = topics();
  if (!topic.empty() && std::find(known.begin(), known.end(), topic) == known.end()) {
    std::string all = join(known, ", ");
    throw UsageError("there is no topic '" + topic + "' to list" + did_you_mean(topic, known) +
                     "; choose from " + all);
  }
  if (as_json) {
    std::cout << json_text(list_json(topic));
  } else if (topic == kConfigTopic) {
    print_keys();
  } else if (topic == kMetricsTopic) {
    std::cout << metrics_text();
  } else if (topic == kModelsTopic) {
    std::cout << models_text();
  } else {
    print_axes(topic);
    if (topic.empty())
      std::cout << "metrics\n  saccade list metrics shows every metric\n"
                   "config\n  saccade list config shows every key of an experiment file\n"
                   "models\n  saccade list models shows the trained models that have a name\n";
  }
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_list(Options& options) {
  struct Args {
    std::string topic;
    bool json = false;
  };
  const auto args = std::make_shared<Args>();
  std::string all = join(topics(), ", ");
  options.argument("topic", args->topic,
                   "one of " + all + " (default: all except metrics, config and models)", "TOPIC",
                   Need::kOptional);
  options.flag("--json", args->json, "print one JSON object");
  return [args] { return run_list(args->topic, args->json); };
}

}  // namespace

const Command kListCommand = {"list", "list the choices from which an experiment is put together",
                              "saccade list attention", bind_list};

}  // namespace saccade
