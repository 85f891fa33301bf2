// Greedy search, sampling and given captions: hypotheses that neither part nor meet.
#include <functional>
#include <numeric>

#include "captioning/search/strategies.h"
#include "captioning/search/trace.h"
#include "captioning/search/word_rules.h"
#include "captioning/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Follows the hypotheses an image began with. pick(scores, slot, words) chooses the next word of
// each hypothesis of a slot, -1 where there is none. An image leaves with its last hypothesis;
// those that ended before keep their rows, which nobody reads.
template <class Pick>
std::vector<DecodedCaption> follow(SearchBatch& batch, const SpecialWords& special,
                                   const SearchOptions& options, Pick pick) {
  const Index group = batch.first_group();
  std::vector<DecodedCaption> captions(static_cast<std::size_t>(batch.slots() * group));
  std::vector<bool> over(captions.size(), false);
  std::vector<int> words(captions.size(), special.bos), picked(static_cast<std::size_t>(group));
  Trace trace;
  // Takes the word picked for a row; true if its caption is over.
  const auto say = [&](WordScores& scores, Index row, int word, std::vector<Said>& said) {
    const double log_prob = word < 0 ? 0 : scores.log_prob(row, word);
    said.push_back({row, word < 0 ? special.eos : word, log_prob});
    const auto at = static_cast<std::size_t>(batch.image(row / group) * group + row % group);
    if (over[at]) return true;
    DecodedCaption& caption = captions[at];
    caption.finished = word == special.eos;
    over[at] = caption.finished || word < 0 || batch.word() == options.max_length;
    if (caption.finished || !over[at]) caption.log_prob += log_prob;
    if (!over[at]) return false;
    caption.words = trace.words(batch.word(), row);
    caption.last = trace.look(batch.word(), row);
    caption.last.id = word;
    caption.last.log_prob = log_prob;
    return true;
  };
  while (batch.slots() > 0) {
    trace.see(batch.step(words, group));
    WordScores scores(batch.logits(), special, options.sayable);
    if (options.rules.any())
      for (Index row = 0; row < batch.slots() * group; ++row)
        apply_rules(options.rules, special, trace.said(batch.word(), row), row, scores);
    std::vector<Said> said;
    std::vector<bool> done;
    for (Index slot = 0; slot < batch.slots(); ++slot) {
      pick(scores, slot, picked);
      bool all_over = true;
      for (Index g = 0; g < group; ++g)
        all_over &= say(scores, slot * group + g, picked[static_cast<std::size_t>(g)], said);
      done.push_back(all_over);
    }
    std::vector<Index> rows;
    std::vector<Said> kept;
    words.clear();
    for (const Index slot : batch.drop(done))
      for (Index g = 0; g < group; ++g) {
        rows.push_back(slot * group + g);
        kept.push_back(said[static_cast<std::size_t>(rows.back())]);
        words.push_back(kept.back().word);
      }
    trace.say(std::move(kept));
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
    Random random(word_key(options.seed, batch.image_number(slot), batch.word()));
    Index row = slot * static_cast<Index>(words.size());
    const WordScores::Draw from{
        .temperature = options.temperature, .top_k = options.top_k, .top_p = options.top_p};
    for (int& word : words) word = scores.draw(row++, from, random.uniform());
  });
}

std::vector<DecodedCaption> given_search(SearchBatch& batch, const SpecialWords& special,
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
