// JSON as commands print it and files hold it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace saccade {

struct Table;

// With a line end; -1: in one line. Bytes that are no UTF-8 are replaced.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = 2) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// {"columns": [{"key", "label", "text", "share", "significant"}], "rows": [{KEY: value}], "title",
// "note"}, as far as there are any; hidden columns are in the rows alone. Without a value: null.
nlohmann::ordered_json to_json(const Table& table);
// The rows alone.
nlohmann::ordered_json rows_json(const Table& table);

}  // namespace saccade
