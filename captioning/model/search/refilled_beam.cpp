// Beam search in which a hypothesis that ends is replaced.
#include <algorithm>

#include "captioning/model/search/beam_rows.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A hypothesis and its next word.
struct Candidate {
  Backpointer last;
  double log_prob = 0;  // of all words behind the prompt
};

// A hypothesis that ended with the word that row `last.row` of step `step` got.
struct Ended {
  double score = 0, log_prob = 0;
  Index step = 0;
  Backpointer last;
};

class RefilledBeam final : public ImageBeam {
 public:
  explicit RefilledBeam(const BeamRows& rows) : ImageBeam(rows) {}

  std::vector<Backpointer> extend(WordScores& scores, Index slot) override {
    std::vector<Candidate> going;
    if (in_prompt()) {
      const Index row = first_row(slot);
      const int given = prompt_word();
      going.push_back({{row, given, scores.log_prob(row, given)}, 0});
    } else {
      const std::vector<Candidate> best = candidates(scores, slot);
      for (std::size_t c = 0; c < best.size(); ++c) {
        const bool ends = best[c].last.word == eos() || word() + 1 >= options().max_length;
        if (ends && static_cast<Index>(c) < options().beam) add_ended(best[c]);
        if (!ends && std::ssize(going) < options().beam) going.push_back(best[c]);
      }
      if (going.empty() || is_done(going[0].log_prob)) return {};
    }
    log_probs_.clear();
    for (const Candidate& one : going) log_probs_.push_back(one.log_prob);
    return last_of(going);
  }

  DecodedCaption caption(Index slot) const override {
    if (ended_.empty()) {  // no word was allowed
      DecodedCaption out;
      out.words = trace().words(word(), first_row(slot));
      out.log_prob = log_probs_.empty() ? 0 : log_probs_[0];
      return out;
    }
    DecodedCaption out = caption_of(ended_[0]);
    for (Index k = 1; k < std::min(options().alternatives, std::ssize(ended_)); ++k)
      out.others.push_back(caption_of(ended_[static_cast<std::size_t>(k)]));
    return out;
  }

 private:
  // The best 2 beam extensions of an image; equal ones by hypothesis, then by id.
  std::vector<Candidate> candidates(WordScores& scores, Index slot) {
    std::vector<Candidate> all;
    const Index most = 2 * options().beam;
    for (std::size_t h = 0; h < log_probs_.size(); ++h) {
      const Index row = first_row(slot) + static_cast<Index>(h);
      for (const kernels::Ranked& one : scores.best(row, most)) {
        const double log_prob = scores.log_prob(row, one.place);
        all.push_back({{row, one.place, log_prob}, log_probs_[h] + log_prob});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      return a.log_prob > b.log_prob;
    });
    if (std::ssize(all) > most) all.resize(static_cast<std::size_t>(most));
    return all;
  }

  void add_ended(const Candidate& one) {
    if (options().beam_end == BeamEnd::kRefillFull && std::ssize(ended_) == options().beam) return;
    keep_best(ended_,
              {.score = normalised(one.log_prob, word() + 1),
               .log_prob = one.log_prob,
               .step = word(),
               .last = one.last},
              options().beam);
  }

  bool is_done(double best) const {
    if (std::ssize(ended_) < options().beam) return false;
    if (options().beam_end == BeamEnd::kRefillFull) return true;
    const bool longest =
        options().beam_end == BeamEnd::kRefillNever && options().length_normalization > 0;
    return normalised(best, longest ? options().max_length : word() + 1) <= ended_.back().score;
  }

  DecodedCaption caption_of(const Ended& one) const {
    DecodedCaption caption;
    caption.finished = one.last.word == eos();
    caption.log_prob = one.log_prob;
    caption.words = trace().words(one.step, one.last.row);
    if (!caption.finished) {
      DecodedWord& word = caption.words.emplace_back(trace().attention(one.step, one.last.row));
      word.id = one.last.word;
      word.log_prob = one.last.log_prob;
    }
    return caption;
  }

  std::vector<double> log_probs_ = {0};  // of the hypotheses that go on
  std::vector<Ended> ended_;             // the best one first
};

}  // namespace

std::unique_ptr<ImageBeam> refilled_beam(const BeamRows& rows) {
  return std::make_unique<RefilledBeam>(rows);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
