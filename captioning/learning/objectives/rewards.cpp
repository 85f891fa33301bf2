#include "captioning/learning/objectives/rewards.h"

#include <cmath>
#include <utility>

#include "captioning/scoring/metrics/bleu.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kBlock = 64;  // images per task

std::vector<CountedCaption> count_references(const CaptionedImage& image, WordNumbers& numbers,
                                             std::uint32_t end) {
  std::vector<CountedCaption> out;
  for (const std::string& text : image.captions) {
    std::vector<std::uint32_t> words = number_words(tokenize(text), numbers);
    if (words.empty()) continue;
    words.push_back(end);
    out.push_back(count_grams(words));
  }
  if (out.empty())
    throw DataError(image.id + ": has no caption with a word, and captions cannot be rewarded");
  return out;
}

}  // namespace

CaptionRewards::CaptionRewards(const Dataset& dataset, std::span<const Index> images,
                               const Vocabulary& vocabulary, const RewardConfig& weights,
                               OwnReward own_reward)
    : weights_(weights),
      own_reward_(std::move(own_reward)),
      dataset_(&dataset),
      vocabulary_(vocabulary),
      references_(dataset.images.size()) {
  // No token is spelt like the special words, so their numbers match nothing but <eos>.
  for (const std::string& word : vocabulary.words()) numbers_.push_back(known_.number(word));
  std::vector<std::vector<CountedCaption>> counted;
  for (const Index image : images)
    counted.push_back(count_references(dataset.images[static_cast<std::size_t>(image)], known_,
                                       numbers_[Vocabulary::kEos]));
  if (needs_cider()) frequencies_ = DocumentFrequencies::count(counted);
  parallel::for_blocks(static_cast<Index>(images.size()), kBlock, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      References& own = references_[static_cast<std::size_t>(images[i])];
      if (needs_cider())
        for (const CountedCaption& reference : counted[i])
          own.vectors.push_back(cider_vector(reference, frequencies_));
      if (weights_.bleu_4 > 0) own.counted = std::move(counted[i]);
    }
  });
}

std::vector<std::uint32_t> CaptionRewards::numbers_of(std::span<const int> words) const {
  std::vector<std::uint32_t> numbers;
  if (!vocabulary_.has_pieces()) {
    for (const int word : words) numbers.push_back(numbers_[static_cast<std::size_t>(word)]);
    return numbers;
  }
  WordNumbers fresh;  // words that no reference has
  const std::vector<Index> ids(words.begin(), words.end());
  for (const std::string& word : vocabulary_.decode(ids)) {
    const std::uint32_t known = known_.known(word);
    numbers.push_back(known > 0 ? known
                                : static_cast<std::uint32_t>(known_.size()) + fresh.number(word));
  }
  return numbers;
}

double CaptionRewards::score(Index image, std::span<const int> words, Ending ending) const {
  const References& references = references_[static_cast<std::size_t>(image)];
  std::vector<std::uint32_t> numbers = numbers_of(words);
  if (ending == Ending::kEos) numbers.push_back(numbers_[Vocabulary::kEos]);
  const CountedCaption caption = count_grams(numbers);
  CiderScores cider;
  if (needs_cider()) cider = score_cider(cider_vector(caption, frequencies_), references.vectors);
  double sum = 0;
  if (weights_.cider_d > 0) sum += weights_.cider_d * cider.cider_d;
  if (weights_.cider > 0) sum += weights_.cider * cider.cider;
  if (weights_.bleu_4 > 0)
    sum += weights_.bleu_4 * score_bleu(count_bleu(caption, references.counted)).bleu[3];
  return sum;
}

std::vector<double> CaptionRewards::own(std::span<const Index> images,
                                        const std::vector<std::string>& captions) const {
  constexpr const char* kKey = "objective.self_critical.reward.own: the function of the program ";
  std::vector<std::vector<std::string>> references;
  for (const Index image : images)
    references.push_back(dataset_->images[static_cast<std::size_t>(image)].captions);
  std::vector<double> out = own_reward_(captions, references);
  if (out.size() != captions.size())
    throw UsageError(str(kKey, "gives ", counted(static_cast<Index>(out.size()), "reward"), " for ",
                         counted(static_cast<Index>(captions.size()), "caption"),
                         "; give one for each"));
  for (std::size_t c = 0; c < out.size(); ++c) {
    if (!std::isfinite(out[c]))
      throw UsageError(str(kKey, "gives ", out[c], " for '", captions[c],
                           "'; give every caption a finite number"));
    out[c] *= weights_.own;
  }
  return out;
}

}  // namespace saccade
