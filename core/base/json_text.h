// JSON as commands print it and files hold it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace saccade {

// With a line end; -1: in one line. Bytes that are no UTF-8 are replaced.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = 2) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace saccade
