// Tables for a terminal: columns as wide as their widest cell, the first one to the left, numbers
// to the right.
#pragma once

#include <string>
#include <vector>

namespace saccade {

class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // One line per row; rows may be of different length.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Four decimals; whole numbers from 10 on without any; "-" for what is no number.
std::string fixed(double value);

}  // namespace saccade
