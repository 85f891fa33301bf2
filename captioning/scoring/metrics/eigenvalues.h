// Eigenvalues of small symmetric matrices, in double.
#pragma once

#include <span>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// The eigenvalues of a symmetric matrix [size, size], the smallest first; only its lower triangle
// is read. Throws ShapeError when the matrix is not of that size, InternalError when it holds
// numbers that are not finite.
std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, Index size);

}  // namespace saccade
