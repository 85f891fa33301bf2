// Tables for a terminal: columns are as wide as their widest cell, the first is aligned to the
// left, and numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace saccade {

class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // One line per row. Rows may have different lengths.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The number with four decimals, but never "-0.0000".
std::string four_decimals(double value);

// The same; whole numbers from 10 on without decimals, and "-" for what is no number.
std::string fixed(double value);

// A p-value: the same, and "<0.0001" for what four decimals do not show.
std::string fixed_p(double p);

}  // namespace saccade
