#include "core/kernels/optimized/winograd.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>

#include "core/kernels/gemm.h"
#include "core/kernels/pointwise.h"
#include "core/parallel/kernel_parts.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized::winograd {

namespace {

// A tile of 4 x 4 sums comes from 6 x 6 pixels; it shares two of the six with each neighbour. Sums
// and pixels are both transformed to 36 points, where a convolution is one product per channel.
constexpr Index kTile = 4, kSide = 6, kPoints = kSide * kSide, kTaps = 3;

// Channels that go through the transforms together.
constexpr Index kLanes = 16;
using Lanes = Eigen::Array<Real, kLanes, 1>;
Lanes load(const Real* from) { return Eigen::Map<const Lanes>(from); }
void store(const Lanes& lanes, Real* to) { Eigen::Map<Lanes>{to} = lanes; }

// The points of the polynomials are 0, +-P, +-Q and infinity. The paper's 1 and 2 lose four times
// as many digits as these, whose powers stay near 1.
constexpr Real kP = 0.75F, kQ = 1.25F, kP2 = kP * kP, kQ2 = kQ * kQ;

constexpr Real kZero = kP2 * kQ2, kOfP = 2 * kP2 * (kP2 - kQ2), kOfQ = 2 * kQ2 * (kQ2 - kP2);

// Each transform on one axis: B', G and A' of the paper, then the transposes of A' and G, through
// which gradients go back.
std::array<Lanes, kSide> of_pixels(const std::array<Lanes, kSide>& d) {
  const Lanes p_even = d[4] - kQ2 * d[2], p_odd = kP * (d[3] - kQ2 * d[1]);
  const Lanes q_even = d[4] - kP2 * d[2], q_odd = kQ * (d[3] - kP2 * d[1]);
  constexpr Real kMiddle = kP2 + kQ2;
  return {kZero * d[0] - kMiddle * d[2] + d[4],
          p_even + p_odd,
          p_even - p_odd,
          q_even + q_odd,
          q_even - q_odd,
          kZero * d[1] - kMiddle * d[3] + d[5]};
}

std::array<Lanes, kSide> of_taps(const std::array<Lanes, kTaps>& g) {
  const Lanes p_even = (g[0] + kP2 * g[2]) / kOfP, p_odd = g[1] * (kP / kOfP);
  const Lanes q_even = (g[0] + kQ2 * g[2]) / kOfQ, q_odd = g[1] * (kQ / kOfQ);
  return {g[0] / kZero, p_even + p_odd, p_even - p_odd, q_even + q_odd, q_even - q_odd, g[2]};
}

std::array<Lanes, kTile> of_points(const std::array<Lanes, kSide>& m) {
  const Lanes p_sum = m[1] + m[2], p_slope = kP * (m[1] - m[2]);
  const Lanes q_sum = m[3] + m[4], q_slope = kQ * (m[3] - m[4]);
  return {m[0] + p_sum + q_sum, p_slope + q_slope, kP2 * p_sum + kQ2 * q_sum,
          kP2 * p_slope + kQ2 * q_slope + m[5]};
}

std::array<Lanes, kSide> of_sums(const std::array<Lanes, kTile>& y) {
  const Lanes p_even = y[0] + kP2 * y[2], p_odd = kP * (y[1] + kP2 * y[3]);
  const Lanes q_even = y[0] + kQ2 * y[2], q_odd = kQ * (y[1] + kQ2 * y[3]);
  return {y[0], p_even + p_odd, p_even - p_odd, q_even + q_odd, q_even - q_odd, y[3]};
}

std::array<Lanes, kTaps> of_products(const std::array<Lanes, kSide>& u) {
  const Lanes p_even = (u[1] + u[2]) / kOfP, p_odd = (u[1] - u[2]) * (kP / kOfP);
  const Lanes q_even = (u[3] + u[4]) / kOfQ, q_odd = (u[3] - u[4]) * (kQ / kOfQ);
  return {u[0] / kZero + p_even + q_even, p_odd + q_odd, kP2 * p_even + kQ2 * q_even + u[5]};
}

// Both axes: out = T in T', where `axis` applies T to a line of N.
template <std::size_t N, class Axis>
auto both_axes(const std::array<std::array<Lanes, N>, N>& in, Axis axis) {
  constexpr std::size_t kOut = std::tuple_size_v<decltype(axis(in[0]))>;
  std::array<std::array<Lanes, kOut>, N> rows;
  for (std::size_t r = 0; r < N; ++r) rows[r] = axis(in[r]);
  std::array<std::array<Lanes, kOut>, kOut> out;
  for (std::size_t c = 0; c < kOut; ++c) {
    std::array<Lanes, N> column;
    for (std::size_t r = 0; r < N; ++r) column[r] = rows[r][c];
    const auto line = axis(column);
    for (std::size_t r = 0; r < kOut; ++r) out[r][c] = line[r];
  }
  return out;
}

// What it costs to transform kLanes channels of a tile, or kLanes of the weights of a tap; it is
// mostly reading and writing (kernel_parts.h).
constexpr Index kTransformCost = Index{1} << 13;

// How the kernel's taps are read: as they lie for the sums, and turned around for the gradient of
// the pixels.
enum class Taps { kStraight, kTurned };

// w [3, 3, in, out] -> u [36, in, out], for the numbers [first, end) of the matrices [in, out].
void transform_weights(const Real* w, Index matrix, Taps taps, Index first, Index end, Real* u) {
  for (Index at = first; at < end; at += kLanes) {
    std::array<std::array<Lanes, kTaps>, kTaps> g;
    for (Index tap = 0; tap < kTaps * kTaps; ++tap) {
      const Index place = taps == Taps::kStraight ? tap : kTaps * kTaps - 1 - tap;
      g[static_cast<std::size_t>(place / kTaps)][static_cast<std::size_t>(place % kTaps)] =
          load(w + tap * matrix + at);
    }
    const auto points = both_axes(g, of_taps);
    for (Index p = 0; p < kPoints; ++p)
      store(points[static_cast<std::size_t>(p / kSide)][static_cast<std::size_t>(p % kSide)],
            u + p * matrix + at);
  }
}

// The way back: dw [3, 3, in, out] += what u [36, in, out] gives.
void add_taps(const Real* u, Index matrix, Real* dw) {
  for (Index at = 0; at < matrix; at += kLanes) {
    std::array<std::array<Lanes, kSide>, kSide> points;
    for (std::size_t p = 0; p < kPoints; ++p)
      points[p / kSide][p % kSide] = load(u + static_cast<Index>(p) * matrix + at);
    const auto taps = both_axes(points, of_products);
    for (std::size_t tap = 0; tap < kTaps * kTaps; ++tap) {
      Real* const to = dw + static_cast<Index>(tap) * matrix + at;
      store(load(to) + taps[tap / kTaps][tap % kTaps], to);
    }
  }
}

// The tiles of a batch, in order: image by image, row by row.
struct Tiles {
  explicit Tiles(const ConvShape& s)
      : height(s.height),
        width(s.width),
        down((s.height + kTile - 1) / kTile),
        across((s.width + kTile - 1) / kTile),
        count(s.batch * down * across) {}
  struct Place {
    Index image, row, column;  // of the tile's first sum
  };
  Place place(Index tile) const {
    const Index in_image = tile % (down * across);
    return {.image = tile / (down * across),
            .row = kTile * (in_image / across),
            .column = kTile * (in_image % across)};
  }
  // The number of a pixel in the batch; -1 outside the image.
  Index pixel(const Place& tile, Index down_by, Index across_by) const {
    const Index row = tile.row + down_by, column = tile.column + across_by;
    if (row < 0 || row >= height || column < 0 || column >= width) return -1;
    return (tile.image * height + row) * width + column;
  }

  Index height, width, down, across, count;
};

// Tiles whose points lie together, and which of them [begin, end) are transformed.
struct Range {
  Index first, count;
  Index begin = 0, end = count;
};

// Calls body(range) for all tiles of a range or, where kernels are cut, for parts of them.
template <class Body>
void for_tiles(const Range& all, Index channels, Body body) {
  parallel::split_kernel(
      {.count = all.count, .cost = channels / kLanes * kTransformCost},
      [&](Index begin, Index end) {
        body({.first = all.first, .count = all.count, .begin = begin, .end = end});
      });
}

// Transforms the N x N pixels of every tile to the 36 points: x [pixels, channels] -> v [36,
// range.count, channels]. The first pixel is `before` rows and columns ahead of the tile.
template <std::size_t N, class Axis>
void transform_tiles(const Tiles& tiles, const Range& range, const Real* x, Index channels,
                     Index before, Axis axis, Real* v) {
  for (Index t = range.begin; t < range.end; ++t) {
    const Tiles::Place place = tiles.place(range.first + t);
    std::array<Index, N * N> pixels;
    for (std::size_t p = 0; p < N * N; ++p)
      pixels[p] = tiles.pixel(place, static_cast<Index>(p / N) - before,
                              static_cast<Index>(p % N) - before);
    for (Index c = 0; c < channels; c += kLanes) {
      std::array<std::array<Lanes, N>, N> d;
      for (std::size_t p = 0; p < N * N; ++p)
        d[p / N][p % N] = pixels[p] < 0 ? Lanes(Lanes::Zero()) : load(x + pixels[p] * channels + c);
      const auto points = both_axes(d, axis);
      for (std::size_t p = 0; p < kPoints; ++p)
        store(points[p / kSide][p % kSide],
              v + (static_cast<Index>(p) * range.count + t) * channels + c);
    }
  }
}

void transform_pixels(const Tiles& tiles, const Range& range, const Real* x, Index channels,
                      Real* v) {
  transform_tiles<kSide>(tiles, range, x, channels, 1, of_pixels, v);
}

// m [36, range.count, channels] -> y [pixels, channels], and applies what follows each sum.
template <Activation f>
void finish(const Tiles& tiles, const Range& range, const Real* m, const ConvEpilogue& epilogue,
            Index channels, Real* y) {
  for (Index t = range.begin; t < range.end; ++t) {
    const Tiles::Place place = tiles.place(range.first + t);
    for (Index c = 0; c < channels; c += kLanes) {
      std::array<std::array<Lanes, kSide>, kSide> points;
      for (std::size_t p = 0; p < kPoints; ++p)
        points[p / kSide][p % kSide] =
            load(m + (static_cast<Index>(p) * range.count + t) * channels + c);
      const auto sums = both_axes(points, of_points);
      for (Index i = 0; i < kTile * kTile; ++i) {
        const Index pixel = tiles.pixel(place, i / kTile, i % kTile);
        if (pixel < 0) continue;
        Lanes sum = sums[static_cast<std::size_t>(i / kTile)][static_cast<std::size_t>(i % kTile)];
        if (epilogue.bias.data) sum += load(epilogue.bias.data + c);
        if (epilogue.skip.data) sum += load(epilogue.skip.data + pixel * channels + c);
        store(sum.unaryExpr([](Real s) { return activated<f>(s); }), y + pixel * channels + c);
      }
    }
  }
}

// What a thread keeps between calls.
struct Buffers {
  Tensor weights, pixels, points;
  static Real* resized(Tensor& tensor, Index count) {
    if (tensor.size() < count) tensor = Tensor({count});
    return tensor.data();
  }
};

Buffers& buffers_of_thread() {
  static parallel::PerThread<Buffers> buffers;
  return buffers.get();
}

// The channels of input and output. w is [9, in, out], or is read as its transpose where turned.
struct Channels {
  Index in, out;
};

// The 36 points of a part, and the weights, fit in the cache.
Index tiles_of_part(const Tiles& tiles, const Channels& channels) {
  constexpr Index kNumbers = Index{1} << 20, kFewest = 64;
  return std::min(tiles.count,
                  std::max(kFewest, kNumbers / (kPoints * (channels.in + channels.out))));
}

void run(const ConvShape& shape, const Channels& channels, const Real* x, const Real* w, Taps taps,
         const ConvEpilogue& epilogue, Real* y) {
  Buffers& buffers = buffers_of_thread();
  const Tiles tiles(shape);
  const Index matrix = channels.in * channels.out, most = tiles_of_part(tiles, channels);
  Real* const u = Buffers::resized(buffers.weights, kPoints * matrix);
  Real* const v = Buffers::resized(buffers.pixels, kPoints * most * channels.in);
  Real* const m = Buffers::resized(buffers.points, kPoints * most * channels.out);
  parallel::split_kernel(
      {.count = matrix, .unit = kLanes, .cost = kTransformCost / kLanes},
      [&](Index begin, Index end) { transform_weights(w, matrix, taps, begin, end, u); });
  const bool turned = taps == Taps::kTurned;
  for (Index first = 0; first < tiles.count; first += most) {
    const Range range{.first = first, .count = std::min(most, tiles.count - first)};
    for_tiles(range, channels.in,
              [&](const Range& part) { transform_pixels(tiles, part, x, channels.in, v); });
    parallel::split_kernel({.count = kPoints, .cost = range.count * matrix},
                           [&](Index begin, Index end) {
                             for (Index p = begin; p < end; ++p)
                               gemm({.trans_b = turned ? Trans::kYes : Trans::kNo,
                                     .m = range.count,
                                     .n = channels.out,
                                     .k = channels.in,
                                     .a = v + p * range.count * channels.in,
                                     .lda = channels.in,
                                     .b = u + p * matrix,
                                     .ldb = turned ? channels.in : channels.out,
                                     .beta = 0,
                                     .c = m + p * range.count * channels.out,
                                     .ldc = channels.out});
                           });
    with_activation(epilogue.activation, [&](auto f) {
      for_tiles(range, channels.out,
                [&](const Range& part) { finish<f>(tiles, part, m, epilogue, channels.out, y); });
    });
  }
}

bool pays_from(Index tiles, const ConvShape& s) {
  constexpr Index kChannels = 32;
  const auto fits = [](Index channels) { return channels >= kChannels && channels % kLanes == 0; };
  return s.kernel_height == kTaps && s.kernel_width == kTaps && s.stride == 1 && s.groups == 1 &&
         s.dilation == 1 && s.padding == Padding(1) && fits(s.in_channels) &&
         fits(s.out_channels) && Tiles(s).count >= tiles;
}

}  // namespace

bool pays(const ConvShape& s) { return pays_from(64, s); }
bool pays_in_parts(const ConvShape& s) { return pays_from(22, s); }

void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue,
            View y) {
  run(shape, {.in = shape.in_channels, .out = shape.out_channels}, x.data, w.data, Taps::kStraight,
      epilogue, y.data);
}

void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx) {
  run(shape, {.in = shape.out_channels, .out = shape.in_channels}, dy.data, w.data, Taps::kTurned,
      {}, dx.data);
}

void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias) {
  Buffers& buffers = buffers_of_thread();
  const Channels channels{.in = shape.in_channels, .out = shape.out_channels};
  const Tiles tiles(shape);
  const Index matrix = channels.in * channels.out, most = tiles_of_part(tiles, channels);
  Real* const u = Buffers::resized(buffers.weights, kPoints * matrix);
  Real* const v = Buffers::resized(buffers.pixels, kPoints * most * channels.in);
  Real* const m = Buffers::resized(buffers.points, kPoints * most * channels.out);
  for (Index first = 0; first < tiles.count; first += most) {
    const Range range{.first = first, .count = std::min(most, tiles.count - first)};
    transform_pixels(tiles, range, x.data, channels.in, v);
    transform_tiles<kTile>(tiles, range, dy.data, channels.out, 0, of_sums, m);
    for (Index p = 0; p < kPoints; ++p)
      gemm({.trans_a = Trans::kYes,
            .m = channels.in,
            .n = channels.out,
            .k = range.count,
            .a = v + p * range.count * channels.in,
            .lda = channels.in,
            .b = m + p * range.count * channels.out,
            .ldb = channels.out,
            .beta = first == 0 ? Real{0} : Real{1},
            .c = u + p * matrix,
            .ldc = channels.out});
  }
  add_taps(u, matrix, dw.data);
  if (dbias.data) sum_rows(dy, dbias);
}

}  // namespace kernels::optimized::winograd
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
