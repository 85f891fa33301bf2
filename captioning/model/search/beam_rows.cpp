#include "captioning/model/search/beam_rows.h"

#include <limits>
#include <set>

#include "captioning/model/search/word_rules.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Of the new words of a call, numbered from 0, those that no constraint has.
std::vector<int> unasked(const MustSay& must, std::span<const LexicalConstraint> constraints,
                         Index known) {
  std::set<int> asked;
  for (const LexicalConstraint& constraint : constraints)
    for (const std::vector<int>& phrase : constraint.phrases)
      for (const int word : phrase) asked.insert(word - static_cast<int>(known));
  std::vector<int> out;
  for (int word = 0; word < std::ssize(must.new_words); ++word)
    if (!asked.contains(word)) out.push_back(word);
  return out;
}

}  // namespace

BeamRows::BeamRows(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options)
    : batch_(batch),
      special_(special),
      options_(options),
      captions_(static_cast<std::size_t>(batch.slots())),
      words_(captions_.size(), special.bos) {
  for (Index image = 0; image < batch.slots(); ++image) {
    std::vector<LexicalConstraint> constraints = options.must.of(image);
    hidden_.push_back(unasked(options.must, constraints, options.must.known_words));
    if (!constraints.empty())
      beams_.push_back(
          constrained_beam(*this, MustAutomaton(std::move(constraints), options.must.begins_word)));
    else
      beams_.push_back(options.beam_end == BeamEnd::kShrink ? shrinking_beam(*this)
                                                            : refilled_beam(*this));
  }
}

std::vector<DecodedCaption> BeamRows::run() {
  while (batch_.slots() > 0) step();
  return std::move(captions_);
}

void BeamRows::step() {
  trace_.add_step(batch_.step(words_, group_));
  if (!options_.must.new_words.empty()) hide_new_words(batch_.logits());
  WordScores scores(batch_.logits(), special_, options_.allowed_words);
  if (options_.rules.any())
    for (Index row = 0; row < batch_.slots() * group_; ++row)
      apply_rules(options_.rules, special_, trace_.prefix(batch_.word(), row), row, scores);
  std::vector<std::vector<Backpointer>> next;  // by slot
  std::vector<bool> done;
  for (Index slot = 0; slot < batch_.slots(); ++slot) {
    ImageBeam& beam = *beams_[image(slot)];
    next.push_back(beam.extend(scores, slot));
    done.push_back(next.back().empty());
    if (done.back()) captions_[image(slot)] = beam.caption(slot);
  }
  lay_out(next, batch_.drop(done));
}

// To an image that does not ask for them, the new words of others are not there: they have no share
// of the distribution. Nor has a new word behind a word after which it never stands.
void BeamRows::hide_new_words(View logits) const {
  const MustSay& must = options_.must;
  constexpr Real kNever = -std::numeric_limits<Real>::infinity();
  for (Index row = 0; row < logits.rows(); ++row) {
    Real* const own = logits.row(row) + must.known_words;
    for (const int word : hidden_[image(row / group_)]) own[word] = kNever;
    for (std::size_t w = 0; w < must.new_words.size(); ++w)
      if (must.new_words[w].not_after == words_[static_cast<std::size_t>(row)]) own[w] = kNever;
  }
}

// Lays out the rows of the next step: the slots that remain, in groups as wide as the widest.
// Narrower groups repeat their first hypothesis; nothing reads the repetition.
void BeamRows::lay_out(const std::vector<std::vector<Backpointer>>& next,
                       const std::vector<Index>& slots) {
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

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
