// Eigen's view of our arrays, for the .cpp files of core/kernels, which include <Eigen/Core> before
// it, so that no header of ours includes a library.
#pragma once

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

using Array = Eigen::Array<Real, Eigen::Dynamic, 1>;
using ArrayMap = Eigen::Map<Array>;
using ConstArrayMap = Eigen::Map<const Array>;
using RowMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<RowMatrix>;
using ConstMatrixMap = Eigen::Map<const RowMatrix>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using VectorMap = Eigen::Map<Vector>;
using ConstVectorMap = Eigen::Map<const Vector>;

inline ArrayMap array(View v) { return {v.data, v.size()}; }
inline ConstArrayMap array(ConstView v) { return {v.data, v.size()}; }
inline ArrayMap array(Real* data, Index size) { return {data, size}; }
inline ConstArrayMap array(const Real* data, Index size) { return {data, size}; }

// Head h in row t of sample b, where heads lie side by side: x [B, T, H d] -> d numbers.
template <class AnyView>
auto head_array(const AnyView& x, Index heads, Index b, Index t, Index h) {
  const Index width = x.cols() / heads;
  return array(x.data + (b * x.shape[1] + t) * x.cols() + h * width, width);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
