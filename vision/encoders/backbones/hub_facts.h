// What the JSON beside published weights says of their network. Internal to hub_plans.cpp and
// hub_inverted.cpp.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "vision/encoders/backbones/hub_names.h"
#include "vision/encoders/backbones/inverted.h"

namespace saccade {

// The JSON beside a file of weights.
class HubFacts {
 public:
  // Throws DataError where a file is there and is no JSON object.
  HubFacts(const HubTensors& tensors, const std::filesystem::path& weights);
  bool known() const { return !file_.empty(); }
  const nlohmann::json& json() const { return json_; }
  const std::string& file() const { return file_; }
  // What the file is called where these weights come from.
  const char* name() const { return name_; }
  // The value at a pointer, `fallback` where there is none. Throws DataError on another type.
  template <class T>
  T get(const char* pointer, T fallback) const {
    const nlohmann::json::json_pointer at(pointer);
    if (!json_.is_object() || !json_.contains(at) || json_[at].is_null()) return fallback;
    try {
      return json_[at].get<T>();
    } catch (const nlohmann::json::exception&) {
      throw DataError(str(file_, ": ", pointer, " has a value of another kind than it should"));
    }
  }
  std::string architecture() const { return get<std::string>("/architecture", ""); }

 private:
  nlohmann::json json_ = nlohmann::json::object();
  std::string file_;
  const char* name_;
};

// Refuses a network of timm that has the tensors of one that is known and computes something else.
[[noreturn]] void refuse_architecture(const HubFacts& facts, const std::string& name);

// Refuses such a network by its architecture, which has to begin with one of `starts`, behind which
// a digit may have to follow.
void require_architecture(const HubFacts& facts, std::initializer_list<const char*> starts,
                          bool digit_follows);

// EfficientNet and MobileNetV3.
InvertedPlan inverted_parts(const HubTensors& tensors, const HubFacts& facts);

}  // namespace saccade
