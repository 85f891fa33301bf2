// JSON as commands print it and files hold it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace saccade {

// Indented by two, with a line end; bytes that are no UTF-8 are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace saccade
