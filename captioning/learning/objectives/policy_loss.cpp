#include "captioning/learning/objectives/policy_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/model/search/search.h"
#include "core/base/error.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

DrawnCaption drawn_caption(const DecodedCaption& caption) {
  SACCADE_ASSERT(caption.last.id >= 0, "a caption that ended without a draw");
  DrawnCaption out;
  const auto add = [&](const DecodedWord& word) {
    out.words.push_back(word.id);
    const std::vector<int> cells = chosen_cells(word);
    out.regions.insert(out.regions.end(), cells.begin(), cells.end());
  };
  for (const DecodedWord& word : caption.words) add(word);
  add(caption.last);
  return out;
}

std::vector<double> leave_one_out(std::span<const double> rewards, Index samples) {
  const auto count = static_cast<std::size_t>(samples);
  SACCADE_CHECK(samples >= 2 && rewards.size() % count == 0, "[leave_one_out] ", rewards.size(),
                " rewards of ", samples, " samples per image");
  std::vector<double> out;
  for (std::size_t begin = 0; begin < rewards.size(); begin += count) {
    const std::span<const double> image = rewards.subspan(begin, count);
    const double sum = std::accumulate(image.begin(), image.end(), 0.0);
    for (const double reward : image)
      out.push_back((sum - reward) / static_cast<double>(samples - 1));
  }
  return out;
}

PolicyLoss::PolicyLoss(Tape& tape, const Decoder& decoder, const AttentionMemory& memory,
                       std::span<const DrawnCaption> captions, const Policy& policy)
    : tape_(&tape), order_(captions.size()) {
  const auto images = static_cast<std::size_t>(memory.features.shape()[0]);
  SACCADE_CHECK(!captions.empty() && captions.size() % images == 0, "[policy loss] ",
                captions.size(), " captions of ", images, " images");
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    return captions[a].words.size() > captions[b].words.size();
  });
  const std::size_t samples = captions.size() / images;
  std::vector<std::vector<int>> targets;
  std::vector<int> image_of_row;
  for (const std::size_t c : order_) {
    targets.push_back(captions[c].words);
    replay_.regions.push_back(captions[c].regions);
    image_of_row.push_back(static_cast<int>(c / samples));
  }
  packed_ = pack_targets(targets, SpecialWords{}.bos);
  packed_.temperature = policy.temperature;
  AttendContext context;
  if (!captions[0].regions.empty()) context.observer = &replay_;
  if (draws_regions(policy.selection)) {
    region_weights_.assign(static_cast<std::size_t>(packed_.words()), 0);
    estimator_.advantage = region_weights_.data();
    context.estimator.estimator = &estimator_;
  }
  output_ = decoder.sequence(tape, packed_, memory_of_rows(memory, image_of_row), context);
  read_log_probs();
}

void PolicyLoss::read_log_probs() {
  word_log_probs_.assign(order_.size(), 0);
  region_log_probs_.assign(order_.size(), 0);
  const std::vector<double> nll = caption_sums(packed_, output_.nll.value());
  for (std::size_t r = 0; r < order_.size(); ++r) word_log_probs_[order_[r]] = -nll[r];
  if (region_weights_.empty()) return;
  for (const std::vector<RegionDraws>& word : output_.draws)
    for (const RegionDraws& draw : word)
      for (std::size_t r = 0; r < draw.chosen.size(); ++r) {
        const Real weight = draw.weights.row(static_cast<Index>(r))[draw.chosen[r]];
        if (weight > 0 || !tape_->training())
          region_log_probs_[order_[r]] += std::log(static_cast<double>(weight));
      }
}

void PolicyLoss::backward(std::span<const double> advantages, Index batch_captions) {
  SACCADE_CHECK(advantages.size() == order_.size(), "[policy loss] ", advantages.size(),
                " advantages for ", order_.size(), " captions");
  const auto share = [&](std::size_t row) {
    return static_cast<Real>(advantages[order_[row]] / static_cast<double>(batch_captions));
  };
  std::vector<Real> word_weights;  // of -log p, packed
  for (const Index rows : packed_.rows)
    for (Index r = 0; r < rows; ++r) word_weights.push_back(share(static_cast<std::size_t>(r)));
  for (std::size_t n = 0; n < region_weights_.size(); ++n) region_weights_[n] = -word_weights[n];
  std::vector<Var> terms{ops::dot_constant(output_.nll, word_weights)};
  terms.insert(terms.end(), output_.surrogates.begin(), output_.surrogates.end());
  tape_->backward(ops::sum(terms));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
