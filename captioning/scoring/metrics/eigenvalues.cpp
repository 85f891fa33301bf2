#include "captioning/scoring/metrics/eigenvalues.h"

#include <Eigen/Eigenvalues>

#include "core/base/error.h"

namespace saccade {

std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, Index size) {
  SACCADE_CHECK(size >= 0 && static_cast<Index>(matrix.size()) == size * size,
                "[symmetric_eigenvalues] the matrix is [", size, ", ", size, "]; got ",
                matrix.size(), " numbers");
  if (size == 0) return {};
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> map(matrix.data(), size, size);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(map, Eigen::EigenvaluesOnly);
  const auto& values = solver.eigenvalues();
  if (solver.info() != Eigen::Success || !values.allFinite()) {
    throw InternalError("[symmetric_eigenvalues] the matrix has no finite eigenvalues");
  }
  return {values.begin(), values.end()};
}

}  // namespace saccade
