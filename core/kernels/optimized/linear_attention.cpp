#include "core/kernels/linear_attention.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/kernels/gemm.h"
#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

// Positions between two updates of the causal sums. Inside a chunk, pairs are scored.
constexpr Index kChunk = 64;

View view(RowMatrix& m) { return {m.data(), {m.rows(), m.cols()}}; }
View rows(RowMatrix& m, Index first, Index count) {
  return {m.data() + first * m.cols(), {count, m.cols()}};
}

// One head of one sample, with its rows side by side: phi(q) [T, d], phi(k) [S, d] with 0 where a
// key is not permitted, and v with a column of ones behind it [S, e + 1], which makes the
// denominator one more column.
struct Mapped {
  RowMatrix q, k, v;
};

// elu(x) + 1 without a branch, which would not vectorise.
void map_row(const Real* from, Index width, Real* to) {
  const auto x = array(from, width);
  array(to, width) = x.min(Real{0}).exp() + x.max(Real{0});
}

void map_head(const SdpaInputs& in, Index b, Index h, Mapped& m) {
  const AttentionExtents e = in.extents();
  const Index d = in.width(), value = in.value_width(), limit = key_limit(in.mask, e, b);
  m.q.resize(e.queries, d), m.k.resize(e.keys, d), m.v.resize(e.keys, value + 1);
  for (Index t = 0; t < e.queries; ++t)
    map_row(in.q.row(b * e.queries + t) + h * d, d, m.q.row(t).data());
  for (Index s = 0; s < e.keys; ++s) {
    const bool allowed =
        in.mask.allowed.empty() || in.mask.allowed[static_cast<std::size_t>(b * e.keys + s)] != 0;
    if (s < limit && allowed) {
      map_row(in.k.row(b * e.keys + s) + h * d, d, m.k.row(s).data());
    } else {
      m.k.row(s).setZero();
    }
    std::copy_n(in.v.row(b * e.keys + s) + h * value, value, m.v.row(s).data());
    m.v(s, value) = 1;
  }
}

bool causal(const SdpaInputs& in) { return in.mask.pattern == AttentionMask::Pattern::kCausal; }

// The products of a chunk's queries and keys, and 0 where the key is later. x [c, w], y [c,
// w] -> [c, c]
RowMatrix earlier_products(ConstView x, ConstView y) {
  RowMatrix out(x.rows(), y.rows());
  matmul_nt(x, y, view(out), 0);
  for (Index t = 0; t < out.rows(); ++t)
    std::fill(out.row(t).data() + t + 1, out.row(t).data() + out.cols(), Real{0});
  return out;
}

// sums [T, e + 1]: the numerators and the denominator of every query.
void weighted_sums(const SdpaInputs& in, Mapped& m, RowMatrix& sums) {
  sums.resize(m.q.rows(), m.v.cols());
  RowMatrix state = RowMatrix::Zero(m.q.cols(), m.v.cols());  // sum_s phi(k) [v, 1]'
  if (!causal(in)) {
    matmul_tn(view(m.k), view(m.v), view(state), 0);
    matmul(view(m.q), view(state), view(sums), 0);
    return;
  }
  for (Index t = 0; t < m.q.rows(); t += kChunk) {
    const Index count = std::min(kChunk, m.q.rows() - t);
    const View q = rows(m.q, t, count), k = rows(m.k, t, count), v = rows(m.v, t, count);
    RowMatrix inside = earlier_products(q, k);
    matmul(q, view(state), rows(sums, t, count), 0);
    matmul(view(inside), v, rows(sums, t, count), 1);
    matmul_tn(k, v, view(state), 1);
  }
}

// Converts d, the gradients of the sums [T, e + 1], to those of phi(q), phi(k) and v.
void mapped_gradients(const SdpaInputs& in, Mapped& m, RowMatrix& d, Mapped& g) {
  g.q.resize(m.q.rows(), m.q.cols()), g.k.resize(m.k.rows(), m.k.cols());
  g.v.resize(m.v.rows(), m.v.cols());
  RowMatrix state = RowMatrix::Zero(m.q.cols(), m.v.cols());  // sum_s phi(k) [v, 1]'
  RowMatrix ahead = RowMatrix::Zero(m.q.cols(), m.v.cols());  // sum_t phi(q) d'
  if (!causal(in)) {
    matmul_tn(view(m.k), view(m.v), view(state), 0);
    matmul_tn(view(m.q), view(d), view(ahead), 0);
    matmul_nt(view(d), view(state), view(g.q), 0);
    matmul_nt(view(m.v), view(ahead), view(g.k), 0);
    matmul(view(m.k), view(ahead), view(g.v), 0);
    return;
  }
  const Index length = m.q.rows();
  for (Index t = 0; t < length; t += kChunk) {
    const Index count = std::min(kChunk, length - t);
    const View k = rows(m.k, t, count), v = rows(m.v, t, count), ds = rows(d, t, count);
    RowMatrix inside = earlier_products(ds, v);
    matmul_nt(ds, view(state), rows(g.q, t, count), 0);
    matmul(view(inside), k, rows(g.q, t, count), 1);
    matmul_tn(k, v, view(state), 1);
  }
  for (Index t = (length - 1) / kChunk * kChunk; t >= 0; t -= kChunk) {
    const Index count = std::min(kChunk, length - t);
    const View q = rows(m.q, t, count), k = rows(m.k, t, count), v = rows(m.v, t, count),
               ds = rows(d, t, count);
    RowMatrix inside = earlier_products(ds, v), weights = earlier_products(q, k);
    matmul_nt(v, view(ahead), rows(g.k, t, count), 0);
    matmul_tn(view(inside), q, rows(g.k, t, count), 1);
    matmul(k, view(ahead), rows(g.v, t, count), 0);
    matmul_tn(view(weights), ds, rows(g.v, t, count), 1);
    matmul_tn(q, ds, view(ahead), 1);
  }
}

// dx += dphi phi'(x). The slope is 1 where phi > 1, and phi itself elsewhere, which is 0 for a key
// that is left out.
void unmap_row(const Real* phi, const Real* dphi, Index width, Real* dx) {
  array(dx, width) += array(dphi, width) * array(phi, width).min(Real{1});
}

}  // namespace

void linear_attention(const SdpaInputs& in, View out, View z) {
  const AttentionExtents e = in.extents();
  const Index value = in.value_width();
  Mapped m;
  RowMatrix sums;
  for (Index b = 0; b < e.batch; ++b)
    for (Index h = 0; h < in.heads; ++h) {
      map_head(in, b, h, m);
      weighted_sums(in, m, sums);
      for (Index t = 0; t < e.queries; ++t) {
        const Real sum = sums(t, value);
        z[(b * in.heads + h) * e.queries + t] = sum;
        array(out.row(b * e.queries + t) + h * value, value) =
            array(sums.row(t).data(), value) / sum;
      }
    }
}

void linear_attention_backward(const SdpaInputs& in, ConstView out, ConstView z, ConstView dout,
                               const SdpaGradients& gradients) {
  const AttentionExtents e = in.extents();
  const Index width = in.width(), value = in.value_width();
  Mapped m, g;
  RowMatrix d(e.queries, value + 1);
  for (Index b = 0; b < e.batch; ++b)
    for (Index h = 0; h < in.heads; ++h) {
      map_head(in, b, h, m);
      for (Index t = 0; t < e.queries; ++t) {
        const Index row = (b * e.queries + t) * out.cols() + h * value;
        const auto dy = array(dout.data + row, value);
        const Real sum = z[(b * in.heads + h) * e.queries + t];
        array(d.row(t).data(), value) = dy / sum;
        d(t, value) = -(dy * array(out.data + row, value)).sum() / sum;
      }
      mapped_gradients(in, m, d, g);
      for (Index t = 0; gradients.dq.data && t < e.queries; ++t) {
        const Index row = (b * e.queries + t) * in.q.cols() + h * width;
        unmap_row(m.q.row(t).data(), g.q.row(t).data(), width, gradients.dq.data + row);
      }
      for (Index s = 0; gradients.dk.data && s < e.keys; ++s) {
        const Index row = (b * e.keys + s) * in.k.cols() + h * width;
        unmap_row(m.k.row(s).data(), g.k.row(s).data(), width, gradients.dk.data + row);
      }
      for (Index s = 0; gradients.dv.data && s < e.keys; ++s)
        array(gradients.dv.row(b * e.keys + s) + h * value, value) +=
            array(g.v.row(s).data(), value);
    }
}

void linear_attention_weights(const SdpaInputs& in, View weights) {
  const AttentionExtents e = in.extents();
  Mapped m;
  for (Index b = 0; b < e.batch; ++b)
    for (Index h = 0; h < in.heads; ++h) {
      map_head(in, b, h, m);
      const View all{weights.data + (b * in.heads + h) * e.queries * e.keys, {e.queries, e.keys}};
      matmul_nt(view(m.q), view(m.k), all, 0);
      for (Index t = 0; t < e.queries; ++t) {
        auto row = array(all.row(t), e.keys);
        for (Index s = 0; s < e.keys; ++s)
          if (!permits(in.mask, e, b, t, s)) row[s] = 0;
        row /= row.sum();
      }
    }
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
