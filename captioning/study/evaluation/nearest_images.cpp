#include "captioning/study/evaluation/nearest_images.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/kernels/gemm.h"
#include "core/kernels/ranking.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kEncodedTogether = 8;  // images that are encoded together
constexpr Index kQueries = 32;         // queries per task
constexpr Index kColumns = 512;        // candidates per product, so that they fit a core's cache

// The mean of the rows of `regions` [L, D] that are unmasked, scaled to length 1. mask [L]; empty:
// none is masked.
void mean_direction(ConstView regions, std::span<const std::uint8_t> mask, std::span<Real> out) {
  std::vector<double> sum(out.size(), 0);
  for (Index l = 0; l < regions.rows(); ++l) {
    if (!mask.empty() && mask[static_cast<std::size_t>(l)] == 0) continue;
    const Real* row = regions.row(l);
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += static_cast<double>(row[d]);
  }
  double square = 0;
  for (const double x : sum) square += x * x;
  const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
  for (std::size_t d = 0; d < sum.size(); ++d) out[d] = static_cast<Real>(sum[d] * scale);
}

}  // namespace

Tensor image_vectors(const CaptionModel& model, const DatasetInputs& inputs,
                     std::span<const Index> images) {
  const bool frozen = model.input_shape().rank() == 2;  // whether inputs are features already
  const Index width = frozen ? model.input_shape()[1] : model.grid().features;
  Tensor out({static_cast<Index>(images.size()), width});
  parallel::for_blocks(out.shape()[0], kEncodedTogether, [&](Index begin, Index end) {
    const InputBatch batch = inputs.batch(
        images.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(model.parameters().views());
    const InputView input = batch.view();
    const std::vector<std::uint8_t> mask = model.mask(input);
    const ConstView features = frozen ? input.values : model.encode(tape, input).features.value();
    const Index regions = features.shape[1];
    const auto size = mask.empty() ? std::size_t{0} : static_cast<std::size_t>(regions);
    for (Index i = begin; i < end; ++i) {
      mean_direction({features.row((i - begin) * regions), {regions, width}},
                     std::span(mask).subspan(static_cast<std::size_t>(i - begin) * size, size),
                     {out.view().row(i), static_cast<std::size_t>(width)});
    }
  });
  return out;
}

std::vector<std::vector<Index>> nearest_rows(ConstView queries, ConstView candidates, Index count) {
  SACCADE_CHECK(queries.cols() == candidates.cols(), "[nearest_rows] rows of queries ",
                queries.shape, " and of candidates ", candidates.shape, " differ in width");
  const Index width = queries.cols(), all = candidates.rows();
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(queries.rows()));
  parallel::for_blocks(queries.rows(), kQueries, [&](Index begin, Index end) {
    Tensor similar({end - begin, all});
    for (Index first = 0; first < all; first += kColumns) {
      kernels::gemm({.trans_b = Trans::kYes,
                     .m = end - begin,
                     .n = std::min(kColumns, all - first),
                     .k = width,
                     .a = queries.row(begin),
                     .lda = width,
                     .b = candidates.row(first),
                     .ldb = width,
                     .c = similar.data() + first,
                     .ldc = all});
    }
    std::vector<kernels::Ranked> best;
    for (Index i = begin; i < end; ++i) {
      const Real* row = similar.view().row(i - begin);
      kernels::top({row, static_cast<std::size_t>(all)}, count, best);
      for (const kernels::Ranked& one : best) out[static_cast<std::size_t>(i)].push_back(one.place);
    }
  });
  return out;
}

}  // namespace saccade
