#include "core/optim/gradient_step.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The buffer in which a thread computes the gradient of its tile.
Real* tile_scratch() {
  static parallel::PerThread<Tensor> scratch;
  return scratch.get(Shape{kTileNumbers}).data();
}

}  // namespace

GradientStep::GradientStep(ParameterStore& store, Optimizer& optimizer, Clipping clipping,
                           Index groups)
    : store_(&store),
      optimizer_(&optimizer),
      clipping_(clipping),
      tiles_(cut_into_tiles(store)),
      squares_(tiles_.size()),
      jobs_(store, groups, parallel::ranks() ? parallel::ranks()->rank() : 0,
            parallel::ranks() ? parallel::ranks()->count() : 1) {
  if (parallel::Ranks* const ranks = parallel::ranks()) exchange_.emplace(tiles_, *ranks);
}

// Calls body(tile, its sum of squares) in parallel for the tiles of all parameters with a gradient.
template <class Body>
void GradientStep::for_tiles(Body body) {
  parallel::for_each(static_cast<Index>(tiles_.size()), [&](Index i) {
    const Tile& tile = tiles_[static_cast<std::size_t>(i)];
    double& squares = squares_[static_cast<std::size_t>(i)];
    if (jobs_.any(tile.parameter)) {
      body(tile, squares);
    } else {
      squares = 0;
    }
  });
}

// Calls body(range, offset of its gradient in the tile) for every contiguous run of the flat block
// in a tile.
template <class Body>
void GradientStep::for_runs(const Tile& tile, Body body) const {
  const ParameterInfo& info = store_->info(tile.parameter);
  const Index width = info.shape.cols();
  const Index rows_a_run = tile.cols == width ? tile.rows : 1;
  const Index length = rows_a_run * tile.cols;
  for (Index row = 0; row < tile.rows; row += rows_a_run) {
    const Index begin = info.offset + (tile.row + row) * width + tile.col;
    body(
        ParameterRange{
            .begin = begin, .end = begin + length, .decay = info.decay, .rate = info.rate},
        row * tile.cols);
  }
}

StepReport GradientStep::apply(std::span<Tape* const> shards, double lr, Index all_shards) {
  jobs_.collect(shards, all_shards < 0 ? static_cast<Index>(shards.size()) : all_shards);
  if (exchange_) return apply_over_ranks(lr);
  if (clipping_.norm > 0) return apply_with_norm(lr);
  optimizer_->begin_step(lr);
  for_tiles([&](const Tile& tile, double& squares) {
    Real* gradient = tile_scratch();
    jobs_.compute(tile, gradient);
    squares = kernels::sum_of_squares(gradient, tile.rows * tile.cols);
    // This is reported below, for the same tiles with any number of threads.
    if (!std::isfinite(squares)) return;
    for_runs(tile, [&](const ParameterRange& range, Index offset) {
      optimizer_->update(range, clipped(gradient + offset, 1));
    });
  });
  check_finite();
  optimizer_->end_step();
  return {.grad_norm = norm_of(Side::kModel)};
}

StepReport GradientStep::apply_with_norm(double lr) {
  fill_gradient();
  check_finite();
  StepReport report{.grad_norm = norm_of(Side::kModel)};
  report.scale = scale_of(report.grad_norm);
  const double apart = scale_of(norm_of(Side::kApart));
  optimizer_->begin_step(lr);
  for_tiles([&](const Tile& tile, double&) {
    const double scale = side_of(tile) == Side::kApart ? apart : report.scale;
    for_runs(tile, [&](const ParameterRange& range, Index) {
      optimizer_->update(range, clipped(gradient_.data() + range.begin, scale));
    });
  });
  optimizer_->end_step();
  return report;
}

double GradientStep::scale_of(double norm) const {
  return clipping_.norm > 0 && norm > clipping_.norm ? clipping_.norm / norm : 1;
}

StepReport GradientStep::apply_over_ranks(double lr) {
  using Missing = TileExchange::Missing;
  const auto tiles = static_cast<Index>(tiles_.size());
  const auto tile = [&](Index i) -> const Tile& { return tiles_[static_cast<std::size_t>(i)]; };
  exchange_->allocate();
  parallel::for_each(tiles, [&](Index i) {
    if (jobs_.compute_any(tile(i), exchange_->at(i))) return;
    exchange_->leave_out(i, jobs_.any(tile(i).parameter) ? Missing::kTile : Missing::kParameter);
  });
  exchange_->add_up();
  const TileExchange::Range own = exchange_->own();
  parallel::for_each(own.end - own.begin, [&](Index n) {
    const Index i = own.begin + n;
    squares_[static_cast<std::size_t>(i)] =
        exchange_->any(i) ? kernels::sum_of_squares(exchange_->at(i), tile(i).rows * tile(i).cols)
                          : 0;
  });
  exchange_->share(squares_);
  check_finite();
  StepReport report{.grad_norm = norm_of(Side::kModel)};
  report.scale = scale_of(report.grad_norm);
  const double apart = scale_of(norm_of(Side::kApart));
  optimizer_->begin_step(lr);
  parallel::for_each(own.end - own.begin, [&](Index n) {
    const Index i = own.begin + n;
    if (!exchange_->any(i)) return;
    const double scale = side_of(tile(i)) == Side::kApart ? apart : report.scale;
    for_runs(tile(i), [&](const ParameterRange& range, Index offset) {
      optimizer_->update(range, clipped(exchange_->at(i) + offset, scale));
    });
  });
  hand_round(store_->flat().data());
  optimizer_->end_step();
  return report;
}

void GradientStep::copy_tile(const Tile& tile, const Real* flat, Real* to) const {
  for_runs(tile, [&](const ParameterRange& range, Index offset) {
    std::copy(flat + range.begin, flat + range.end, to + offset);
  });
}

void GradientStep::copy_tile_back(const Tile& tile, const Real* from, Real* flat) const {
  for_runs(tile, [&](const ParameterRange& range, Index offset) {
    std::copy_n(from + offset, range.end - range.begin, flat + range.begin);
  });
}

void GradientStep::hand_round(Real* flat) {
  const TileExchange::Range own = exchange_->own();
  const auto for_each_tile = [&](bool of_this_rank, auto body) {
    parallel::for_each(static_cast<Index>(tiles_.size()), [&](Index i) {
      if (own.has(i) == of_this_rank) body(tiles_[static_cast<std::size_t>(i)], exchange_->at(i));
    });
  };
  for_each_tile(true, [&](const Tile& tile, Real* place) { copy_tile(tile, flat, place); });
  exchange_->hand_round();
  for_each_tile(false, [&](const Tile& tile, Real* place) { copy_tile_back(tile, place, flat); });
}

void GradientStep::gather_moments() {
  if (!exchange_) return;
  exchange_->allocate();
  for (Optimizer::Moment& moment : optimizer_->moments()) hand_round(moment.values.data());
}

ConstView GradientStep::gradients(std::span<Tape* const> shards) {
  jobs_.collect(shards, static_cast<Index>(shards.size()));
  if (!gradient_.empty()) std::fill_n(gradient_.data(), gradient_.size(), Real{0});
  fill_gradient();
  return gradient_.view();
}

void GradientStep::fill_gradient() {
  if (gradient_.empty()) gradient_ = Tensor(Shape{store_->flat_size()});
  for_tiles([&](const Tile& tile, double& squares) {
    Real* gradient = tile_scratch();
    jobs_.compute(tile, gradient);
    squares = kernels::sum_of_squares(gradient, tile.rows * tile.cols);
    for_runs(tile, [&](const ParameterRange& range, Index offset) {
      std::copy_n(gradient + offset, range.end - range.begin, gradient_.data() + range.begin);
    });
  });
}

void GradientStep::check_finite() const {
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    if (std::isfinite(squares_[i])) continue;
    throw DivergedError(str("the gradient of ", store_->info(tiles_[i].parameter).name, " ",
                            store_->info(tiles_[i].parameter).shape,
                            " is not finite; lower optimizer.lr or set optimizer.clip_norm"));
  }
}

GradientStep::Side GradientStep::side_of(const Tile& tile) const {
  return store_->info(tile.parameter).apart ? Side::kApart : Side::kModel;
}

double GradientStep::norm_of(Side side) const {
  double sum = 0;
  for (std::size_t i = 0; i < tiles_.size(); ++i)
    if (side_of(tiles_[i]) == side) sum += squares_[i];
  return std::sqrt(sum);
}

kernels::ClippedGradient GradientStep::clipped(const Real* data, double scale) const {
  kernels::ClippedGradient gradient{.data = data, .scale = static_cast<Real>(scale)};
  if (clipping_.value > 0) gradient.limit = static_cast<Real>(clipping_.value);
  return gradient;
}

std::size_t GradientStep::held_bytes() const {
  return jobs_.packed_bytes() + static_cast<std::size_t>(gradient_.size()) * sizeof(Real) +
         (exchange_ ? exchange_->held_bytes() : 0);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
