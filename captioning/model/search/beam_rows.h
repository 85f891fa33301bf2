// The steps that all beam searches share: scores of the next words, and the rows of hypotheses that
// go on. Internal to beam.cpp and refilled_beam.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "captioning/model/search/strategies.h"
#include "captioning/model/search/trace.h"
#include "captioning/model/search/word_rules.h"
#include "captioning/model/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class BeamRows {
 public:
  BeamRows(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options)
      : batch_(batch),
        special_(special),
        options_(options),
        captions_(static_cast<std::size_t>(batch.slots())),
        words_(captions_.size(), special.bos) {}
  virtual ~BeamRows() = default;

  // The captions of all images, in the order of the call.
  std::vector<DecodedCaption> run() {
    while (batch_.slots() > 0) step();
    return std::move(captions_);
  }

 protected:
  // The hypotheses of an image that go on; none when the search for the image is over.
  virtual std::vector<Backpointer> extend(WordScores& scores, Index slot) = 0;
  // Writes the caption of an image whose search is over.
  virtual void finish(Index slot) = 0;

  double normalised(double log_prob, Index length) const {
    return log_prob / std::pow(static_cast<double>(length), options_.length_normalization);
  }
  template <class Hypothesis>
  static std::vector<Backpointer> last_of(const std::vector<Hypothesis>& hypotheses) {
    std::vector<Backpointer> out;
    for (const Hypothesis& one : hypotheses) out.push_back(one.last);
    return out;
  }

  SearchBatch& batch_;
  const SpecialWords& special_;
  const SearchOptions& options_;
  std::vector<DecodedCaption> captions_;
  std::vector<int> words_;  // the last word of every row
  Index group_ = 1;         // rows per image; one before the first word
  Trace trace_;

 private:
  void step() {
    trace_.add_step(batch_.step(words_, group_));
    WordScores scores(batch_.logits(), special_, options_.allowed_words);
    if (options_.rules.any())
      for (Index row = 0; row < batch_.slots() * group_; ++row)
        apply_rules(options_.rules, special_, trace_.prefix(batch_.word(), row), row, scores);
    std::vector<std::vector<Backpointer>> next;  // by slot
    std::vector<bool> done;
    for (Index slot = 0; slot < batch_.slots(); ++slot) {
      next.push_back(extend(scores, slot));
      done.push_back(next.back().empty());
      if (done.back()) finish(slot);
    }
    lay_out(next, batch_.drop(done));
  }

  // Lays out the rows of the next step: the slots that remain, in groups as wide as the widest.
  // Narrower groups repeat their first hypothesis; nothing reads the repetition.
  void lay_out(const std::vector<std::vector<Backpointer>>& next, const std::vector<Index>& slots) {
    std::size_t group = 0;
    for (const Index slot : slots)
      group = std::max(group, next[static_cast<std::size_t>(slot)].size());
    std::vector<Backpointer> backpointers;
    std::vector<Index> parents;
    words_.clear();
    for (const Index slot : slots) {
      const std::vector<Backpointer>& going = next[static_cast<std::size_t>(slot)];
      for (std::size_t g = 0; g < group; ++g) {
        backpointers.push_back(going[g < going.size() ? g : 0]);
        parents.push_back(backpointers.back().row);
        words_.push_back(backpointers.back().word);
      }
    }
    trace_.add_words(std::move(backpointers));
    batch_.advance(parents);
    group_ = static_cast<Index>(group);
  }
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
