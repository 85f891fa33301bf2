// Matrices in 16-bit integers, where 16-bit floats would change too much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// A matrix is coded in one of two ways. With few distinct numbers, as networks have that were
// quantised, a code is the place of the number in a table, and nothing is lost. Otherwise a code
// times the step of its row is the number: of numbers that are not much smaller than the largest of
// their row, this keeps some eight times as much as 16-bit floats do.
struct CodedMatrix {
  std::vector<std::int16_t> codes;  // rows x columns
  std::vector<float> values;        // the table (ascending), or the steps of the rows
  bool has_table = false;
};
// The most numbers of a table.
inline constexpr std::size_t kMostTableValues = 256;

// Codes `matrix` (rows x columns). Steps have nine significant bits, so that all products are
// exact, and a matrix that was rounded before comes back unchanged; a row whose numbers are all
// below 2^-100 becomes 0. Throws DataError, which gives the place, on a number that is not finite,
// or above 2^100.
CodedMatrix code_matrix(std::span<const float> matrix, Index rows);

// Whether the codes are of a matrix of this kind: places in the table, or whole rows.
bool fits_codes(std::span<const std::int16_t> codes, std::span<const float> values, bool has_table);
// The inverse of code_matrix(), for codes that fit. `matrix` has as many numbers as there are
// codes.
void decode_matrix(std::span<const std::int16_t> codes, std::span<const float> values,
                   bool has_table, std::span<float> matrix);

}  // namespace saccade
