#include "experiments/process/shallow_json.h"

#include <nlohmann/json.hpp>

namespace saccade {

nlohmann::ordered_json shallow_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
  const auto is_shallow = [](int depth, Json::parse_event_t, Json&) {
    return depth < kDeepestJson;
  };
  return Json::parse(text, is_shallow, false);
}

}  // namespace saccade
