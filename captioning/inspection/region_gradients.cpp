#include "captioning/inspection/region_gradients.h"

#include <algorithm>

#include "core/attention/composed.h"
#include "core/ops/sequence_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The gradients of variables of one shape, one after the other; zeros where none arrived.
Tensor gradients_of(Tape& tape, std::span<const Var> variables) {
  const Shape one = variables[0].shape();
  const Index size = one.size();
  Tensor out({static_cast<Index>(variables.size()), one[1], one[2]});
  for (std::size_t t = 0; t < variables.size(); ++t)
    if (tape.has_grad(variables[t]))
      std::copy_n(tape.grad(variables[t]).data, size, out.data() + static_cast<Index>(t) * size);
  return out;
}

}  // namespace

RegionGradients region_gradients(const Decoder& decoder, std::span<const ConstView> parameters,
                                 const EncodedValues& images, const PackedCaptions& caption) {
  const ConstView features = images.features;
  SACCADE_CHECK(caption.captions() == 1 && features.shape.rank() == 3 && features.shape[0] == 1,
                "[region gradients] one caption and its features [1, L, D]; got ",
                caption.captions(), " and ", features.shape);
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(parameters);
  const Index words = caption.words(), regions = features.shape[1];
  const EncodedImages seen = images.on(tape);
  std::vector<Var> state = decoder.start(tape, decoder.prepare(tape, seen, 1));
  std::vector<Var> keys, values, costs;
  RegionGradients out{.weights = Tensor({words, regions}), .direct = {}, .score = {}};
  for (Index t = 0; t < words; ++t) {
    const auto word = static_cast<std::size_t>(t);
    keys.push_back(tape.variable(seen.keys ? images.keys : features));
    values.push_back(tape.variable(features));
    const EncodedImages scored = seen.keys
                                     ? EncodedImages(seen.features, seen.mask, {}, keys.back())
                                     : EncodedImages(keys.back(), seen.mask);
    const AttentionMemory memory =
        keys_and_values(decoder.prepare(tape, scored, 1),
                        decoder.prepare(tape, {values.back(), seen.mask, {}, seen.keys}, 1));
    StepOutput step =
        decoder.step(tape, std::span(caption.inputs).subspan(word, 1), state, memory, {.step = t});
    costs.push_back(ops::cross_entropy(step.logits, std::span(caption.targets).subspan(word, 1)));
    std::copy_n(step.glimpse.weights.value().data, regions, out.weights.view().row(t));
    state = std::move(step.state);
  }
  const Real one = 1;
  tape.backward(costs, std::vector<ConstView>(costs.size(), ConstView(&one, {1})));
  out.direct = gradients_of(tape, values);
  out.score = gradients_of(tape, keys);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
