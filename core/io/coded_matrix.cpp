#include "core/io/coded_matrix.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr float kMostLevel = 32767;
constexpr int kStepBits = 9;
constexpr int kMostExponent = 100;

// The smallest number with nine significant bits of which the 32767-fold reaches `most`.
float step_of(float most) {
  int exponent = 0;
  const float fraction = std::frexp(most / kMostLevel, &exponent);
  return std::ldexp(std::ceil(std::ldexp(fraction, kStepBits)), exponent - kStepBits);
}

// Codes a row, and returns its step.
float code_row(std::span<const float> row, std::span<std::int16_t> codes) {
  std::vector<float> numbers(row.begin(), row.end());
  const auto largest = [&] {
    float most = 0;
    for (const float number : numbers) most = std::max(most, std::abs(number));
    return most;
  };
  float step = 0;
  // Rounding may make the largest number smaller, so that a smaller step would do the next time.
  for (float most = largest(); most >= std::ldexp(1.0F, -kMostExponent); most = largest()) {
    const float next = step_of(most);
    if (next == step) break;
    step = next;
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      const float level = std::round(numbers[c] / step);
      codes[c] = static_cast<std::int16_t>(level);
      numbers[c] = level * step;
    }
  }
  return step;
}

}  // namespace

CodedMatrix code_matrix(std::span<const float> matrix, Index rows) {
  const auto height = static_cast<std::size_t>(rows);
  const std::size_t columns = rows > 0 ? matrix.size() / height : 0;
  SACCADE_ASSERT(columns * height == matrix.size(), "a matrix of ", matrix.size(),
                 " numbers has not ", rows, " rows");
  std::set<float> distinct;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (!(std::abs(matrix[i]) <= std::ldexp(1.0F, kMostExponent)))
      throw DataError(str("number ", i, " is ", matrix[i]));
    if (distinct.size() <= kMostTableValues) distinct.insert(matrix[i]);
  }
  CodedMatrix out{.codes = std::vector<std::int16_t>(matrix.size()),
                  .values = {},
                  .has_table = distinct.size() <= kMostTableValues};
  if (out.has_table) {
    out.values.assign(distinct.begin(), distinct.end());
    std::ranges::transform(matrix, out.codes.begin(), [&](float number) {
      const auto found = std::ranges::lower_bound(out.values, number);
      return static_cast<std::int16_t>(found - out.values.begin());
    });
    return out;
  }
  for (std::size_t r = 0; r < height; ++r)
    out.values.push_back(code_row(matrix.subspan(r * columns, columns),
                                  std::span(out.codes).subspan(r * columns, columns)));
  return out;
}

bool fits_codes(std::span<const std::int16_t> codes, std::span<const float> values,
                bool has_table) {
  if (!has_table) return values.empty() ? codes.empty() : codes.size() % values.size() == 0;
  return std::ranges::all_of(codes, [&](std::int16_t code) {
    return code >= 0 && static_cast<std::size_t>(code) < values.size();
  });
}

void decode_matrix(std::span<const std::int16_t> codes, std::span<const float> values,
                   bool has_table, std::span<float> matrix) {
  SACCADE_ASSERT(matrix.size() == codes.size() && fits_codes(codes, values, has_table),
                 "codes that do not fit");
  const std::size_t columns = values.empty() ? 1 : codes.size() / values.size();
  for (std::size_t i = 0; i < codes.size(); ++i)
    matrix[i] = has_table ? values[static_cast<std::size_t>(codes[i])]
                          : static_cast<float>(codes[i]) * values[i / columns];
}

}  // namespace saccade
