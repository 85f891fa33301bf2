#include "experiments/benchmarks/attention_bench.h"

#include <algorithm>

#include "core/attention/draws.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The memory as values that take gradients, as those of an encoder in training do.
AttentionMemory as_variables(const AttentionMemory& memory, Tape& tape) {
  AttentionMemory out = memory;
  out.features = tape.variable(memory.features.value());
  for (Var& part : out.parts)
    part = part.id() == memory.features.id() ? out.features : tape.variable(part.value());
  return out;
}

}  // namespace

AttentionBench::AttentionBench(const AttentionConfig& config, const AttentionSizes& sizes,
                               ConstView features)
    : selection_(config.selection),
      sentinel_(config.sentinel),
      sizes_(sizes),
      features_(features),
      query_(normal_numbers({sizes.batch, AttentionSizes::kWidth}, 1)),
      cotangent_(normal_numbers({sizes.batch, AttentionSizes::kWidth}, 2)),
      advantage_(normal_numbers({sizes.batch * AttentionSizes::kWords}, 3)),
      estimator_{.advantage = advantage_.data(), .entropy_weight = Real{1} / 128},
      prepare_tape_(prepare_arena_),
      memory_tape_(memory_arena_),
      tape_(arena_) {
  attention_ = make_attention(config,
                              {.features = AttentionSizes::kWidth,
                               .query = AttentionSizes::kWidth,
                               .sentinel = AttentionSizes::kWidth,
                               .regions = sizes.regions()},
                              ParamScope(store_, "attention"));
  store_.initialise(1);
  weight_gradients_ = std::make_unique<WeightGradients>(store_);
  for (Tape* tape : {&prepare_tape_, &memory_tape_, &tape_}) tape->set_parameters(store_.views());
  prepare_tape_.set_recording(false);
  memory_tape_.set_recording(false);
  memory_ =
      attention_->prepare(memory_tape_, memory_tape_.constant(features_), {.grid = sizes_.grid});
}

void AttentionBench::prepare() {
  prepare_tape_.reset();
  attention_->prepare(prepare_tape_, prepare_tape_.constant(features_), {.grid = sizes_.grid});
}

void AttentionBench::run_glimpses(const AttentionMemory& memory, Var query,
                                  GlimpseObserver* observer) {
  std::vector<Var> state = attention_->start(tape_, memory);
  outputs_.clear();
  for (Index word = 0; word < AttentionSizes::kWords; ++word) {
    AttendContext context{.step = word, .observer = observer};
    if (tape_.training() && draws_regions(selection_))
      context.estimator = {.estimator = &estimator_, .first = word * sizes_.batch};
    if (sentinel_) context.sentinel = query;
    const Glimpse glimpse = attention_->attend(tape_, query, memory, state, context);
    state = glimpse.state;
    outputs_.push_back(glimpse.context);
    if (glimpse.surrogate) outputs_.push_back(glimpse.surrogate);
  }
}

void AttentionBench::attend() {
  tape_.reset();
  tape_.set_recording(false);
  tape_.set_training(false);
  ArgmaxObserver argmax;
  const bool chooses = draws_regions(selection_) || selection_ == "argmax";
  run_glimpses(memory_.on(tape_), tape_.constant(query_.view()), chooses ? &argmax : nullptr);
}

void AttentionBench::train() {
  tape_.reset();
  tape_.set_recording(true);
  tape_.set_training(true);
  tape_.set_random(1, 0, 0);
  ArgmaxObserver argmax;
  TrainingSampler sample({1, Stream::kAttention, 0, 0},
                         {.expectation_share = 0, .captions = sizes_.batch});
  GlimpseObserver* observer = nullptr;
  if (draws_regions(selection_)) observer = &sample;
  if (selection_ == "argmax") observer = &argmax;
  run_glimpses(as_variables(memory_, tape_), tape_.variable(query_.view()), observer);
  const Real one = 1;
  std::vector<ConstView> cotangents;
  for (const Var out : outputs_)
    cotangents.push_back(out.shape().size() == 1 ? ConstView{&one, {1}} : cotangent_.view());
  tape_.backward(outputs_, cotangents);
  weight_gradients_->compute(tape_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
