// JSON from files that anybody may have written or changed: however deep its brackets are, it can
// be copied, walked and printed, which the library does by recursion.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

namespace saccade {

inline constexpr int kDeepestJson = 32;

// Parses a text or a stream. Values below kDeepestJson arrays and objects are left out. Discarded
// (is_discarded()) where it is not JSON.
template <class Json = nlohmann::ordered_json, class Text>
Json shallow_json(Text&& text) {
  const auto is_shallow = [](int depth, typename Json::parse_event_t, Json&) {
    return depth < kDeepestJson;
  };
  return Json::parse(std::forward<Text>(text), is_shallow, false);
}

}  // namespace saccade
