#include "captioning/learning/runs/named_models.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "captioning/learning/runs/run_directory.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/own_place.h"
#include "core/base/suggest.h"
#include "core/base/whole_file.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> with_own(std::span<const fs::path> folders) {
  std::vector<fs::path> all(folders.begin(), folders.end());
  for (fs::path& own : own_model_folders()) all.push_back(std::move(own));
  return all;
}

bool same_content(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::equivalent(one, other, error)) return true;
  if (fs::file_size(one, error) != fs::file_size(other, error) || error) return false;
  return whole_file(one) == whole_file(other);
}

std::string names_of(const std::vector<NamedModel>& models) {
  return join(models, ", ", &NamedModel::name);
}

}  // namespace

std::vector<fs::path> own_model_folders() {
  std::vector<fs::path> folders;
  for (const char* place : {"share/saccade/models", "captioning/pretrained"})
    if (fs::path folder = own_place(place); !folder.empty()) folders.push_back(std::move(folder));
  return folders;
}

std::vector<NamedModel> named_models(std::span<const fs::path> folders) {
  std::map<std::string, NamedModel> models;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const fs::path& file = it->path();
      const std::string name = file.stem().string();
      if (file.extension() != ".h5" || !may_name_model(name)) continue;
      std::error_code missing;
      const fs::path card = folder / (name + ".md");
      const auto [known, added] = models.try_emplace(
          name, NamedModel{.name = name,
                           .file = file,
                           .card = fs::is_regular_file(card, missing) ? card : fs::path()});
      if (!added && !same_content(known->second.file, file)) known->second.hidden.push_back(file);
    }
  }
  std::vector<NamedModel> sorted;
  for (auto& [name, model] : models) sorted.push_back(std::move(model));
  return sorted;
}

bool may_name_model(const std::string& text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  return !text.empty() && text[0] != '.' && text[0] != '-' &&
         std::all_of(text.begin(), text.end(), fits) && !text.ends_with(".h5") &&
         !text.ends_with(".safetensors");
}

namespace {

// Whether a text that is no path looks like a name on a hub of models: OWNER/MODEL.
bool may_be_of_hub(const std::string& text) {
  const std::size_t slash = text.find('/');
  std::error_code error;
  return slash != std::string::npos && may_name_model(text.substr(0, slash)) &&
         may_name_model(text.substr(slash + 1)) && !fs::exists(text.substr(0, slash), error);
}

}  // namespace

fs::path find_checkpoint(const std::string& given, std::span<const fs::path> folders,
                         const MessageListener& listener) {
  std::error_code error;
  const bool is_path = fs::exists(given, error) || error;
  if (!is_path && may_be_of_hub(given))
    throw CheckpointError(
        given +
        ": no such checkpoint; saccade downloads nothing: if this is a model of a "
        "hub, download its files and name the folder that holds them");
  if (!may_name_model(given)) return resolve_checkpoint(given);
  const std::vector<NamedModel> models = named_models(with_own(folders));
  const auto named = std::find_if(models.begin(), models.end(),
                                  [&](const NamedModel& one) { return one.name == given; });
  if (is_path) {
    if (named != models.end())
      inform(listener,
             str("'", given, "' is taken as the path that exists; the model of this name is ",
                 named->file.string()));
    return resolve_checkpoint(given);
  }
  if (named != models.end()) {
    if (!named->hidden.empty())
      inform(listener, str("'", given, "' is ", named->file.string(),
                           "; the other model of this name is ", named->hidden.front().string()));
    return named->file;
  }
  std::vector<std::string> names;
  for (const NamedModel& model : models) names.push_back(model.name);
  throw CheckpointError(
      str(given, ": no such checkpoint, and no model has this name", did_you_mean(given, names),
          models.empty() ? "; no folder with models was found" : "; there are " + names_of(models),
          " (saccade list models)"));
}

}  // namespace saccade
