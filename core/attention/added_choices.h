// The choices that a program adds to those of the registries.
#pragma once

#include <string>
#include <vector>

namespace saccade {

// The names that are valid in a config beside the built-in ones. Their factories are in the derived
// class (attention_registry.h), which depends on Real as configs do not.
class AddedChoices {
 public:
  virtual ~AddedChoices() = default;
  const std::vector<std::string>& scores() const { return scores_; }
  const std::vector<std::string>& mechanisms() const { return mechanisms_; }

 protected:
  std::vector<std::string> scores_, mechanisms_;
};

}  // namespace saccade
