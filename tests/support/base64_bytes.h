// The bytes that a base64 text stands for, decoded independently of the program, which only
// encodes.
#pragma once

#include <string>
#include <vector>

namespace saccade::test {

inline std::vector<int> bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6 | static_cast<unsigned>(digits.find(c))) & 0xffffff;
    if ((count += 6) < 8) continue;
    count -= 8;
    out.push_back(static_cast<int>(bits >> count & 255));
  }
  return out;
}

}  // namespace saccade::test
