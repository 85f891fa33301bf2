#include "core/kernels/pool.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "core/kernels/internal/eigen_maps.h"
#include "core/parallel/kernel_parts.h"

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

// The output rows of all images in order: those of image b are b out_height() and following.
struct Rows {
  Index begin, end;
};
Rows all_rows(const PoolShape& s) { return {0, s.batch * s.out_height()}; }

template <class Body>
void for_windows(const PoolShape& s, const Rows& rows, Body body) {
  Index output = rows.begin * s.out_width() * s.channels;
  for (Index at = rows.begin; at < rows.end; ++at) {
    const Index b = at / s.out_height(), row = at % s.out_height() * s.stride - s.padding;
    for (Index j = 0; j < s.out_width(); ++j, output += s.channels) {
      const Index column = j * s.stride - s.padding;
      body(Window{.image = b * s.height * s.width * s.channels,
                  .output = output,
                  .top = std::max(Index{0}, row),
                  .bottom = std::min(s.height, row + s.kernel),
                  .left = std::max(Index{0}, column),
                  .right = std::min(s.width, column + s.kernel)});
    }
  }
}

// Calls body(rows) for all rows or, where kernels are cut, for parts of them.
template <class Body>
void for_rows(const PoolShape& s, Body body) {
  const Index cost = s.out_width() * s.channels * s.kernel * s.kernel * parallel::kPlainCost / 4;
  parallel::split_kernel({.count = all_rows(s).end, .cost = cost}, [&](Index begin, Index end) {
    body(Rows{begin, end});
  });
}

}  // namespace

void max_pool(const PoolShape& s, ConstView x, View y, std::span<int> where) {
  for_rows(s, [&](const Rows& rows) {
    for_windows(s, rows, [&](const Window& w) {
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
  });
}

void max_pool_backward(const PoolShape& s, std::span<const int> where, ConstView dy, View dx) {
  for_windows(s, all_rows(s), [&](const Window& w) {
    for (Index c = 0; c < s.channels; ++c) {
      const Index pixel = where[static_cast<std::size_t>(w.output + c)];
      dx[w.image + pixel * s.channels + c] += dy[w.output + c];
    }
  });
}

void avg_pool(const PoolShape& s, ConstView x, View y) {
  for_rows(s, [&](const Rows& rows) {
    for_windows(s, rows, [&](const Window& w) {
      auto mean = array(y.data + w.output, s.channels);
      mean.setZero();
      for (Index row = w.top; row < w.bottom; ++row)
        for (Index column = w.left; column < w.right; ++column)
          mean += array(x.data + w.image + (row * s.width + column) * s.channels, s.channels);
      mean *= Real{1} / static_cast<Real>(w.area());
    });
  });
}

void avg_pool_backward(const PoolShape& s, ConstView dy, View dx) {
  for_windows(s, all_rows(s), [&](const Window& w) {
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
