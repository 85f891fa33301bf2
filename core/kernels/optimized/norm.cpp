#include "core/kernels/norm.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/kernels/internal/eigen_maps.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

template <int width>
using Lanes = Eigen::Array<Real, width, 1>;
template <int width>
Eigen::Map<const Lanes<width>> lanes(const Real* data) {
  return Eigen::Map<const Lanes<width>>(data);
}
template <int width>
Eigen::Map<Lanes<width>> lanes(Real* data) {
  return Eigen::Map<Lanes<width>>(data);
}

// Calls body(width, first channel) for blocks of channels whose sums stay in registers over all
// positions.
template <class Body>
void for_channel_blocks(Index channels, Body body) {
  Index c = 0;
  for (; c + 32 <= channels; c += 32) body(std::integral_constant<int, 32>{}, c);
  for (; c + 16 <= channels; c += 16) body(std::integral_constant<int, 16>{}, c);
  for (; c < channels; ++c) body(std::integral_constant<int, 1>{}, c);
}

// sum[c] = the sum over positions of term(width, offset, c), where offset is that of (position, c).
template <class Term>
void sum_positions(const GroupNormShape& s, Real* sum, Term term) {
  for_channel_blocks(s.channels, [&](auto width, Index c) {
    constexpr int w = decltype(width)::value;
    Lanes<w> even = Lanes<w>::Zero(), odd = Lanes<w>::Zero();
    Index p = 0;
    for (; p + 2 <= s.positions; p += 2) {
      even += term(width, p * s.channels + c, c);
      odd += term(width, (p + 1) * s.channels + c, c);
    }
    if (p < s.positions) even += term(width, p * s.channels + c, c);
    lanes<w>(sum + c) = even + odd;
  });
}

// Adds up one sum per channel into the sums of the groups.
void sum_groups(const GroupNormShape& s, const Real* channels, double* groups) {
  const Index width = s.channels / s.groups;
  for (Index g = 0; g < s.groups; ++g) {
    groups[g] = 0;
    for (Index c = g * width; c < (g + 1) * width; ++c) groups[g] += channels[c];
  }
}

}  // namespace

void group_norm(const GroupNormShape& s, Activation f, double epsilon, ConstView x, ConstView gamma,
                ConstView beta, View y, View mean, View rstd) {
  const auto channels = static_cast<std::size_t>(s.channels);
  const Index group = s.channels / s.groups;
  const double count = static_cast<double>(group * s.positions);
  std::vector<Real> sum(channels), center(channels), gain(channels);
  std::vector<double> total(static_cast<std::size_t>(s.groups));
  for (Index b = 0; b < s.batch; ++b) {
    const Real* in = x.data + b * s.positions * s.channels;
    Real* out = y.data + b * s.positions * s.channels;
    sum_positions(s, sum.data(), [&](auto w, Index at, Index) { return lanes<w()>(in + at); });
    sum_groups(s, sum.data(), total.data());
    for (Index c = 0; c < s.channels; ++c)
      center[static_cast<std::size_t>(c)] =
          static_cast<Real>(total[static_cast<std::size_t>(c / group)] / count);
    // The variance is taken around the mean in a second pass, because differences of large sums
    // lose digits.
    sum_positions(s, sum.data(), [&](auto w, Index at, Index c) {
      return (lanes<w()>(in + at) - lanes<w()>(center.data() + c)).square();
    });
    sum_groups(s, sum.data(), total.data());
    for (Index g = 0; g < s.groups; ++g) {
      mean[b * s.groups + g] = center[static_cast<std::size_t>(g * group)];
      rstd[b * s.groups + g] =
          static_cast<Real>(1 / std::sqrt(total[static_cast<std::size_t>(g)] / count + epsilon));
    }
    for (Index c = 0; c < s.channels; ++c)
      gain[static_cast<std::size_t>(c)] = gamma[c] * rstd[b * s.groups + c / group];
    for_channel_blocks(s.channels, [&](auto width, Index c) {
      constexpr int w = decltype(width)::value;
      const Lanes<w> m = lanes<w>(center.data() + c), k = lanes<w>(gain.data() + c);
      const Lanes<w> shift = lanes<w>(beta.data + c);
      for (Index at = c; at < s.positions * s.channels; at += s.channels) {
        Lanes<w> value = (lanes<w>(in + at) - m) * k + shift;
        if (f != Activation::kNone) value = value.max(Real{0});
        if (f == Activation::kRelu6) value = value.min(Real{6});
        lanes<w>(out + at) = value;
      }
    });
  }
}

namespace {

// What backward needs of one image: x, dy, y (where there is an activation), and the numbers of its
// channels.
struct BackwardImage {
  const Real *x, *dy, *y;
  Index size, channels;
  const Real *mean, *gain, *slope, *offset;
};

// Plain loops over the lanes: the compiler vectorises a branch, and Eigen does not.
template <Activation f, int width>
void backward_sums(const BackwardImage& image, Index first, Real* __restrict sum,
                   Real* __restrict sum_x) {
  const Real* __restrict x = image.x + first, * __restrict dy = image.dy + first;
  const Real* __restrict y = image.y + first, * __restrict mean = image.mean + first;
  Real s[width] = {}, s_x[width] = {};
  for (Index at = 0; at < image.size; at += image.channels)
    for (int k = 0; k < width; ++k) {
      const Real passing = dy[at + k];
      const Real d = passes<f>(y[at + k]) ? passing : Real{0};
      s[k] += d;
      s_x[k] += d * (x[at + k] - mean[k]);
    }
  std::copy_n(s, width, sum + first);
  std::copy_n(s_x, width, sum_x + first);
}

template <Activation f, bool assign, int width>
void backward_apply(const BackwardImage& image, Index first, Real* __restrict dx_image) {
  const Real* __restrict x = image.x + first, * __restrict dy = image.dy + first;
  const Real* __restrict y = image.y + first, * __restrict mean = image.mean + first;
  const Real* __restrict gain = image.gain + first, * __restrict slope = image.slope + first;
  const Real* __restrict offset = image.offset + first;
  Real* __restrict dx = dx_image + first;
  for (Index at = 0; at < image.size; at += image.channels)
    for (int k = 0; k < width; ++k) {
      const Real passing = dy[at + k];
      const Real d = passes<f>(y[at + k]) ? passing : Real{0};
      const Real value = gain[k] * d + slope[k] * (x[at + k] - mean[k]) + offset[k];
      dx[at + k] = assign ? value : dx[at + k] + value;
    }
}

template <Activation f>
void backward(const GroupNormShape& s, ConstView x, ConstView gamma, ConstView y, ConstView mean,
              ConstView rstd, ConstView dy, const NormGradients& gradients) {
  const auto channels = static_cast<std::size_t>(s.channels);
  const Index group = s.channels / s.groups, size = s.positions * s.channels;
  const double count = static_cast<double>(group * s.positions);
  std::vector<Real> center(channels), sum(channels), sum_x(channels);
  std::vector<Real> gain(channels), slope(channels), offset(channels);
  std::vector<double> total(static_cast<std::size_t>(s.groups)), total_x(total);
  for (Index b = 0; b < s.batch; ++b) {
    const BackwardImage image{.x = x.data + b * size,
                              .dy = dy.data + b * size,
                              .y = f == Activation::kNone ? x.data : y.data + b * size,
                              .size = size,
                              .channels = s.channels,
                              .mean = center.data(),
                              .gain = gain.data(),
                              .slope = slope.data(),
                              .offset = offset.data()};
    const Real *image_mean = mean.data + b * s.groups, *image_rstd = rstd.data + b * s.groups;
    for (std::size_t c = 0; c < channels; ++c)
      center[c] = image_mean[static_cast<Index>(c) / group];
    for_channel_blocks(s.channels, [&](auto width, Index c) {
      backward_sums<f, width()>(image, c, sum.data(), sum_x.data());
    });
    for (Index c = 0; c < s.channels; ++c) {
      const auto i = static_cast<std::size_t>(c);
      sum_x[i] *= image_rstd[c / group];
      if (gradients.dgamma.data) gradients.dgamma[c] += sum_x[i];
      if (gradients.dbeta.data) gradients.dbeta[c] += sum[i];
      sum[i] *= gamma[c];
      sum_x[i] *= gamma[c];
    }
    if (!gradients.dx.data) continue;
    // dx = rstd (gamma dy - mean(gamma dy) - x' mean(gamma dy x')), with means over the group.
    sum_groups(s, sum.data(), total.data());
    sum_groups(s, sum_x.data(), total_x.data());
    for (std::size_t c = 0; c < channels; ++c) {
      const auto g = c / static_cast<std::size_t>(group);
      const Real r = image_rstd[g];
      gain[c] = r * gamma[static_cast<Index>(c)];
      slope[c] = -r * r * static_cast<Real>(total_x[g] / count);
      offset[c] = -r * static_cast<Real>(total[g] / count);
    }
    Real* dx = gradients.dx.data + b * size;
    for_channel_blocks(s.channels, [&](auto width, Index c) {
      if (gradients.write == Write::kAssign) {
        backward_apply<f, true, width()>(image, c, dx);
      } else {
        backward_apply<f, false, width()>(image, c, dx);
      }
    });
  }
}

}  // namespace

void group_norm_backward(const GroupNormShape& shape, Activation f, ConstView x, ConstView gamma,
                         ConstView y, ConstView mean, ConstView rstd, ConstView dy,
                         const NormGradients& gradients) {
  with_activation(
      f, [&](auto known) { backward<known()>(shape, x, gamma, y, mean, rstd, dy, gradients); });
}

void layer_norm(double epsilon, ConstView x, ConstView gamma, ConstView beta, View y, View mean,
                View rstd) {
  const Index width = x.cols();
  const Real share = Real{1} / static_cast<Real>(width);
  parallel::split_kernel({.count = x.rows(), .cost = width * parallel::kPlainCost}, [&](Index begin,
                                                                                        Index end) {
    for (Index r = begin; r < end; ++r) {
      const auto in = array(x.row(r), width);
      mean[r] = in.sum() * share;
      rstd[r] = 1 / std::sqrt((in - mean[r]).square().sum() * share + static_cast<Real>(epsilon));
      array(y.row(r), width) = (in - mean[r]) * rstd[r] * array(gamma) + array(beta);
    }
  });
}

void layer_norm_backward(ConstView x, ConstView gamma, ConstView mean, ConstView rstd, ConstView dy,
                         const NormGradients& gradients) {
  const Index width = x.cols();
  const Real share = Real{1} / static_cast<Real>(width);
  Array normed(width), d(width);
  for (Index r = 0; r < x.rows(); ++r) {
    const auto dout = array(dy.row(r), width);
    normed = (array(x.row(r), width) - mean[r]) * rstd[r];
    if (gradients.dgamma.data) array(gradients.dgamma) += dout * normed;
    if (gradients.dbeta.data) array(gradients.dbeta) += dout;
    if (!gradients.dx.data) continue;
    d = dout * array(gamma);
    const Real m = d.sum() * share, m_x = (d * normed).sum() * share;
    auto din = array(gradients.dx.row(r), width);
    if (gradients.write == Write::kAssign) {
      din = rstd[r] * (d - m - normed * m_x);
    } else {
      din += rstd[r] * (d - m - normed * m_x);
    }
  }
}

void rms_norm(double epsilon, ConstView x, ConstView gamma, View y, View scale) {
  const Index width = x.cols();
  const Real share = Real{1} / static_cast<Real>(width);
  for (Index r = 0; r < x.rows(); ++r) {
    const auto in = array(x.row(r), width);
    scale[r] = 1 / std::sqrt(in.square().sum() * share + static_cast<Real>(epsilon));
    array(y.row(r), width) = in * scale[r] * array(gamma);
  }
}

void rms_norm_backward(ConstView x, ConstView gamma, ConstView scale, ConstView dy,
                       const NormGradients& gradients) {
  const Index width = x.cols();
  const Real share = Real{1} / static_cast<Real>(width);
  Array normed(width), d(width);
  for (Index r = 0; r < x.rows(); ++r) {
    const auto dout = array(dy.row(r), width);
    normed = array(x.row(r), width) * scale[r];
    if (gradients.dgamma.data) array(gradients.dgamma) += dout * normed;
    if (!gradients.dx.data) continue;
    d = dout * array(gamma);
    const Real m = (d * normed).sum() * share;
    auto din = array(gradients.dx.row(r), width);
    if (gradients.write == Write::kAssign) {
      din = scale[r] * (d - normed * m);
    } else {
      din += scale[r] * (d - normed * m);
    }
  }
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
