// Numbers in configs and on the command line, and what is to be written for other forms of them.
#pragma once

#include <string>
#include <string_view>

#include "core/base/real.h"

namespace saccade {

struct ReadNumber {
  double value = 0;
  std::string wrong{};  // "is not a number; write 1.5" for 1,5; empty where it is one
};
struct ReadCount {
  Index value = 0;
  std::string wrong{};  // "is not an integer; write 31" for 0x1F; empty where it is one
};

// A finite decimal number: "0.5", ".5", "5e-1". Not 0x10, 010, nan or inf. The remedy stands in
// `wrong` where the text leaves no doubt what it means.
ReadNumber read_number(std::string_view text);
// A whole number of 64 bits: "16". Not 0x10, 010 or 1e2.
ReadCount read_count(std::string_view text);

}  // namespace saccade
