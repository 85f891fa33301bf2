#include "captioning/scoring/scores/text_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace saccade {

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size(), 0);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - row[c].size(), ' ');
      out += c == 0 ? row[c] + gap : "  " + gap + row[c];
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string four_decimals(double value) {
  std::array<char, 352> text{};  // the largest number has 309 digits
  std::snprintf(text.data(), text.size(), "%.4f", value);
  const std::string out = text.data();
  return out == "-0.0000" ? out.substr(1) : out;
}

std::string fixed(double value) {
  if (std::isnan(value)) return "-";
  const std::string text = four_decimals(value);
  const bool whole = value >= 10 && value == std::floor(value);
  return whole ? text.substr(0, text.find('.')) : text;
}

std::string fixed_p(double p) { return p < 1e-4 ? "<0.0001" : fixed(p); }

}  // namespace saccade
