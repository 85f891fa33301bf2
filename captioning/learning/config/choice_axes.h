// The choices from which an experiment is put together: every config key whose value is one of
// several names, with what each choice needs and cannot be combined with (`saccade list`).
#pragma once

#include <string>
#include <vector>

#include "core/base/registry.h"

namespace saccade {

struct ListedChoice : ChoiceInfo {
  std::vector<std::string> limits{};  // what it cannot be combined with, and why
};
// The choices of one config key.
struct ChoiceAxis {
  std::string topic;  // its TOPIC in `saccade list TOPIC`
  std::string key;
  std::vector<ListedChoice> choices;
  std::string shared{};  // the options that every choice reads; may be empty
};

// All axes in the order in which they are listed.
std::vector<ChoiceAxis> all_axes();
// Without the options of choices, which take most of the time.
std::vector<ChoiceAxis> plain_axes();

}  // namespace saccade
