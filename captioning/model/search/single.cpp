// Greedy search, sampling and forced decoding, whose hypotheses do not branch.
#include <algorithm>
#include <functional>
#include <numeric>

#include "captioning/model/search/draws.h"
#include "captioning/model/search/strategies.h"
#include "captioning/model/search/trace.h"
#include "captioning/model/search/word_rules.h"
#include "captioning/model/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Follows the hypotheses with which each image began. pick(scores, slot, words) chooses the next
// word of each hypothesis of a slot; -1 where there is none. An image leaves with its last
// hypothesis. Hypotheses that ended before keep their rows, which nothing reads.
template <class Pick>
std::vector<DecodedCaption> follow(SearchBatch& batch, const SpecialWords& special,
                                   const SearchOptions& options, Pick pick) {
  const Index group = batch.first_group();
  std::vector<DecodedCaption> captions(static_cast<std::size_t>(batch.slots() * group));
  std::vector<bool> over(captions.size(), false);
  std::vector<int> words(captions.size(), special.bos), picked(static_cast<std::size_t>(group));
  Trace trace;
  // Takes the word that was picked for a row. Returns true if its caption is over.
  const auto take = [&](WordScores& scores, Index row, int word, std::vector<Backpointer>& next) {
    const double log_prob = word < 0 ? 0 : scores.log_prob(row, word);
    next.push_back({row, word < 0 ? special.eos : word, log_prob});
    const auto at = static_cast<std::size_t>(batch.image(row / group) * group + row % group);
    if (over[at]) return true;
    DecodedCaption& caption = captions[at];
    caption.finished = word == special.eos;
    over[at] = caption.finished || word < 0 || batch.word() == options.max_length;
    const bool given = batch.word() < std::ssize(options.prompt);
    if ((caption.finished || !over[at]) && !given) caption.log_prob += log_prob;
    if (!over[at]) return false;
    caption.words = trace.words(batch.word(), row);
    caption.last = trace.attention(batch.word(), row);
    caption.last.id = word;
    caption.last.log_prob = log_prob;
    return true;
  };
  while (batch.slots() > 0) {
    trace.add_step(batch.step(words, group));
    WordScores scores(batch.logits(), special, options.allowed_words);
    if (options.rules.any())
      for (Index row = 0; row < batch.slots() * group; ++row)
        apply_rules(options.rules, special, trace.prefix(batch.word(), row), row, scores);
    std::vector<Backpointer> next;
    std::vector<bool> done;
    for (Index slot = 0; slot < batch.slots(); ++slot) {
      if (batch.word() < std::ssize(options.prompt))
        std::fill(picked.begin(), picked.end(),
                  options.prompt[static_cast<std::size_t>(batch.word())]);
      else
        pick(scores, slot, picked);
      bool all_over = true;
      for (Index g = 0; g < group; ++g)
        all_over &= take(scores, slot * group + g, picked[static_cast<std::size_t>(g)], next);
      done.push_back(all_over);
    }
    std::vector<Index> rows;
    std::vector<Backpointer> kept;
    words.clear();
    for (const Index slot : batch.drop(done))
      for (Index g = 0; g < group; ++g) {
        rows.push_back(slot * group + g);
        kept.push_back(next[static_cast<std::size_t>(rows.back())]);
        words.push_back(kept.back().word);
      }
    trace.add_words(std::move(kept));
    batch.advance(rows);
  }
  return captions;
}

}  // namespace

std::vector<DecodedCaption> greedy_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options) {
  return follow(batch, special, options, [](WordScores& scores, Index slot, std::span<int> words) {
    const std::vector<kernels::Ranked>& best = scores.best(slot, 1);
    words[0] = best.empty() ? -1 : best[0].place;
  });
}

std::vector<DecodedCaption> sample_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options) {
  return follow(batch, special, options, [&](WordScores& scores, Index slot, std::span<int> words) {
    Random random(word_draw_key(options.seed, batch.image_number(slot), batch.word()));
    Index row = slot * static_cast<Index>(words.size());
    const WordScores::Draw from{
        .temperature = options.temperature, .top_k = options.top_k, .top_p = options.top_p};
    for (int& word : words) word = scores.draw(row++, from, random.uniform());
  });
}

std::vector<DecodedCaption> forced_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options,
                                          std::span<const std::vector<int>> captions) {
  return follow(batch, special, options, [&](WordScores&, Index slot, std::span<int> words) {
    auto caption = captions.begin() + batch.image(slot) * static_cast<Index>(words.size());
    const auto at = static_cast<std::size_t>(batch.word());
    for (int& word : words) {
      word = at < caption->size() ? (*caption)[at] : special.eos;
      ++caption;
    }
  });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
