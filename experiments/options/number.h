// The numbers of options, which are read as those of a config are.
#pragma once

#include <string>

#include "core/base/real.h"

namespace saccade {

struct ReadNumber {
  double value = 0;
  std::string wrong{};  // "is not a number"; empty where it is one
};
struct ReadCount {
  Index value = 0;
  std::string wrong{};  // "is not an integer"; empty where it is one
};

// A finite decimal number: "0.5", ".5", "5e-1". Not 0x10, 010, nan or inf.
ReadNumber read_number(const std::string& text);
// A whole number: "16". Not 0x10, 010 or 1e2.
ReadCount read_count(const std::string& text);

}  // namespace saccade
