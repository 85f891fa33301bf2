// Runs a command of the program and keeps what it prints.
#pragma once

#include <iostream>
#include <sstream>
#include <string>

namespace saccade::test {

// The stdout of a command, and its exit code.
struct Printed {
  int code = -1;
  std::string text;
};
template <class F>
Printed printed(const F& command) {
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  Printed result;
  try {
    result.code = command();
  } catch (...) {
    std::cout.rdbuf(before);
    throw;
  }
  std::cout.rdbuf(before);
  result.text = out.str();
  return result;
}

}  // namespace saccade::test
