// Beam search.
#include <algorithm>
#include <cmath>

#include "captioning/search/strategies.h"
#include "captioning/search/trace.h"
#include "captioning/search/word_rules.h"
#include "captioning/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A hypothesis with one more word.
struct Extension {
  Said said;
  double log_prob = 0;  // of all words
};

struct BeamImage {
  Index places = 0;                     // hypotheses that may go on
  std::vector<double> log_probs = {0};  // of the hypotheses that go on, the best first
  // The best hypothesis that said <eos>, after row `row` of step `step`.
  bool finished = false;
  double score = 0, log_prob = 0;
  Index step = 0, row = 0;
};

class BeamSearch {
 public:
  BeamSearch(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options)
      : batch_(batch),
        special_(special),
        options_(options),
        images_(static_cast<std::size_t>(batch.slots()), BeamImage{.places = options.beam}),
        captions_(images_.size()),
        words_(images_.size(), special.bos) {}

  std::vector<DecodedCaption> run() {
    while (batch_.slots() > 0) step();
    return std::move(captions_);
  }

 private:
  BeamImage& image(Index slot) { return images_[static_cast<std::size_t>(batch_.image(slot))]; }

  double normalised(double log_prob, Index length) const {
    return log_prob / std::pow(static_cast<double>(length), options_.length_normalization);
  }

  void step() {
    trace_.see(batch_.step(words_, group_));
    WordScores scores(batch_.logits(), special_);
    if (options_.rules.any())
      for (Index row = 0; row < batch_.slots() * group_; ++row)
        apply_rules(options_.rules, special_, trace_.said(batch_.word(), row), row, scores);
    std::vector<std::vector<Extension>> next;  // by slot
    std::vector<bool> done;
    for (Index slot = 0; slot < batch_.slots(); ++slot) {
      next.push_back(extend(scores, slot));
      done.push_back(next.back().empty());
      if (done.back()) finish(slot);
    }
    lay_out(next, batch_.drop(done));
  }

  // The extensions that go on, the best first; none when the image's search is over. Finished ones
  // are taken note of.
  std::vector<Extension> extend(WordScores& scores, Index slot) {
    BeamImage& state = image(slot);
    std::vector<Extension> best = best_extensions(scores, slot);
    const auto ends = [&](const Extension& e) { return e.said.word == special_.eos; };
    for (const Extension& e : best) {
      if (!ends(e)) continue;
      --state.places;
      const double score = normalised(e.log_prob, batch_.word() + 1);
      if (state.finished && score <= state.score) continue;
      state.finished = true;
      state.score = score;
      state.log_prob = e.log_prob;
      state.step = batch_.word();
      state.row = e.said.row;
    }
    std::erase_if(best, ends);
    if (best.empty() || batch_.word() == options_.max_length) return {};
    const double bound = normalised(best[0].log_prob, options_.max_length + 1);
    if (state.finished && state.score >= bound) return {};
    state.log_probs.clear();
    for (const Extension& e : best) state.log_probs.push_back(e.log_prob);
    return best;
  }

  // As many as the image has places, of all its hypotheses; equal ones by hypothesis, then by id.
  std::vector<Extension> best_extensions(WordScores& scores, Index slot) {
    const BeamImage& state = image(slot);
    std::vector<Extension> all;
    for (std::size_t h = 0; h < state.log_probs.size(); ++h) {
      const Index row = slot * group_ + static_cast<Index>(h);
      for (const kernels::Ranked& word : scores.best(row, state.places)) {
        const double log_prob = scores.log_prob(row, word.place);
        all.push_back({{row, word.place, log_prob}, state.log_probs[h] + log_prob});
      }
    }
    // Stable: a hypothesis's words are in order already.
    std::stable_sort(all.begin(), all.end(), [](const Extension& a, const Extension& b) {
      return a.log_prob > b.log_prob;
    });
    if (static_cast<Index>(all.size()) > state.places)
      all.resize(static_cast<std::size_t>(state.places));
    return all;
  }

  void finish(Index slot) {
    const BeamImage& state = image(slot);
    DecodedCaption& caption = captions_[static_cast<std::size_t>(batch_.image(slot))];
    caption.finished = state.finished;
    if (state.finished) {
      caption.log_prob = state.log_prob;
      caption.words = trace_.words(state.step, state.row);
    } else {
      caption.log_prob = state.log_probs[0];
      caption.words = trace_.words(batch_.word(), slot * group_);
    }
  }

  // The rows of the next step: the slots that remain, in groups as wide as the widest. Narrower
  // ones repeat their first hypothesis, and nobody reads the repetition.
  void lay_out(const std::vector<std::vector<Extension>>& next, const std::vector<Index>& slots) {
    std::size_t group = 0;
    for (const Index slot : slots)
      group = std::max(group, next[static_cast<std::size_t>(slot)].size());
    std::vector<Said> said;
    std::vector<Index> parents;
    words_.clear();
    for (const Index slot : slots) {
      const std::vector<Extension>& hypotheses = next[static_cast<std::size_t>(slot)];
      for (std::size_t g = 0; g < group; ++g) {
        said.push_back(hypotheses[g < hypotheses.size() ? g : 0].said);
        parents.push_back(said.back().row);
        words_.push_back(said.back().word);
      }
    }
    trace_.say(std::move(said));
    batch_.advance(parents);
    group_ = static_cast<Index>(group);
  }

  SearchBatch& batch_;
  const SpecialWords& special_;
  const SearchOptions& options_;
  std::vector<BeamImage> images_;  // in the order of the call
  std::vector<DecodedCaption> captions_;
  std::vector<int> words_;  // the last word of every row
  Index group_ = 1;         // rows an image; one before the first word
  Trace trace_;
};

}  // namespace

std::vector<DecodedCaption> beam_search(SearchBatch& batch, const SpecialWords& special,
                                        const SearchOptions& options) {
  return BeamSearch(batch, special, options).run();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
