#include "core/kernels/pool.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

// The part of a window inside the image: rows [top, bottom), columns [left, right).
struct Window {
  Index image, output;  // offsets of the image and of the output's channels
  Index top, bottom, left, right;
  Index area() const { return (bottom - top) * (right - left); }
};

template <class Body>
void for_windows(const PoolShape& s, Body body) {
  Index output = 0;
  for (Index b = 0; b < s.batch; ++b)
    for (Index i = 0; i < s.out_height(); ++i)
      for (Index j = 0; j < s.out_width(); ++j, output += s.channels) {
        const Index row = i * s.stride - s.padding, column = j * s.stride - s.padding;
        body(Window{.image = b * s.height * s.width * s.channels,
                    .output = output,
                    .top = std::max(Index{0}, row),
                    .bottom = std::min(s.height, row + s.kernel),
                    .left = std::max(Index{0}, column),
                    .right = std::min(s.width, column + s.kernel)});
      }
}

}  // namespace

void max_pool(const PoolShape& s, ConstView x, View y, std::span<int> where) {
  for_windows(s, [&](const Window& w) {
    Real* best = y.data + w.output;
    int* place = where.data() + w.output;
    std::fill_n(best, s.channels, -std::numeric_limits<Real>::infinity());
    std::fill_n(place, s.channels, static_cast<int>(w.top * s.width + w.left));
    for (Index row = w.top; row < w.bottom; ++row)
      for (Index column = w.left; column < w.right; ++column) {
        const auto pixel = static_cast<int>(row * s.width + column);
        const Real* in = x.data + w.image + pixel * s.channels;
        for (Index c = 0; c < s.channels; ++c) {
          const bool larger = in[c] > best[c] || in[c] != in[c];
          best[c] = larger ? in[c] : best[c];
          place[c] = larger ? pixel : place[c];
        }
      }
  });
}

void max_pool_backward(const PoolShape& s, std::span<const int> where, ConstView dy, View dx) {
  for_windows(s, [&](const Window& w) {
    for (Index c = 0; c < s.channels; ++c) {
      const Index pixel = where[static_cast<std::size_t>(w.output + c)];
      dx[w.image + pixel * s.channels + c] += dy[w.output + c];
    }
  });
}

void avg_pool(const PoolShape& s, ConstView x, View y) {
  for_windows(s, [&](const Window& w) {
    auto mean = array(y.data + w.output, s.channels);
    mean.setZero();
    for (Index row = w.top; row < w.bottom; ++row)
      for (Index column = w.left; column < w.right; ++column)
        mean += array(x.data + w.image + (row * s.width + column) * s.channels, s.channels);
    mean *= Real{1} / static_cast<Real>(w.area());
  });
}

void avg_pool_backward(const PoolShape& s, ConstView dy, View dx) {
  for_windows(s, [&](const Window& w) {
    const Real share = Real{1} / static_cast<Real>(w.area());
    for (Index row = w.top; row < w.bottom; ++row)
      for (Index column = w.left; column < w.right; ++column)
        array(dx.data + w.image + (row * s.width + column) * s.channels, s.channels) +=
            share * array(dy.data + w.output, s.channels);
  });
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
