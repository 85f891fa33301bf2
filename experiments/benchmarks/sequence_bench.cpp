#include "experiments/benchmarks/sequence_bench.h"

#include <algorithm>

#include "core/attention/sequence/refinement.h"
#include "core/nn/conv2d.h"
#include "core/nn/dense.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

using Layer = std::function<Var(Tape&, Var)>;

constexpr Index kWidth = SequenceSizes::kWidth;

Layer attention(ParameterStore& store, const std::string& type, const GridSize& grid) {
  const std::shared_ptr<const SequenceAttention> mechanism =
      make_sequence_attention(ParamScope(store, "attention"),
                              {.type = type,
                               .heads = SequenceSizes::kHeads,
                               .radius = SequenceSizes::kRadius,
                               .projected = SequenceSizes::kProjected},
                              {grid, kWidth}, 0);
  return [mechanism](Tape& tape, Var x) { return (*mechanism)(tape, x, {}); };
}

Layer convolution(ParameterStore& store, const GridSize& grid) {
  const Conv2d layer(ParamScope(store, "convolution"), {.in = kWidth, .out = kWidth});
  return [layer, grid](Tape& tape, Var x) {
    const Var y = layer(tape, ops::reshape(x, {1, grid.rows, grid.cols, kWidth}));
    return ops::reshape(y, {1, grid.cells(), kWidth});
  };
}

// The products with the input wait for nothing and are one product; those with the state are one
// for each position. The first state is zeros.
Layer gru(ParameterStore& store) {
  const ParamScope scope(store, "gru");
  const DenseWidths widths{.in = kWidth, .out = 3 * kWidth};
  const Dense input(scope.sub("input"), widths), hidden(scope.sub("hidden"), widths);
  return [input, hidden](Tape& tape, Var x) {
    const Index length = x.shape()[1];
    const Var inputs = input(tape, ops::reshape(x, {length, kWidth}));
    const View zeros{tape.scratch(kWidth), {1, kWidth}};
    std::fill_n(zeros.data, zeros.size(), Real{0});
    Var state = tape.constant(zeros);
    std::vector<Var> states;
    for (Index t = 0; t < length; ++t)
      states.push_back(
          state = ops::gru_cell(ops::slice_rows(inputs, t, 1), hidden(tape, state), state));
    return ops::reshape(ops::concat_rows(states), {1, length, kWidth});
  };
}

Layer layer_of(ParameterStore& store, const SequenceLayer& layer, const GridSize& grid) {
  if (!layer.plain) return attention(store, layer.name, grid);
  return *layer.plain == PlainLayer::kGru ? gru(store) : convolution(store, grid);
}

}  // namespace

SequenceBench::SequenceBench(const SequenceLayer& layer, const SequenceSizes& sizes)
    : layer_(layer_of(store_, layer, sizes.grid)),
      x_(normal_numbers({1, sizes.grid.cells(), kWidth}, 1)),
      cotangent_(normal_numbers(x_.shape(), 2)),
      tape_(arena_) {
  store_.initialise(1);
  weight_gradients_ = std::make_unique<WeightGradients>(store_);
  tape_.set_parameters(store_.views());
}

ConstView SequenceBench::forward() {
  tape_.reset();
  tape_.set_recording(false);
  return layer_(tape_, tape_.constant(x_.view())).value();
}

void SequenceBench::train() {
  tape_.reset();
  tape_.set_recording(true);
  const Var y = layer_(tape_, tape_.variable(x_.view()));
  const ConstView cotangent = cotangent_.view();
  tape_.backward({&y, 1}, {&cotangent, 1});
  weight_gradients_->compute(tape_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
