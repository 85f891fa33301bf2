// Greedy search and sampling: one hypothesis an image.
#include <functional>
#include <numeric>

#include "captioning/search/strategies.h"
#include "captioning/search/trace.h"
#include "captioning/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Follows one hypothesis an image; pick(scores, row) is its next word, -1 if there is none.
template <class Pick>
std::vector<DecodedCaption> follow(SearchBatch& batch, const SpecialWords& special,
                                   Index max_length, Pick pick) {
  std::vector<DecodedCaption> captions(static_cast<std::size_t>(batch.slots()));
  std::vector<int> words(captions.size(), special.bos);
  Trace trace;
  while (batch.slots() > 0) {
    trace.see(batch.step(words, 1).glimpse);
    WordScores scores(batch.logits(), special);
    std::vector<Said> said;
    std::vector<bool> done;
    for (Index row = 0; row < batch.slots(); ++row) {
      DecodedCaption& caption = captions[static_cast<std::size_t>(batch.image(row))];
      const int word = pick(scores, row);
      const double log_prob = word < 0 ? 0 : scores.log_prob(row, word);
      caption.finished = word == special.eos;
      done.push_back(caption.finished || word < 0 || batch.word() == max_length);
      if (caption.finished || !done.back()) caption.log_prob += log_prob;
      if (done.back()) caption.words = trace.words(batch.word(), row);
      said.push_back({row, word, log_prob});
    }
    const std::vector<Index> rows = batch.drop(done);
    std::vector<Said> kept;
    words.clear();
    for (const Index row : rows) {
      kept.push_back(said[static_cast<std::size_t>(row)]);
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
  return follow(batch, special, options.max_length, [](WordScores& scores, Index row) {
    const std::vector<kernels::Ranked>& best = scores.best(row, 1);
    return best.empty() ? -1 : best[0].place;
  });
}

std::vector<DecodedCaption> sample_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options) {
  return follow(batch, special, options.max_length, [&](WordScores& scores, Index row) {
    Random random(word_key(options.seed, batch.image_number(row), batch.word()));
    return scores.draw(row, options.temperature, random.uniform());
  });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
