// Eigenvalues of small symmetric matrices, in double whatever Real is.
#pragma once

#include <span>
#include <vector>

#include "core/base/real.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// The eigenvalues of a symmetric matrix [size, size], the smallest first; only its lower triangle
// is read. Throws ShapeError when the matrix is not of that size, InternalError when it holds
// numbers that are not finite.
std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, Index size);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
