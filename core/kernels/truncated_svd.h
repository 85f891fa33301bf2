// The largest singular values of a large sparse matrix and their left vectors, in double whatever
// Real is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/real.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

struct SparseEntry {
  Index row = 0, col = 0;
  double value = 0;
};

struct TruncatedSvd {
  Index rank = 0;
  std::vector<double> left;      // [rows, rank], orthonormal columns
  std::vector<double> singular;  // [rank], the largest first
};

// The first min(rank, rows, cols) singular values and left vectors of A [rows, cols], where entries
// at the same place are added. They are found by subspace iteration from a random start (Halko
// et al. 2011, algorithm 4.4). The sign of each left vector makes its largest number positive.
// Throws ShapeError for entries outside the matrix.
TruncatedSvd truncated_svd(std::span<const SparseEntry> entries, Index rows, Index cols, Index rank,
                           std::uint64_t seed);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
