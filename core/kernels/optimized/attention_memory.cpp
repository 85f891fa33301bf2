#include "core/kernels/attention_memory.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/kernels/gemm.h"
#include "core/kernels/internal/eigen_maps.h"
#include "core/kernels/work_log.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

ConstMatrixMap matrix_of(ConstView memory, Index m) {
  const Index regions = memory.shape[1], width = memory.shape[2];
  return {memory.data + m * regions * width, regions, width};
}

// Handles consecutive query rows of one memory together, so that each row of the memory is read
// once for all of them.
template <class Body>
void for_each_memory(Index query_rows, Index group, Body body) {
  for (Index first = 0; first < query_rows; first += group)
    body(first / group, first, std::min(group, query_rows - first));
}

// From this number on, the queries of one memory are computed as a matrix product. Beams have
// fewer, and keep the bits that they have alone.
constexpr Index kManyQueries = 32;

}  // namespace

void additive_score(ConstView keys, ConstView query, ConstView v, Index group, View e) {
  const Index width = v.size(), regions = keys.shape[1];
  count_exponentials(query.rows() * regions * width);
  const auto weight = array(v);
  for_each_memory(query.rows(), group, [&](Index m, Index first, Index count) {
    parallel::split_kernel(
        {.count = regions, .cost = count * width * parallel::kExponentialCost},
        [&](Index begin, Index end) {
          const Real* key = keys.data + (m * regions + begin) * width;
          for (Index l = begin; l < end; ++l, key += width)
            for (Index r = first; r < first + count; ++r)
              e.row(r)[l] =
                  (weight * (array(key, width) + array(query.row(r), width)).tanh()).sum();
        });
  });
}

void additive_score_backward(ConstView keys, ConstView query, ConstView v, Index group,
                             ConstView de, View dkeys, View dquery, View dv) {
  const Index width = v.size(), regions = keys.shape[1];
  count_exponentials(query.rows() * regions * width);
  const auto weight = array(v);
  auto dweight = array(dv);
  Array u(width), g(width);
  for_each_memory(query.rows(), group, [&](Index m, Index first, Index count) {
    for (Index r = first; r < first + count; ++r) {
      const Real* key = keys.data + m * regions * width;
      Real* dkey = dkeys.data + m * regions * width;
      const auto q = array(query.row(r), width);
      auto dq = array(dquery.row(r), width);
      for (Index l = 0; l < regions; ++l, key += width, dkey += width) {
        const Real d = de.row(r)[l];
        if (d == 0) continue;
        u = (array(key, width) + q).tanh();
        dweight += d * u;
        g = (d * weight) * (1 - u.square());
        dq += g;
        array(dkey, width) += g;
      }
    }
  });
}

void memory_dot(ConstView memory, ConstView query, Index group, Real scale, Real beta, View e) {
  for_each_memory(query.rows(), group, [&](Index m, Index first, Index count) {
    const auto matrix = matrix_of(memory, m);
    if (count >= kManyQueries)
      return gemm({.trans_b = Trans::kYes,
                   .m = count,
                   .n = matrix.rows(),
                   .k = matrix.cols(),
                   .alpha = scale,
                   .a = query.row(first),
                   .lda = matrix.cols(),
                   .b = matrix.data(),
                   .ldb = matrix.cols(),
                   .beta = beta,
                   .c = e.row(first),
                   .ldc = matrix.rows()});
    for (Index r = first; r < first + count; ++r) {
      VectorMap out(e.row(r), matrix.rows());
      const ConstVectorMap q(query.row(r), matrix.cols());
      if (beta == 0) {
        out.setZero();
      } else if (beta != 1) {
        out *= beta;
      }
      out.noalias() += scale * (matrix * q);
    }
  });
}

void memory_sum(ConstView memory, ConstView weights, Index group, Real scale, Real beta, View z) {
  for_each_memory(weights.rows(), group, [&](Index m, Index first, Index count) {
    const auto matrix = matrix_of(memory, m);
    if (count >= kManyQueries)
      return gemm({.m = count,
                   .n = matrix.cols(),
                   .k = matrix.rows(),
                   .alpha = scale,
                   .a = weights.row(first),
                   .lda = matrix.rows(),
                   .b = matrix.data(),
                   .ldb = matrix.cols(),
                   .beta = beta,
                   .c = z.row(first),
                   .ldc = matrix.cols()});
    for (Index r = first; r < first + count; ++r) {
      VectorMap out(z.row(r), matrix.cols());
      const ConstVectorMap w(weights.row(r), matrix.rows());
      if (beta == 0) {
        out.setZero();
      } else if (beta != 1) {
        out *= beta;
      }
      out.noalias() += scale * (matrix.transpose() * w);
    }
  });
}

void memory_outer(ConstView weights, ConstView dz, Index group, Real scale, View dmemory) {
  const Index regions = dmemory.shape[1], width = dmemory.shape[2];
  for_each_memory(weights.rows(), group, [&](Index m, Index first, Index count) {
    Real* const to = dmemory.data + m * regions * width;
    if (count >= kManyQueries)
      return gemm({.trans_a = Trans::kYes,
                   .m = regions,
                   .n = width,
                   .k = count,
                   .alpha = scale,
                   .a = weights.row(first),
                   .lda = regions,
                   .b = dz.row(first),
                   .ldb = width,
                   .beta = 1,
                   .c = to,
                   .ldc = width});
    for (Index r = first; r < first + count; ++r) {
      const auto d = array(dz.row(r), width);
      Real* out = to;
      for (Index l = 0; l < regions; ++l, out += width) {
        const Real w = scale * weights.row(r)[l];
        if (w != 0) array(out, width) += w * d;
      }
    }
  });
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
