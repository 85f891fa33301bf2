#include "core/ops/network_ops.h"

#include <cmath>
#include <numbers>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

struct Slope {
  Real value, slope;  // f(x) and f'(x)
};

Slope sigmoid_linear(Real x, Real steep) {
  const Real gate = 1 / (1 + std::exp(-steep * x));
  return {x * gate, gate * (1 + steep * x * (1 - gate))};
}

Slope at(Nonlinearity f, Real x) {
  switch (f) {
    case Nonlinearity::kSilu:
      return sigmoid_linear(x, 1);
    case Nonlinearity::kQuickGelu:
      return sigmoid_linear(x, Real(1.702));
    case Nonlinearity::kTanhGelu: {
      const Real root = std::sqrt(2 / std::numbers::pi_v<Real>), cubic = Real(0.044715);
      const Real t = std::tanh(root * (x + cubic * x * x * x));
      return {x / 2 * (1 + t), (1 + t) / 2 + x / 2 * (1 - t * t) * root * (1 + 3 * cubic * x * x)};
    }
    case Nonlinearity::kHardSwish:
      if (x <= -3) return {0, 0};
      return x >= 3 ? Slope{x, 1} : Slope{x * (x + 3) / 6, (2 * x + 3) / 6};
    case Nonlinearity::kErf:
      return {std::erf(x), 2 * std::numbers::inv_sqrtpi_v<Real> * std::exp(-x * x)};
    case Nonlinearity::kSqrt: {
      const Real root = std::sqrt(x);
      return {root, Real(0.5) / root};
    }
    case Nonlinearity::kHardSigmoid:
      break;
  }
  if (x <= -3) return {0, 0};
  return x >= 3 ? Slope{1, 0} : Slope{(x + 3) / 6, Real(1) / 6};
}

}  // namespace

Var nonlinear(Var x, Nonlinearity f) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  for (Index i = 0; i < out.size(); ++i) out[i] = at(f, in[i]).value;
  tape.record(y, [x, y, f, t = &tape] {
    const ConstView dy = t->grad(y), value = x.value();
    const View dx = t->grad(x);
    for (Index i = 0; i < dy.size(); ++i) dx[i] += dy[i] * at(f, value[i]).slope;
  });
  return y;
}

Var scale_channels(Var x, Var factor) {
  const Shape shape = x.shape();
  const Index batch = shape.rank() > 1 ? shape[0] : 1, channels = shape.cols();
  const bool shared = factor.shape() == Shape{channels};
  SACCADE_CHECK(shared || factor.shape() == Shape({batch, channels}),
                "[scale_channels] needs a factor for each channel; got ", factor.shape(), " for ",
                shape);
  Tape& tape = x.tape();
  const Var y = tape.output(shape, {x, factor});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  const Index rows = shape.rows(), each = rows / std::max<Index>(batch, 1);
  const auto factors_of = [shared, each, channels](Index row) {
    return shared ? 0 : row / each * channels;
  };
  for (Index r = 0; r < rows; ++r) {
    const Real* by = factor.value().data + factors_of(r);
    for (Index c = 0; c < channels; ++c) out[r * channels + c] = in[r * channels + c] * by[c];
  }
  tape.record(y, [x, factor, y, rows, channels, factors_of, t = &tape] {
    const ConstView dy = t->grad(y), value = x.value();
    if (x.requires_grad()) {
      const View dx = t->grad(x);
      for (Index r = 0; r < rows; ++r) {
        const Real* by = factor.value().data + factors_of(r);
        for (Index c = 0; c < channels; ++c) dx[r * channels + c] += dy[r * channels + c] * by[c];
      }
    }
    if (!factor.requires_grad()) return;
    const View df = t->grad(factor);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < channels; ++c)
        df[factors_of(r) + c] += dy[r * channels + c] * value[r * channels + c];
  });
  return y;
}

Var response_norm(Var x, Var gain, Var shift, double epsilon) {
  const Shape shape = x.shape();
  SACCADE_CHECK(
      shape.rank() == 3 && gain.shape() == Shape{shape[2]} && shift.shape() == Shape{shape[2]},
      "[response_norm] takes [B, L, C] and two numbers for each channel; got ", shape, ", ",
      gain.shape(), " and ", shift.shape());
  const Index batch = shape[0], places = shape[1], channels = shape[2];
  Tape& tape = x.tape();
  const Var y = tape.output(shape, {x, gain, shift});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  Real* const norms = tape.scratch(batch * channels);  // g
  Real* const means = tape.scratch(batch);             // over channels, plus epsilon
  for (Index b = 0; b < batch; ++b) {
    Real* const g = norms + b * channels;
    std::fill_n(g, channels, Real(0));
    const Real* from = in.data + b * places * channels;
    for (Index i = 0; i < places * channels; ++i) g[i % channels] += from[i] * from[i];
    Real sum = 0;
    for (Index c = 0; c < channels; ++c) sum += g[c] = std::sqrt(g[c]);
    means[b] = sum / static_cast<Real>(channels) + static_cast<Real>(epsilon);
    Real* to = out.data + b * places * channels;
    for (Index i = 0; i < places * channels; ++i) {
      const Index c = i % channels;
      to[i] = from[i] * (g[c] / means[b] * gain.value()[c] + 1) + shift.value()[c];
    }
  }
  tape.record(y, [=, t = &tape] {
    const ConstView dy = t->grad(y), value = x.value();
    Real* const responses = t->scratch(channels);  // the gradient of n, then of g
    for (Index b = 0; b < batch; ++b) {
      const Real* const g = norms + b * channels;
      const Real *const d = dy.data + b * places * channels, *const from =
                                                                 value.data + b * places * channels;
      std::fill_n(responses, channels, Real(0));
      for (Index i = 0; i < places * channels; ++i) responses[i % channels] += d[i] * from[i];
      for (Index c = 0; c < channels; ++c)
        if (gain.requires_grad()) t->grad(gain)[c] += responses[c] * g[c] / means[b];
      if (shift.requires_grad()) {
        const View dshift = t->grad(shift);
        for (Index i = 0; i < places * channels; ++i) dshift[i % channels] += d[i];
      }
      if (!x.requires_grad()) continue;
      Real shared = 0;
      for (Index c = 0; c < channels; ++c) {
        responses[c] *= gain.value()[c];
        shared += responses[c] * g[c];
      }
      shared /= means[b] * means[b] * static_cast<Real>(channels);
      const View dx = t->grad(x);
      Real* const to = dx.data + b * places * channels;
      for (Index i = 0; i < places * channels; ++i) {
        const Index c = i % channels;
        to[i] += d[i] * (g[c] / means[b] * gain.value()[c] + 1);
        if (g[c] > 0) to[i] += (responses[c] / means[b] - shared) * from[i] / g[c];
      }
    }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
