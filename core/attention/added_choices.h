// The choices that a program adds to those of the registries.
#pragma once

#include <string>
#include <vector>

namespace saccade {

// The names that are valid in a config beside the built-in ones. Their factories are in the derived
// class (AttentionRegistry), which depends on Real as configs do not.
class AddedChoices {
 public:
  virtual ~AddedChoices() = default;
  // The names that were added to those of `attention.score`, in order.
  const std::vector<std::string>& scores() const { return scores_; }
  // The names that were added to those of `attention.mechanism`, in order.
  const std::vector<std::string>& mechanisms() const { return mechanisms_; }

 protected:
  std::vector<std::string> scores_;      // the names of scores
  std::vector<std::string> mechanisms_;  // the names of mechanisms
};

}  // namespace saccade
