#include "core/nn/bidirectional_gru.h"

#include <algorithm>
#include <vector>

#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A state of zeros [rows, width].
Var zeros(Tape& tape, Index rows, Index width) {
  const View out{tape.scratch(rows * width), {rows, width}};
  std::fill_n(out.data, out.size(), Real{0});
  return tape.constant(out);
}

// The states with zeros in the rows that are masked.
Var masked(Tape& tape, Var states, std::span<const std::uint8_t> mask) {
  if (std::find(mask.begin(), mask.end(), 0) == mask.end()) return states;
  const View kept{tape.scratch(states.rows()), {states.rows(), 1}};
  std::copy(mask.begin(), mask.end(), kept.data);
  return ops::scale_rows(states, tape.constant(kept));
}

}  // namespace

BidirectionalGru::BidirectionalGru(const ParamScope& scope, const GruWidths& widths)
    : width_(widths.hidden),
      left_{.input = {scope.sub("left.input"), {.in = widths.in, .out = 3 * widths.hidden}},
            .hidden = {scope.sub("left.hidden"), {.in = widths.hidden, .out = 3 * widths.hidden}}},
      right_{
          .input = {scope.sub("right.input"), {.in = widths.in, .out = 3 * widths.hidden}},
          .hidden = {scope.sub("right.hidden"), {.in = widths.hidden, .out = 3 * widths.hidden}}} {}

Var BidirectionalGru::states(Tape& tape, Var x, std::span<const std::uint8_t> mask,
                             From from) const {
  const Direction& own = from == From::kLeft ? left_ : right_;
  const Index steps = x.shape()[0], samples = x.shape()[1];
  const Var inputs = ops::reshape(own.input(tape, x), {steps * samples, 3 * width_});
  std::vector<Var> all(static_cast<std::size_t>(steps));
  Var state = zeros(tape, samples, width_);
  for (Index k = 0; k < steps; ++k) {
    const Index step = from == From::kLeft ? k : steps - 1 - k;
    state = ops::gru_cell(ops::slice_rows(inputs, step * samples, samples), own.hidden(tape, state),
                          state);
    if (!mask.empty())
      state = masked(tape, state,
                     mask.subspan(static_cast<std::size_t>(step * samples),
                                  static_cast<std::size_t>(samples)));
    all[static_cast<std::size_t>(step)] = state;
  }
  return ops::concat_rows(all);
}

Var BidirectionalGru::operator()(Tape& tape, Var x, std::span<const std::uint8_t> mask) const {
  const Shape shape = x.shape();
  SACCADE_CHECK(shape.rank() == 3 && shape[0] > 0 && shape[1] > 0,
                "[bidirectional_gru] needs steps of samples [T, B, in]; got ", shape);
  SACCADE_CHECK(mask.empty() || static_cast<Index>(mask.size()) == shape[0] * shape[1],
                "[bidirectional_gru] ", mask.size(), " numbers of a mask for ", shape);
  const std::vector<Var> both{states(tape, x, mask, From::kLeft),
                              states(tape, x, mask, From::kRight)};
  return ops::reshape(ops::concat_cols(both), {shape[0], shape[1], 2 * width_});
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
