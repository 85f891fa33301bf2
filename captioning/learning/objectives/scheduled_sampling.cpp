#include "captioning/learning/objectives/scheduled_sampling.h"

#include <algorithm>

#include "captioning/model/search/draws.h"
#include "captioning/model/search/word_scores.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::vector<int> scheduled_inputs(std::span<const ConstView> parameters, const Decoder& decoder,
                                  const PackedCaptions& captions, const AttentionMemory& memory,
                                  const AttendContext& context, const SampledInputs& sampling) {
  const SpecialWords special;
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(parameters);
  tape.set_recording(false);
  AttentionMemory seen = memory.on(tape);
  if (context.likelihood == HardLikelihood::kMarginal) decoder.prepare_mixture(tape, seen);
  std::vector<Var> state = decoder.start(tape, seen);
  std::vector<int> inputs = captions.inputs;
  std::size_t first = 0;  // of the inputs of word t - 1
  for (Index t = 1; t < captions.steps(); ++t) {
    const auto before = static_cast<std::size_t>(captions.rows[static_cast<std::size_t>(t - 1)]);
    const Index rows = captions.rows[static_cast<std::size_t>(t)];
    for (Var& part : state) part = ops::first_rows(part, static_cast<Index>(before));
    AttendContext at = context;
    at.step = t - 1;
    const StepOutput step =
        decoder.step(tape, std::span(inputs).subspan(first, before), state, seen, at);
    WordScores scores(tape.mutable_value(step.logits), special);
    for (Index r = 0; r < rows; ++r) {
      Random random(word_draw_key(sampling.seed,
                                  training_number(sampling.update, sampling.first_caption + r), t));
      if (random.uniform() >= sampling.probability) continue;
      scores.forbid(r, special.eos);
      const int word = scores.draw(r, {}, random.uniform());
      if (word >= 0) inputs[first + before + static_cast<std::size_t>(r)] = word;
    }
    state = step.state;
    first += before;
  }
  return inputs;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
