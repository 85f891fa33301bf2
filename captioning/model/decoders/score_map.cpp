#include "captioning/model/decoders/score_map.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The cells of a grid, some of which may be masked.
struct Cells {
  std::span<const Real> mask;
  GridSize grid;

  bool masked(Index cell) const {
    return !mask.empty() && !(mask[static_cast<std::size_t>(cell)] > 0);
  }
};

// exp(-x^2 / (2 deviation^2))
double bell(double x, double deviation) {
  const double z = x / deviation;
  return std::exp(-z * z / 2);
}

// The mean over every cell's neighbourhood, weighted by a Gaussian that is cut off at three
// deviations. Masked cells contribute nothing.
std::vector<double> smoothed(std::span<const double> scores, const Cells& cells, double deviation) {
  const auto reach = static_cast<Index>(std::ceil(3 * deviation));
  std::vector<double> out(scores.size(), 0);
  for (Index row = 0; row < cells.grid.rows; ++row)
    for (Index col = 0; col < cells.grid.cols; ++col) {
      double sum = 0, weights = 0;
      for (Index r = std::max(Index{0}, row - reach);
           r <= std::min(cells.grid.rows - 1, row + reach); ++r)
        for (Index c = std::max(Index{0}, col - reach);
             c <= std::min(cells.grid.cols - 1, col + reach); ++c) {
          const Index cell = r * cells.grid.cols + c;
          if (cells.masked(cell)) continue;
          const double weight = bell(static_cast<double>(r - row), deviation) *
                                bell(static_cast<double>(c - col), deviation);
          sum += weight * scores[static_cast<std::size_t>(cell)];
          weights += weight;
        }
      if (weights > 0) out[static_cast<std::size_t>(row * cells.grid.cols + col)] = sum / weights;
    }
  return out;
}

// Adds the logarithm of a Gaussian around the middle of the unmasked cells.
void add_centre(std::span<double> logits, const Cells& cells, double share) {
  Index top = cells.grid.rows, left = cells.grid.cols, bottom = -1, right = -1;
  for (Index cell = 0; cell < cells.grid.cells(); ++cell) {
    if (cells.masked(cell)) continue;
    top = std::min(top, cell / cells.grid.cols);
    bottom = std::max(bottom, cell / cells.grid.cols);
    left = std::min(left, cell % cells.grid.cols);
    right = std::max(right, cell % cells.grid.cols);
  }
  const auto distance = [&](Index at, Index first, Index last) {
    const double middle = static_cast<double>(first + last) / 2;
    return (static_cast<double>(at) - middle) / (share * static_cast<double>(last - first + 1));
  };
  for (Index cell = 0; cell < cells.grid.cells(); ++cell) {
    if (cells.masked(cell)) continue;
    const double y = distance(cell / cells.grid.cols, top, bottom);
    const double x = distance(cell % cells.grid.cols, left, right);
    logits[static_cast<std::size_t>(cell)] -= (x * x + y * y) / 2;
  }
}

}  // namespace

void score_map(std::span<const double> scores, std::span<const Real> mask,
               const ScoreMapOptions& options, std::span<Real> out) {
  const Cells cells{.mask = mask, .grid = options.grid};
  if (options.smoothing > 0 || options.centre > 0)
    SACCADE_CHECK(static_cast<Index>(scores.size()) == cells.grid.cells(), "[score map] ",
                  scores.size(), " scores for a grid of ", cells.grid.rows, " x ", cells.grid.cols);
  std::vector<double> logits = options.smoothing > 0
                                   ? smoothed(scores, cells, options.smoothing)
                                   : std::vector<double>(scores.begin(), scores.end());
  for (double& logit : logits) logit *= options.sharpness;
  if (options.centre > 0) add_centre(logits, cells, options.centre);
  double largest = -HUGE_VAL, sum = 0;
  for (std::size_t l = 0; l < logits.size(); ++l)
    if (!cells.masked(static_cast<Index>(l))) largest = std::max(largest, logits[l]);
  for (std::size_t l = 0; l < logits.size(); ++l) {
    logits[l] = cells.masked(static_cast<Index>(l)) ? 0 : std::exp(logits[l] - largest);
    sum += logits[l];
  }
  for (std::size_t l = 0; l < logits.size(); ++l) out[l] = static_cast<Real>(logits[l] / sum);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
