#include "core/kernels/pointwise.h"

#include <algorithm>
#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {
Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }
}  // namespace

void tanh(ConstView x, View y) {
  for (Index i = 0; i < x.size(); ++i) y[i] = std::tanh(x[i]);
}

void sigmoid(ConstView x, View y) {
  for (Index i = 0; i < x.size(); ++i) y[i] = logistic(x[i]);
}

void gelu(ConstView x, View y) {
  for (Index i = 0; i < x.size(); ++i) y[i] = x[i] / 2 * (1 + std::erf(x[i] / std::sqrt(Real{2})));
}

void softmax(ConstView x, View y) {
  for (Index r = 0; r < x.rows(); ++r) {
    const Real* in = x.row(r);
    Real* out = y.row(r);
    const Real top = *std::max_element(in, in + x.cols());
    Real sum = 0;
    for (Index c = 0; c < x.cols(); ++c) sum += out[c] = std::exp(in[c] - top);
    for (Index c = 0; c < x.cols(); ++c) out[c] /= sum;
  }
}

void cross_entropy(ConstView logits, std::span<const int> targets, View nll, View lse) {
  for (Index r = 0; r < logits.rows(); ++r) {
    const Real* row = logits.row(r);
    const Real top = *std::max_element(row, row + logits.cols());
    Real sum = 0;
    for (Index c = 0; c < logits.cols(); ++c) sum += std::exp(row[c] - top);
    lse[r] = top + std::log(sum);
    nll[r] = lse[r] - row[targets[static_cast<std::size_t>(r)]];
  }
}

void lstm_cell(View gates, ConstView c_prev, View c, View tanh_c, View h) {
  const Index width = c.cols();
  for (Index r = 0; r < c.rows(); ++r) {
    Real* gate = gates.row(r);
    for (Index j = 0; j < width; ++j) {
      Real& i = gate[j];
      Real& f = gate[width + j];
      Real& g = gate[2 * width + j];
      Real& o = gate[3 * width + j];
      i = logistic(i), f = logistic(f), g = std::tanh(g), o = logistic(o);
      c.row(r)[j] = f * c_prev.row(r)[j] + i * g;
      tanh_c.row(r)[j] = std::tanh(c.row(r)[j]);
      h.row(r)[j] = o * tanh_c.row(r)[j];
    }
  }
}

void gru_cell(View input, ConstView hidden, ConstView h_prev, View h) {
  const Index width = h.cols();
  for (Index row = 0; row < h.rows(); ++row) {
    Real* gate = input.row(row);
    const Real* own = hidden.row(row);
    for (Index j = 0; j < width; ++j) {
      Real& r = gate[j];
      Real& z = gate[width + j];
      Real& n = gate[2 * width + j];
      r = logistic(r + own[j]), z = logistic(z + own[width + j]);
      n = std::tanh(n + r * own[2 * width + j]);
      h.row(row)[j] = (1 - z) * n + z * h_prev.row(row)[j];
    }
  }
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
