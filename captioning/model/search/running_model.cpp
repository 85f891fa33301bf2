#include "captioning/model/search/running_model.h"

#include <algorithm>

#include "core/attention/choosers.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

Index row_size(const Shape& shape) { return shape[0] == 0 ? 0 : shape.size() / shape[0]; }

// Repeats every row `times` times, one after the other.
Tensor repeat_rows(ConstView x, Index times) {
  Tensor out(x.shape.with_first(x.shape[0] * times));
  const Index size = row_size(x.shape);
  for (Index r = 0; r < x.shape[0] * times; ++r)
    std::copy_n(x.data + r / times * size, size, out.data() + r * size);
  return out;
}

Tensor copy_of(ConstView x) { return x.data ? Tensor(x.shape, x.span()) : Tensor(); }

}  // namespace

RunningModel::RunningModel(const SearchMember& member, const SearchOptions& options, Index group,
                           std::uint64_t seed)
    : decoder_(*member.decoder),
      seed_(seed),
      recording_(options.recording),
      features_(member.images.features.shape, member.images.features.span()),
      mask_(copy_of(member.images.mask)),
      pooled_(copy_of(member.images.pooled)),
      keys_(copy_of(member.images.keys)),
      memory_tape_(memory_arena_),
      tape_(arena_) {
  for (Tape* tape : {&memory_tape_, &tape_}) {
    tape->set_parameters(member.parameters);
    tape->set_recording(false);
  }
  set_regime(options);
  set_ablation(options);
  const EncodedValues images{features_.view(), mask_.view(), pooled_.view(), keys_.view()};
  memory_ = decoder_.prepare(memory_tape_, images.on(memory_tape_), 1);
  if (likelihood_ == HardLikelihood::kMarginal) decoder_.prepare_mixture(memory_tape_, memory_);
  for (const Var& state : decoder_.start(memory_tape_, memory_)) {
    state_.push_back(repeat_rows(state.value(), group));
    state_shapes_.push_back(state_.back().shape());
  }
  spare_state_.resize(state_.size());
}

void RunningModel::set_regime(const SearchOptions& options) {
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
      auto draws = std::make_unique<ImageRegionChooser>(seed_);
      draws_ = draws.get();
      chooser_ = std::move(draws);
      break;
    }
  }
}

void RunningModel::set_ablation(const SearchOptions& options) {
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

void RunningModel::ForcedRegions::choose(ConstView weights, Index draw, std::span<int> chosen) {
  own_->choose(weights, draw, chosen);
  force(draw, chosen);
}

void RunningModel::ForcedRegions::choose_in_order(ConstView weights, Index draw,
                                                  std::span<int> chosen) {
  own_->choose_in_order(weights, draw, chosen);
  force(draw, chosen);
}

void RunningModel::ForcedRegions::force(Index draw, std::span<int> chosen) const {
  SACCADE_CHECK(regions_.size() == chosen.size(), "[search] regions of ", regions_.size(),
                " rows for ", chosen.size());
  for (std::size_t r = 0; r < chosen.size(); ++r)
    if (const auto count = static_cast<Index>(regions_[r].size()); count > 0)
      chosen[r] = regions_[r][static_cast<std::size_t>(draw % count)];
}

void RunningModel::force_regions(std::span<const std::vector<int>> regions) {
  if (chooser_) forced_.set(*chooser_, regions);
}

void RunningModel::step(std::span<const int> words, std::span<const std::uint64_t> numbers,
                        Index word) {
  std::vector<Var> state;
  for (std::size_t k = 0; k < state_.size(); ++k)
    state.push_back(tape_.constant({state_[k].data(), state_shapes_[k]}));
  AttentionMemory memory = memory_.on(tape_);
  memory.layout.group = static_cast<Index>(words.size() / numbers.size());
  if (draws_) draws_->set_images(numbers, memory.layout.group);
  if (shuffle_) {
    std::vector<RandomKey> keys;
    for (const std::uint64_t number : numbers) keys.push_back(permutation_key(seed_, number, word));
    shuffle_->set_keys(std::move(keys));
  }
  Chooser* chooser = forced_.active() ? &forced_ : chooser_.get();
  output_ = decoder_.step(tape_, words, state, memory,
                          {.step = word,
                           .chooser = chooser,
                           .edit = edit_.get(),
                           .likelihood = likelihood_,
                           .words = recording_.words});
  layout_ = memory.layout;
  forced_.clear();
}

void RunningModel::move_memory(Index from, Index to) {
  std::vector<Var> parts = memory_.parts;
  parts.insert(parts.end(), memory_.projections.begin(), memory_.projections.end());
  parts.push_back(memory_.features);
  if (memory_.layout.mask) parts.push_back(memory_.layout.mask);
  if (memory_.pooled) parts.push_back(memory_.pooled);
  std::vector<int> moved;  // a part may be the features themselves, which move only once
  for (const Var part : parts) {
    if (std::find(moved.begin(), moved.end(), part.id()) != moved.end()) continue;
    moved.push_back(part.id());
    const View view = memory_tape_.mutable_value(part);
    const Index size = row_size(view.shape);
    std::copy_n(view.data + from * size, size, view.data + to * size);
  }
}

void RunningModel::advance(std::span<const Index> parents) {
  const auto rows = static_cast<Index>(parents.size());
  for (std::size_t k = 0; k < state_.size(); ++k) {
    const ConstView from = output_.state[k].value();
    const Index size = row_size(from.shape);
    state_shapes_[k] = from.shape.with_first(rows);
    // The rows go to other storage, because a step may pass on a part unchanged, which would then
    // be read while it is written.
    Tensor& next = spare_state_[k];
    if (next.size() < rows * size) next = Tensor(state_shapes_[k]);
    for (Index r = 0; r < rows; ++r)
      std::copy_n(from.data + parents[static_cast<std::size_t>(r)] * size, size,
                  next.data() + r * size);
    std::swap(state_[k], next);
  }
  tape_.reset();
  output_ = {};
  layout_ = {};
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
