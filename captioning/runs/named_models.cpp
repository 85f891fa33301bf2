#include "captioning/runs/named_models.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "captioning/runs/run_directory.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// The file that this code was loaded from: the program, or the shared library.
fs::path own_file() {
  static const char here = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&here);
  std::ifstream maps("/proc/self/maps");  // "START-END FLAGS OFFSET DEVICE INODE   /path"
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    std::uintptr_t start = 0, end = 0;
    char dash = 0;
    in >> std::hex >> start >> dash >> end;
    const std::size_t path = line.find('/');
    if (in && start <= address && address < end && path != std::string::npos)
      return line.substr(path);
  }
  return {};
}

std::vector<fs::path> with_own(std::span<const fs::path> folders) {
  std::vector<fs::path> all(folders.begin(), folders.end());
  for (fs::path& own : own_model_folders()) all.push_back(std::move(own));
  return all;
}

bool same_content(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::equivalent(one, other, error)) return true;
  if (fs::file_size(one, error) != fs::file_size(other, error) || error) return false;
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(a), Bytes(), Bytes(b), Bytes());
}

std::string names_of(const std::vector<NamedModel>& models) {
  std::string names;
  for (const NamedModel& model : models) names += (names.empty() ? "" : ", ") + model.name;
  return names;
}

}  // namespace

std::vector<fs::path> own_model_folders() {
  constexpr int kMostSteps = 4;  // usr/lib/x86_64-linux-gnu/libsaccade.so, build/release/saccade
  std::vector<fs::path> folders;
  for (const char* place : {"share/saccade/models", "captioning/pretrained"}) {
    fs::path above = own_file().parent_path();
    for (int step = 0; step < kMostSteps && !above.empty(); ++step) {
      std::error_code error;
      if (fs::is_directory(above / place, error)) {
        folders.push_back(above / place);
        break;
      }
      above = above == above.root_path() ? fs::path() : above.parent_path();
    }
  }
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

fs::path find_checkpoint(const std::string& given, std::span<const fs::path> folders,
                         const MessageListener& listener) {
  std::error_code error;
  const bool is_path = fs::exists(given, error) || error;
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
