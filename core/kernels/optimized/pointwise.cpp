#include "core/kernels/pointwise.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/SpecialFunctions>

#include "core/kernels/internal/eigen_maps.h"
#include "core/kernels/work_log.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

// sigmoid(x) = (1 + tanh(x / 2)) / 2: one vectorised tanh, without overflow at either end.
template <class Expression>
auto logistic(const Expression& x) {
  return Real(0.5) + Real(0.5) * (Real(0.5) * x).tanh();
}

// The normal distribution's probability of a value below x.
template <class Expression>
auto below(const Expression& x) {
  constexpr Real kRootHalf = Real(1 / std::numbers::sqrt2);
  return Real(0.5) + Real(0.5) * (kRootHalf * x).erf();
}

template <class Expression>
void put(Write write, const Expression& values, View to) {
  if (write == Write::kAssign) {
    array(to) = values;
  } else {
    array(to) += values;
  }
}

// out = f(in ...) for arrays of one size, which go through whole images in the forward pass of
// encoders and are therefore cut where kernels are.
template <class F, class... In>
void elementwise(Index cost, View out, F f, In... in) {
  parallel::split_kernel({.count = out.size(), .unit = parallel::kNumbersTogether, .cost = cost},
                         [&](Index begin, Index end) {
                           array(out.data + begin, end - begin) =
                               f(array(in.data + begin, end - begin)...);
                         });
}

}  // namespace

void tanh(ConstView x, View y) { array(y) = array(x).tanh(); }
void sigmoid(ConstView x, View y) {
  elementwise(
      parallel::kExponentialCost, y, [](const auto& in) { return logistic(in); }, x);
}
void relu(ConstView x, View y) {
  elementwise(
      parallel::kPlainCost, y, [](const auto& in) { return in.max(Real(0)); }, x);
}
void leaky_relu(ConstView x, Real slope, View y) {
  elementwise(
      parallel::kPlainCost, y, [&](const auto& in) { return in.max(slope * in); }, x);
}
void exp(ConstView x, View y) { array(y) = array(x).exp(); }
void gelu(ConstView x, View y) {
  count_exponentials(x.size());
  elementwise(
      parallel::kExponentialCost, y, [](const auto& in) { return in * below(in); }, x);
}

void tanh_backward(ConstView y, ConstView dy, View dx) {
  array(dx) += array(dy) * (1 - array(y).square());
}
void sigmoid_backward(ConstView y, ConstView dy, View dx) {
  array(dx) += array(dy) * array(y) * (1 - array(y));
}
void relu_backward(ConstView y, ConstView dy, View dx, Write write) {
  put(write, (array(y) > Real(0)).select(array(dy), Real(0)), dx);
}

void leaky_relu_backward(ConstView y, Real slope, ConstView dy, View dx) {
  for (Index i = 0; i < y.size(); ++i) dx[i] += y[i] > 0 ? dy[i] : slope * dy[i];
}

void gelu_backward(ConstView x, ConstView dy, View dx, Write write) {
  count_exponentials(2 * x.size());
  constexpr Real kDensity = Real(0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
  const auto in = array(x);
  put(write, array(dy) * (below(in) + in * kDensity * (Real(-0.5) * in.square()).exp()), dx);
}

void add(ConstView a, ConstView b, View y) {
  elementwise(
      parallel::kPlainCost, y, [](const auto& p, const auto& q) { return p + q; }, a, b);
}
void multiply(ConstView a, ConstView b, View y) {
  elementwise(
      parallel::kPlainCost, y, [](const auto& p, const auto& q) { return p * q; }, a, b);
}
void accumulate(ConstView x, View y, Real factor) {
  if (factor == 1) {
    array(y) += array(x);
  } else {
    array(y) += factor * array(x);
  }
}
void accumulate_product(ConstView a, ConstView b, View y) { array(y) += array(a) * array(b); }

void add_row(ConstView row, View y) {
  for (Index r = 0; r < y.rows(); ++r) array(y.row(r), y.cols()) += array(row);
}
void sum_rows(ConstView x, View row) {
  for (Index r = 0; r < x.rows(); ++r) array(row) += array(x.row(r), x.cols());
}
void scale_rows(ConstView x, ConstView factor, View y) {
  for (Index r = 0; r < x.rows(); ++r)
    array(y.row(r), x.cols()) = factor[r] * array(x.row(r), x.cols());
}

void dropout(const RandomKey& key, double rate, ConstView x, View y, std::uint8_t* keep) {
  Random random(key);
  // 16 bits per number are enough for a rate, so every draw makes two numbers.
  const auto limit = static_cast<std::uint32_t>(rate * 65536.0);
  const Index n = x.size();
  for (Index i = 0; i < n; i += 2) {
    const std::uint32_t bits = random.bits();
    keep[i] = (bits & 0xFFFF) >= limit;
    if (i + 1 < n) keep[i + 1] = (bits >> 16) >= limit;
  }
  const Real scale = static_cast<Real>(1 / (1 - rate));
  for (Index i = 0; i < n; ++i) y[i] = keep[i] ? x[i] * scale : Real(0);
}

void dropout_backward(const std::uint8_t* keep, double rate, ConstView dy, View dx) {
  const Real scale = static_cast<Real>(1 / (1 - rate));
  for (Index i = 0; i < dy.size(); ++i) dx[i] += keep[i] ? dy[i] * scale : Real(0);
}

void softmax(ConstView x, View y) {
  count_exponentials(x.size());
  // The vectorised exponential of -infinity is about the smallest number instead of zero.
  // Subtracting a little more makes it zero, and does not change the bits of anything that matters.
  constexpr Real kCrumb = 4 * std::numeric_limits<Real>::min();
  const Index n = x.cols();
  for (Index r = 0; r < x.rows(); ++r) {
    const auto in = array(x.row(r), n);
    auto out = array(y.row(r), n);
    out = ((in - in.maxCoeff()).exp() - kCrumb).max(Real(0));
    out *= 1 / out.sum();
  }
}

void softmax_backward(ConstView y, ConstView dy, View dx) {
  const Index n = y.cols();
  for (Index r = 0; r < y.rows(); ++r) {
    const auto p = array(y.row(r), n), g = array(dy.row(r), n);
    const Real dot = (p * g).sum();
    array(dx.row(r), n) += p * (g - dot);
  }
}

void normalize_rows(ConstView x, Real floor, View y, View norm) {
  const Index n = x.cols();
  for (Index r = 0; r < x.rows(); ++r) {
    const auto in = array(x.row(r), n);
    const Real length = std::sqrt(in.square().sum());
    norm[r] = length <= floor ? floor : length;
    array(y.row(r), n) = in * (1 / norm[r]);
  }
}

void normalize_rows_backward(ConstView y, ConstView norm, Real floor, ConstView dy, View dx) {
  const Index n = y.cols();
  for (Index r = 0; r < y.rows(); ++r) {
    const auto out = array(y.row(r), n), g = array(dy.row(r), n);
    const Real along = norm[r] == floor ? Real{0} : (out * g).sum();
    array(dx.row(r), n) += (g - along * out) * (1 / norm[r]);
  }
}

void cross_entropy(ConstView logits, std::span<const int> targets, View nll, View lse) {
  count_exponentials(logits.size());
  const Index n = logits.cols();
  for (Index r = 0; r < logits.rows(); ++r) {
    const auto row = array(logits.row(r), n);
    const Real top = row.maxCoeff();
    lse[r] = top + std::log((row - top).exp().sum());
    nll[r] = lse[r] - row[targets[static_cast<std::size_t>(r)]];
  }
}

void cross_entropy_backward(ConstView logits, std::span<const int> targets, ConstView lse,
                            ConstView dnll, View dlogits, Write write) {
  count_exponentials(logits.size());
  const Index n = logits.cols();
  for (Index r = 0; r < logits.rows(); ++r) {
    const auto row = array(logits.row(r), n);
    auto out = array(dlogits.row(r), n);
    if (write == Write::kAssign) {
      out = dnll[r] * (row - lse[r]).exp();
    } else {
      out += dnll[r] * (row - lse[r]).exp();
    }
    out[targets[static_cast<std::size_t>(r)]] -= dnll[r];
  }
}

void lstm_cell(View gates, ConstView c_prev, View c, View tanh_c, View h) {
  count_exponentials(5 * c.size());
  const Index n = c.cols();
  for (Index r = 0; r < c.rows(); ++r) {
    Real* gate = gates.row(r);
    auto input_forget = array(gate, 2 * n), g = array(gate + 2 * n, n), o = array(gate + 3 * n, n);
    input_forget = logistic(input_forget);
    g = g.tanh();
    o = logistic(o);
    auto c_row = array(c.row(r), n), t = array(tanh_c.row(r), n);
    c_row = array(gate + n, n) * array(c_prev.row(r), n) + array(gate, n) * g;
    t = c_row.tanh();
    array(h.row(r), n) = o * t;
  }
}

void lstm_cell_backward(ConstView gates, ConstView c_prev, ConstView tanh_c, ConstView dc,
                        ConstView dh, View dgates, View dc_prev) {
  const Index n = tanh_c.cols();
  Array total(n);
  for (Index r = 0; r < tanh_c.rows(); ++r) {
    const Real* gate = gates.row(r);
    const auto i = array(gate, n), f = array(gate + n, n), g = array(gate + 2 * n, n),
               o = array(gate + 3 * n, n);
    const auto t = array(tanh_c.row(r), n), dh_row = array(dh.row(r), n);
    Real* out = dgates.row(r);
    total = array(dc.row(r), n) + dh_row * o * (1 - t.square());
    array(out, n) = total * g * i * (1 - i);
    array(out + n, n) = total * array(c_prev.row(r), n) * f * (1 - f);
    array(out + 2 * n, n) = total * i * (1 - g.square());
    array(out + 3 * n, n) = dh_row * t * o * (1 - o);
    array(dc_prev.row(r), n) += total * f;
  }
}

void gru_cell(View input, ConstView hidden, ConstView h_prev, View h) {
  count_exponentials(3 * h.size());
  const Index width = h.cols();
  for (Index row = 0; row < h.rows(); ++row) {
    Real* gate = input.row(row);
    const Real* own = hidden.row(row);
    auto reset_update = array(gate, 2 * width), n = array(gate + 2 * width, width);
    reset_update = logistic(reset_update + array(own, 2 * width));
    n = (n + array(gate, width) * array(own + 2 * width, width)).tanh();
    array(h.row(row), width) = n + array(gate + width, width) * (array(h_prev.row(row), width) - n);
  }
}

void gru_cell_backward(ConstView gates, ConstView hidden, ConstView h_prev, ConstView dh,
                       View dinput, View dhidden, View dh_prev) {
  const Index width = dh.cols();
  for (Index row = 0; row < dh.rows(); ++row) {
    const Real* gate = gates.row(row);
    const auto r = array(gate, width), z = array(gate + width, width),
               n = array(gate + 2 * width, width);
    const auto d = array(dh.row(row), width);
    Real *in = dinput.row(row), *own = dhidden.row(row);
    auto dr = array(in, width), dz = array(in + width, width), dn = array(in + 2 * width, width);
    dn = d * (1 - z) * (1 - n.square());
    dz = d * (array(h_prev.row(row), width) - n) * z * (1 - z);
    dr = dn * array(hidden.row(row) + 2 * width, width) * r * (1 - r);
    array(own, 2 * width) += array(in, 2 * width);
    array(own + 2 * width, width) += dn * r;
    array(dh_prev.row(row), width) += d * z;
  }
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
