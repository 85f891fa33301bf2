#include "captioning/model/published/json_file.h"

#include <fstream>

namespace saccade {

std::optional<JsonFile> JsonFile::read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  nlohmann::json json = nlohmann::json::parse(in, nullptr, false);  // without exceptions
  if (!json.is_object())
    throw DataError(str(file.string(), ": it is no JSON object; copy the file again"));
  return JsonFile(file.string(), std::move(json));
}

}  // namespace saccade
