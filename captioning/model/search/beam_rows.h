// What all beam searches share: the steps, the rows of the hypotheses that go on, and the search of
// one image. Internal to the beams of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "captioning/model/search/strategies.h"
#include "captioning/model/search/trace.h"
#include "captioning/model/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class BeamRows;

// The search for the caption of one image.
class ImageBeam {
 public:
  explicit ImageBeam(const BeamRows& rows) : rows_(rows) {}
  virtual ~ImageBeam() = default;
  // The hypotheses that go on from the image's rows, which are those of `slot`; none when the
  // search is over.
  virtual std::vector<Backpointer> extend(WordScores& scores, Index slot) = 0;
  // The caption, when the search is over.
  virtual DecodedCaption caption(Index slot) const = 0;

 protected:
  const SearchOptions& options() const;
  const Trace& trace() const;
  int eos() const;
  Index word() const;                 // the number of the word to be found; 0 is the first
  Index first_row(Index slot) const;  // of the rows of a slot
  Index prompt() const;               // words of the prompt
  bool in_prompt() const { return word() < prompt(); }
  int prompt_word() const { return options().prompt[static_cast<std::size_t>(word())]; }
  // log p / length^length_normalization of so many words, those of the prompt included.
  double normalised(double log_prob, Index length) const {
    return log_prob /
           std::pow(static_cast<double>(length - prompt()), options().length_normalization);
  }
  template <class Hypothesis>
  static std::vector<Backpointer> last_of(const std::vector<Hypothesis>& hypotheses) {
    std::vector<Backpointer> out;
    for (const Hypothesis& one : hypotheses) out.push_back(one.last);
    return out;
  }
  // Keeps one of the best by `score`, in order, behind those that are as good; at most `most`.
  template <class Ended>
  static void keep_best(std::vector<Ended>& kept, Ended one, Index most) {
    const auto after = std::find_if(kept.begin(), kept.end(),
                                    [&](const Ended& other) { return other.score < one.score; });
    kept.insert(after, std::move(one));
    if (std::ssize(kept) > most) kept.pop_back();
  }

 private:
  const BeamRows& rows_;
};

// beam.cpp, refilled_beam.cpp and constrained_beam.cpp.
std::unique_ptr<ImageBeam> shrinking_beam(const BeamRows& rows);
std::unique_ptr<ImageBeam> refilled_beam(const BeamRows& rows);
std::unique_ptr<ImageBeam> constrained_beam(const BeamRows& rows, MustAutomaton automaton);

class BeamRows {
 public:
  BeamRows(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options);
  // The captions of all images, in the order of the call.
  std::vector<DecodedCaption> run();

 private:
  friend class ImageBeam;
  void step();
  void hide_new_words(View logits) const;
  void lay_out(const std::vector<std::vector<Backpointer>>& next, const std::vector<Index>& slots);
  std::size_t image(Index slot) const { return static_cast<std::size_t>(batch_.image(slot)); }

  SearchBatch& batch_;
  const SpecialWords& special_;
  const SearchOptions& options_;
  std::vector<std::unique_ptr<ImageBeam>> beams_;  // by image, as captions_
  std::vector<std::vector<int>> hidden_;           // by image: new words that it may not have
  std::vector<DecodedCaption> captions_;
  std::vector<int> words_;  // the last word of every row
  Index group_ = 1;         // rows per image; one before the first word
  Trace trace_;
};

inline const SearchOptions& ImageBeam::options() const { return rows_.options_; }
inline const Trace& ImageBeam::trace() const { return rows_.trace_; }
inline int ImageBeam::eos() const { return rows_.special_.eos; }
inline Index ImageBeam::word() const { return rows_.batch_.word(); }
inline Index ImageBeam::first_row(Index slot) const { return slot * rows_.group_; }
inline Index ImageBeam::prompt() const { return std::ssize(options().prompt); }

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
