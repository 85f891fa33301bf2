// Beam search.
#include <algorithm>
#include <limits>
#include <map>

#include "captioning/model/search/beam_rows.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A hypothesis, extended by one word.
struct Extension {
  Backpointer last;
  double log_prob = 0;  // of all words
  double rank = 0;      // what it competes with now: below log_prob where words are avoided
};

// A hypothesis that ended with <eos> after row `row` of step `step`.
struct Finished {
  double score = 0, log_prob = 0;
  Index step = 0, row = 0;
  std::vector<int> words{};  // distinguish hypotheses, if several are kept
};

// Hypotheses that compete with each other.
struct Group {
  Index places = 0;                     // hypotheses that may continue
  Index first = 0;                      // the row of the first one, among the image's rows
  std::vector<double> log_probs = {0};  // of those that continue
};

struct BeamImage {
  std::vector<Group> groups;
  std::vector<Finished> finished;  // the best one first
};

// For each word, how many hypotheses of earlier groups take it at this step.
using Uses = std::map<int, Index>;

class BeamSearch final : public BeamRows {
 public:
  BeamSearch(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options)
      : BeamRows(batch, special, options), images_(captions_.size(), fresh_image(options)) {}

 private:
  static BeamImage fresh_image(const SearchOptions& options) {
    const Group group{.places = options.beam / options.groups};
    return {.groups = std::vector<Group>(static_cast<std::size_t>(options.groups), group),
            .finished = {}};
  }
  BeamImage& image(Index slot) { return images_[static_cast<std::size_t>(batch_.image(slot))]; }

  // The extensions that continue, group by group; none when the search for the image is over.
  // Records the hypotheses that finish.
  std::vector<Backpointer> extend(WordScores& scores, Index slot) override {
    BeamImage& state = image(slot);
    const auto ends = [&](const Extension& e) { return e.last.word == special_.eos; };
    std::vector<Extension> all;
    std::vector<Group> groups;
    Uses uses;
    double most = -std::numeric_limits<double>::infinity();  // log p of the best that continue
    for (const Group& group : state.groups) {
      std::vector<Extension> best = best_extensions(scores, slot, group, uses);
      Group next{.places = group.places, .first = static_cast<Index>(all.size()), .log_probs = {}};
      for (const Extension& e : best) {
        ++uses[e.last.word];
        if (!ends(e)) continue;
        --next.places;
        add_finished(state, e);
      }
      std::erase_if(best, ends);
      for (const Extension& e : best) {
        next.log_probs.push_back(e.log_prob);
        most = std::max(most, e.log_prob);
      }
      all.insert(all.end(), best.begin(), best.end());
      groups.push_back(std::move(next));
    }
    if (all.empty() || batch_.word() == options_.max_length) return {};
    const bool enough = static_cast<Index>(state.finished.size()) == options_.alternatives;
    if (enough && state.finished.back().score >=
                      normalised(most, options_.max_length + 1 - std::ssize(options_.prompt)))
      return {};
    state.groups = std::move(groups);
    return last_of(all);
  }

  // Keeps a hypothesis that ended, if it is among the best and no better one has the same words.
  void add_finished(BeamImage& state, const Extension& e) {
    Finished one{.score = normalised(e.log_prob, batch_.word() + 1 - std::ssize(options_.prompt)),
                 .log_prob = e.log_prob,
                 .step = batch_.word(),
                 .row = e.last.row};
    std::vector<Finished>& kept = state.finished;
    if (options_.alternatives > 1) {
      one.words = trace_.prefix(one.step, one.row);
      const auto twin = std::find_if(kept.begin(), kept.end(),
                                     [&](const Finished& f) { return f.words == one.words; });
      if (twin != kept.end()) {
        if (twin->score >= one.score) return;
        kept.erase(twin);
      }
    }
    const auto after = std::find_if(kept.begin(), kept.end(),
                                    [&](const Finished& f) { return f.score < one.score; });
    kept.insert(after, std::move(one));
    if (static_cast<Index>(kept.size()) > options_.alternatives) kept.pop_back();
  }

  // The best extensions of all hypotheses of a group, as many as the group has places. Equal ones
  // are sorted by hypothesis, then by id.
  std::vector<Extension> best_extensions(WordScores& scores, Index slot, const Group& group,
                                         const Uses& uses) {
    std::vector<Extension> all;
    if (batch_.word() < std::ssize(options_.prompt)) {
      const Index row = slot * group_ + group.first;
      const int word = options_.prompt[static_cast<std::size_t>(batch_.word())];
      if (!group.log_probs.empty()) all.push_back({{row, word, scores.log_prob(row, word)}, 0, 0});
      return all;
    }
    // Each avoided word may fall behind another word, so there are as many candidates more.
    const Index most = group.places + static_cast<Index>(uses.size());
    for (std::size_t h = 0; h < group.log_probs.size() && group.places > 0; ++h) {
      const Index row = slot * group_ + group.first + static_cast<Index>(h);
      for (const kernels::Ranked& word : scores.best(row, most)) {
        const double log_prob = scores.log_prob(row, word.place);
        const auto used = uses.find(word.place);
        const double times = used == uses.end() ? 0 : static_cast<double>(used->second);
        all.push_back({{row, word.place, log_prob},
                       group.log_probs[h] + log_prob,
                       group.log_probs[h] + log_prob - options_.diversity * times});
      }
    }
    // The sort is stable, because the words of a hypothesis are in order already.
    std::stable_sort(all.begin(), all.end(),
                     [](const Extension& a, const Extension& b) { return a.rank > b.rank; });
    if (static_cast<Index>(all.size()) > group.places)
      all.resize(static_cast<std::size_t>(group.places));
    return all;
  }

  // The best hypothesis of an image for which none has ended.
  DecodedCaption unfinished(Index slot) const {
    DecodedCaption caption;
    caption.log_prob = -std::numeric_limits<double>::infinity();
    for (const Group& group : images_[static_cast<std::size_t>(batch_.image(slot))].groups)
      for (std::size_t h = 0; h < group.log_probs.size(); ++h) {
        if (group.log_probs[h] <= caption.log_prob) continue;
        caption.log_prob = group.log_probs[h];
        caption.words =
            trace_.words(batch_.word(), slot * group_ + group.first + static_cast<Index>(h));
      }
    return caption;
  }

  void finish(Index slot) override {
    DecodedCaption& caption = captions_[static_cast<std::size_t>(batch_.image(slot))];
    const std::vector<Finished>& finished = image(slot).finished;
    if (finished.empty()) caption = unfinished(slot);
    for (std::size_t k = 0; k < finished.size(); ++k) {
      DecodedCaption one;
      one.finished = true;
      one.log_prob = finished[k].log_prob;
      one.words = trace_.words(finished[k].step, finished[k].row);
      if (k == 0) {
        caption = std::move(one);
      } else {
        caption.others.push_back(std::move(one));
      }
    }
  }

  std::vector<BeamImage> images_;  // in the order of the call
};

}  // namespace

std::vector<DecodedCaption> beam_search(SearchBatch& batch, const SpecialWords& special,
                                        const SearchOptions& options) {
  if (options.beam_end != BeamEnd::kShrink) return refilled_beam_search(batch, special, options);
  return BeamSearch(batch, special, options).run();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
