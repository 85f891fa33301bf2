#include "captioning/search/search_batch.h"

#include <algorithm>
#include <numeric>

#include "core/attention/choosers.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

Index row_size(const Shape& shape) { return shape[0] == 0 ? 0 : shape.size() / shape[0]; }

// Every row `times` times, one after the other.
Tensor repeat_rows(ConstView x, Index times) {
  Tensor out(x.shape.with_first(x.shape[0] * times));
  const Index size = row_size(x.shape);
  for (Index r = 0; r < x.shape[0] * times; ++r)
    std::copy_n(x.data + r / times * size, size, out.data() + r * size);
  return out;
}

}  // namespace

SearchBatch::SearchBatch(const Decoder& decoder, std::span<const ConstView> parameters,
                         ConstView features, const SearchOptions& options,
                         std::uint64_t first_image)
    : decoder_(decoder),
      first_image_(first_image),
      seed_(options.seed),
      first_group_(options.mode == SearchMode::kSample ? options.samples : 1),
      features_(features.shape, features.span()),
      memory_tape_(memory_arena_),
      tape_(arena_),
      images_(static_cast<std::size_t>(features.shape[0])) {
  std::iota(images_.begin(), images_.end(), Index{0});
  for (Tape* tape : {&memory_tape_, &tape_}) {
    tape->set_parameters(parameters);
    tape->set_recording(false);
  }
  set_regime(options);
  set_ablation(options);
  memory_ = decoder_.prepare(memory_tape_, memory_tape_.constant(features_.view()), 1);
  for (const Var& state : decoder_.start(memory_tape_, memory_)) {
    state_.push_back(repeat_rows(state.value(), first_group_));
    state_shapes_.push_back(state_.back().shape());
  }
  spare_state_.resize(state_.size());
}

void SearchBatch::set_regime(const SearchOptions& options) {
  switch (options.regime) {
    case Regime::kExpectation:
      break;
    case Regime::kMarginal:
      likelihood_ = HardLikelihood::kMarginal;
      break;
    case Regime::kArgmax:
      if (options.ablation == Ablation::kUniform) break;
      chooser_ = std::make_unique<ArgmaxChooser>();
      break;
    case Regime::kSample: {
      auto draws = std::make_unique<ImageRegionChooser>(options.seed);
      draws_ = draws.get();
      chooser_ = std::move(draws);
      break;
    }
  }
}

void SearchBatch::set_ablation(const SearchOptions& options) {
  switch (options.ablation) {
    case Ablation::kNone:
      break;
    case Ablation::kUniform:
      edit_ = std::make_unique<UniformWeights>();
      break;
    case Ablation::kShuffled: {
      auto shuffle = std::make_unique<ShuffledWeights>();
      shuffle_ = shuffle.get();
      edit_ = std::move(shuffle);
      break;
    }
  }
}

const StepOutput& SearchBatch::step(std::span<const int> words, Index group) {
  SACCADE_ASSERT(static_cast<Index>(words.size()) == slots() * group, words.size(), " words for ",
                 slots(), " images in groups of ", group);
  std::vector<Var> state;
  for (std::size_t k = 0; k < state_.size(); ++k)
    state.push_back(tape_.constant({state_[k].data(), state_shapes_[k]}));
  AttentionMemory memory = memory_.on(tape_);
  memory.layout.group = group;
  if (draws_) {
    std::vector<std::uint64_t> numbers;
    for (Index slot = 0; slot < slots(); ++slot) numbers.push_back(image_number(slot));
    draws_->set_images(numbers, group);
  }
  if (shuffle_) {
    std::vector<RandomKey> keys;
    for (Index slot = 0; slot < slots(); ++slot)
      keys.push_back(permutation_key(seed_, image_number(slot), word_));
    shuffle_->set_keys(std::move(keys));
  }
  output_ = decoder_.step(
      tape_, words, state, memory,
      {.step = word_, .chooser = chooser_.get(), .edit = edit_.get(), .likelihood = likelihood_});
  return output_;
}

void SearchBatch::move_memory(Index from, Index to) {
  std::vector<Var> parts = memory_.parts;
  parts.push_back(memory_.features);
  if (memory_.layout.mask) parts.push_back(memory_.layout.mask);
  std::vector<int> moved;  // parts may be the features themselves
  for (const Var part : parts) {
    if (std::find(moved.begin(), moved.end(), part.id()) != moved.end()) continue;
    moved.push_back(part.id());
    const View view = memory_tape_.mutable_value(part);
    const Index size = row_size(view.shape);
    std::copy_n(view.data + from * size, size, view.data + to * size);
  }
}

// The last images move into the free slots: one copy an image that leaves, and no copy at all for
// those at the end.
std::vector<Index> SearchBatch::drop(const std::vector<bool>& done) {
  std::vector<Index> before;
  Index last = slots() - 1;
  for (Index slot = 0; slot <= last; ++slot) {
    if (done[static_cast<std::size_t>(slot)]) {
      while (last > slot && done[static_cast<std::size_t>(last)]) --last;
      if (last == slot) break;
      move_memory(last, slot);
      images_[static_cast<std::size_t>(slot)] = images_[static_cast<std::size_t>(last)];
      before.push_back(last--);
    } else {
      before.push_back(slot);
    }
  }
  images_.resize(before.size());
  return before;
}

void SearchBatch::advance(std::span<const Index> parents) {
  const auto rows = static_cast<Index>(parents.size());
  for (std::size_t k = 0; k < state_.size(); ++k) {
    const ConstView from = output_.state[k].value();
    const Index size = row_size(from.shape);
    state_shapes_[k] = from.shape.with_first(rows);
    // Not where it was: a part that a step hands on as it is would be read while it is written.
    Tensor& next = spare_state_[k];
    if (next.size() < rows * size) next = Tensor(state_shapes_[k]);
    for (Index r = 0; r < rows; ++r)
      std::copy_n(from.data + parents[static_cast<std::size_t>(r)] * size, size,
                  next.data() + r * size);
    std::swap(state_[k], next);
  }
  tape_.reset();
  output_ = {};
  ++word_;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
