// The JSON files of a published captioner.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace saccade {

// An object of a JSON file, by which messages name the file and the key.
class JsonFile {
 public:
  // None where there is no such file. Throws DataError where it is no JSON object.
  static std::optional<JsonFile> read(const std::filesystem::path& file);
  JsonFile(std::string name, nlohmann::json json)
      : name_(std::move(name)), json_(std::move(json)) {}

  const std::string& name() const { return name_; }
  const nlohmann::json& json() const { return json_; }
  // Whether there is a value, and not null.
  bool has(const std::string& key) const { return json_.contains(key) && !json_[key].is_null(); }
  // The value of a key, `fallback` where it has none. Throws DataError on one of another kind.
  template <class T>
  T get(const std::string& key, T fallback) const {
    if (!has(key)) return fallback;
    try {
      return json_[key].get<T>();
    } catch (const nlohmann::json::exception&) {
      throw DataError(str(name_, ": ", key,
                          " has a value of another kind than it should; copy the file again"));
    }
  }
  // The object below a key; an empty one where there is none.
  JsonFile section(const std::string& key) const {
    return {str(name_, ": ", key),
            has(key) && json_[key].is_object() ? json_[key] : nlohmann::json::object()};
  }
  // Throws DataError, which names the file, the key and why.
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    throw DataError(
        str(name_, ": ", key, " is ", has(key) ? json_[key].dump() : "missing", "; ", why));
  }

 private:
  std::string name_;
  nlohmann::json json_;
};

}  // namespace saccade
