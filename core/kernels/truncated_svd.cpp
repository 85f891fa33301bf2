#include "core/kernels/truncated_svd.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

constexpr Index kMoreColumns = 10;  // columns of the subspace beyond the requested ones
constexpr int kIterations = 8;

using Sparse = Eigen::SparseMatrix<double>;

Sparse sparse(std::span<const SparseEntry> entries, Index rows, Index cols) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const SparseEntry& e : entries) {
    SACCADE_CHECK(e.row >= 0 && e.row < rows && e.col >= 0 && e.col < cols,
                  "[truncated_svd] an entry at ", e.row, ", ", e.col, " of a matrix ", rows, " x ",
                  cols);
    triplets.emplace_back(static_cast<int>(e.row), static_cast<int>(e.col), e.value);
  }
  Sparse out(rows, cols);
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

}  // namespace

TruncatedSvd truncated_svd(std::span<const SparseEntry> entries, Index rows, Index cols, Index rank,
                           std::uint64_t seed) {
  SACCADE_CHECK(rows >= 0 && cols >= 0 && rank >= 0, "[truncated_svd] negative extents");
  const Sparse a = sparse(entries, rows, cols);
  const Index least = std::min(rows, cols);
  TruncatedSvd out{.rank = std::min(rank, least), .left = {}, .singular = {}};
  if (out.rank == 0) return out;
  const Index width = std::min(out.rank + kMoreColumns, least);
  Random random({.seed = seed, .stream = Stream::kInit, .step = name_key("truncated_svd")});
  Eigen::MatrixXd start(cols, width);
  for (Index c = 0; c < width; ++c)
    for (Index r = 0; r < cols; ++r) start(r, c) = random.normal();
  Eigen::MatrixXd q = orthonormal(a * start);
  for (int i = 0; i < kIterations; ++i) q = orthonormal(a * Eigen::MatrixXd(a.transpose() * q));
  // Within the subspace, the eigenvalues of A A' are the squares of the singular values.
  const Eigen::MatrixXd projected = a.transpose() * q;  // [cols, width]
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(projected.transpose() * projected);
  const Eigen::MatrixXd left = q * solver.eigenvectors();  // the smallest first
  out.left.resize(static_cast<std::size_t>(rows * out.rank));
  for (Index k = 0; k < out.rank; ++k) {
    const auto column = left.col(width - 1 - k);
    Eigen::Index largest = 0;
    column.cwiseAbs().maxCoeff(&largest);
    const double sign = column[largest] < 0 ? -1 : 1;
    for (Index r = 0; r < rows; ++r)
      out.left[static_cast<std::size_t>(r * out.rank + k)] = sign * column[r];
    out.singular.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()[width - 1 - k])));
  }
  return out;
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
