#include "captioning/model/published/json_file.h"

#include <fstream>

#include "core/base/shallow_json.h"

namespace saccade {

std::optional<JsonFile> JsonFile::read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  nlohmann::json json = shallow_json<nlohmann::json>(in);
  if (!json.is_object())
    throw DataError(str(file.string(), ": it is no JSON object; copy the file again"));
  return JsonFile(file.string(), std::move(json));
}

}  // namespace saccade
