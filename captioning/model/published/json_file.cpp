#include "captioning/model/published/json_file.h"

#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"

namespace saccade {

std::optional<JsonFile> JsonFile::read(const std::filesystem::path& file) {
  const std::optional<std::string> text = whole_file(file);
  if (!text) return std::nullopt;
  nlohmann::json json = shallow_json<nlohmann::json>(*text);
  if (!json.is_object())
    throw DataError(str(file.string(), ": it is no JSON object; copy the file again"));
  return JsonFile(file.string(), std::move(json));
}

}  // namespace saccade
