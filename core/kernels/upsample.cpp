#include "core/kernels/upsample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

// Where a row or column of the fine grid lies between two of those of the coarse grid that are
// read.
struct Place {
  Index low, high;
  Real share;  // of `high`
};

// Of the rows or columns of the coarse grid, [begin, end) are read.
std::vector<Place> places(Index coarse, Index fine, Index begin, Index end) {
  std::vector<Place> out;
  for (Index i = 0; i < fine; ++i) {
    const double middle =
        (static_cast<double>(i) + 0.5) * static_cast<double>(coarse) / static_cast<double>(fine) -
        0.5;
    const double at = std::clamp(middle, static_cast<double>(begin), static_cast<double>(end - 1));
    const auto low = static_cast<Index>(at);
    out.push_back({.low = low,
                   .high = std::min(low + 1, end - 1),
                   .share = static_cast<Real>(at - static_cast<double>(low))});
  }
  return out;
}

// Calls body(coarse pixel, fine pixel, share) for the four neighbours of every pixel of the fine
// grid.
template <class Body>
void for_neighbours(const Shape& coarse, const Shape& fine, std::span<const CellBlock> read,
                    Body body) {
  SACCADE_ASSERT(
      coarse.rank() == 4 && fine.rank() == 4 && coarse[0] == fine[0] && coarse[3] == fine[3],
      "upsample ", coarse, " -> ", fine);
  std::vector<Place> rows, cols;
  Index to = 0;
  for (Index b = 0; b < fine[0]; ++b) {
    if (b == 0 || !read.empty()) {
      const CellBlock block = read.empty() ? CellBlock{.bottom = coarse[1], .right = coarse[2]}
                                           : read[static_cast<std::size_t>(b)];
      rows = places(coarse[1], fine[1], block.top, block.bottom);
      cols = places(coarse[2], fine[2], block.left, block.right);
    }
    for (const Place& row : rows)
      for (const Place& col : cols) {
        const auto pixel = [&](Index r, Index c) { return (b * coarse[1] + r) * coarse[2] + c; };
        body(pixel(row.low, col.low), to, (1 - row.share) * (1 - col.share));
        body(pixel(row.low, col.high), to, (1 - row.share) * col.share);
        body(pixel(row.high, col.low), to, row.share * (1 - col.share));
        body(pixel(row.high, col.high), to, row.share * col.share);
        ++to;
      }
  }
}

}  // namespace

void upsample(ConstView x, View y, std::span<const CellBlock> read) {
  std::fill_n(y.data, y.size(), Real{0});
  const Index channels = x.shape[3];
  for_neighbours(x.shape, y.shape, read, [&](Index from, Index to, Real share) {
    if (share == 0) return;
    const Real* in = x.data + from * channels;
    Real* out = y.data + to * channels;
    for (Index c = 0; c < channels; ++c) out[c] += share * in[c];
  });
}

void upsample_backward(ConstView dy, View dx, std::span<const CellBlock> read) {
  const Index channels = dx.shape[3];
  for_neighbours(dx.shape, dy.shape, read, [&](Index to, Index from, Real share) {
    if (share == 0) return;
    const Real* in = dy.data + from * channels;
    Real* out = dx.data + to * channels;
    for (Index c = 0; c < channels; ++c) out[c] += share * in[c];
  });
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
