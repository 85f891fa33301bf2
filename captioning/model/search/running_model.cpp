#include "captioning/model/search/running_model.h"

#include <algorithm>
#include <numeric>

#include "captioning/model/search/draws.h"
#include "core/attention/draws.h"
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

void SearchObserver::begin(std::span<const std::uint64_t> images, Index group, Index word) {
  images_.assign(images.begin(), images.end());
  group_ = group;
  word_ = word;
  glimpses.clear();
  SACCADE_CHECK(forced.empty() || forced.size() == images.size() * static_cast<std::size_t>(group),
                "[search] regions of ", forced.size(), " rows for ", images.size(),
                " images in groups of ", group);
}

void SearchObserver::replace(Index memory, std::span<Real> weights) {
  if (ablation_ == Ablation::kShuffled) {
    Random(permutation_key(seed_, images_[static_cast<std::size_t>(memory)], word_))
        .shuffle(weights);
    return;
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::fill(weights.begin(), weights.end(),
            static_cast<Real>(total / static_cast<double>(weights.size())));
}

// Uniform weights have no largest one.
bool SearchObserver::chooses() const {
  return regime_ == Regime::kSample ||
         (regime_ == Regime::kArgmax && ablation_ != Ablation::kUniform);
}

RegionChoice SearchObserver::choose(const Odds& odds) {
  if (!forced.empty())
    if (const std::vector<int>& own = forced[static_cast<std::size_t>(odds.row)]; !own.empty())
      return {.region = own[static_cast<std::size_t>(odds.draw) % own.size()]};
  if (regime_ == Regime::kArgmax) return {.region = likeliest_region(odds)};
  Random random(
      region_draw_key(seed_, images_[static_cast<std::size_t>(odds.row / group_)], odds.draw));
  for (Index before = 0; before < odds.row % group_; ++before) random.uniform();
  return {.region = sample_region(random, odds.weights), .sampled = true};
}

RunningModel::RunningModel(const SearchMember& member, const SearchOptions& options, Index group,
                           std::uint64_t seed)
    : decoder_(*member.decoder),
      observer_(options, seed),
      likelihood_(options.regime == Regime::kMarginal ? HardLikelihood::kMarginal
                                                      : HardLikelihood::kChoice),
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
  const EncodedValues images{features_.view(), mask_.view(), pooled_.view(), keys_.view()};
  memory_ = decoder_.prepare(memory_tape_, images.on(memory_tape_), 1);
  if (likelihood_ == HardLikelihood::kMarginal) decoder_.prepare_mixture(memory_tape_, memory_);
  for (const Var& state : decoder_.start(memory_tape_, memory_)) {
    state_.push_back(repeat_rows(state.value(), group));
    state_shapes_.push_back(state_.back().shape());
  }
  spare_state_.resize(state_.size());
}

void RunningModel::step(std::span<const int> words, std::span<const std::uint64_t> numbers,
                        Index word) {
  std::vector<Var> state;
  for (std::size_t k = 0; k < state_.size(); ++k)
    state.push_back(tape_.constant({state_[k].data(), state_shapes_[k]}));
  AttentionMemory memory = memory_.on(tape_);
  memory.layout.group = static_cast<Index>(words.size() / numbers.size());
  observer_.begin(numbers, memory.layout.group, word);
  output_ = decoder_.step(tape_, words, state, memory,
                          {.step = word, .observer = &observer_, .likelihood = likelihood_});
  layout_ = memory.layout;
  observer_.forced.clear();
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
