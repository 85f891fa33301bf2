// JSON from files that a run wrote and anybody may have changed since: however deep its brackets
// are, it can be copied, walked and printed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace saccade {

// Parses a text. Values below kDeepestJson arrays and objects are left out. Discarded
// (is_discarded()) where the text is not JSON.
nlohmann::ordered_json shallow_json(std::string_view text);

inline constexpr int kDeepestJson = 32;

}  // namespace saccade
