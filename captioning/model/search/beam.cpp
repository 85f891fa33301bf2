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

// For each word, how many hypotheses of earlier groups take it at this step.
using Uses = std::map<int, Index>;

class ShrinkingBeam final : public ImageBeam {
 public:
  explicit ShrinkingBeam(const BeamRows& rows) : ImageBeam(rows) {
    groups_.resize(static_cast<std::size_t>(options().groups),
                   {.places = options().beam / options().groups});
  }

  // The extensions that continue, group by group; none when the search for the image is over.
  // Records the hypotheses that finish.
  std::vector<Backpointer> extend(WordScores& scores, Index slot) override {
    const auto ends = [&](const Extension& e) { return e.last.word == eos(); };
    std::vector<Extension> all;
    std::vector<Group> groups;
    Uses uses;
    double most = -std::numeric_limits<double>::infinity();  // log p of the best that continue
    for (const Group& group : groups_) {
      std::vector<Extension> best = best_extensions(scores, slot, group, uses);
      Group next{.places = group.places, .first = static_cast<Index>(all.size()), .log_probs = {}};
      for (const Extension& e : best) {
        ++uses[e.last.word];
        if (!ends(e)) continue;
        --next.places;
        add_finished(e);
      }
      std::erase_if(best, ends);
      for (const Extension& e : best) {
        next.log_probs.push_back(e.log_prob);
        most = std::max(most, e.log_prob);
      }
      all.insert(all.end(), best.begin(), best.end());
      groups.push_back(std::move(next));
    }
    if (all.empty() || word() == options().max_length) return {};
    const bool enough = static_cast<Index>(finished_.size()) == options().alternatives;
    if (enough && finished_.back().score >= normalised(most, options().max_length + 1)) return {};
    groups_ = std::move(groups);
    return last_of(all);
  }

  DecodedCaption caption(Index slot) const override {
    if (finished_.empty()) return unfinished(slot);
    std::vector<DecodedCaption> all;
    for (const Finished& one : finished_)
      all.push_back({.words = trace().words(one.step, one.row),
                     .finished = true,
                     .log_prob = one.log_prob,
                     .last = {}});
    DecodedCaption caption = std::move(all[0]);
    caption.others.assign(std::make_move_iterator(all.begin() + 1),
                          std::make_move_iterator(all.end()));
    return caption;
  }

 private:
  // Keeps a hypothesis that ended, if it is among the best and no better one has the same words.
  void add_finished(const Extension& e) {
    Finished one{.score = normalised(e.log_prob, word() + 1),
                 .log_prob = e.log_prob,
                 .step = word(),
                 .row = e.last.row};
    if (options().alternatives > 1) {
      one.words = trace().prefix(one.step, one.row);
      const auto twin = std::find_if(finished_.begin(), finished_.end(),
                                     [&](const Finished& f) { return f.words == one.words; });
      if (twin != finished_.end()) {
        if (twin->score >= one.score) return;
        finished_.erase(twin);
      }
    }
    keep_best(finished_, std::move(one), options().alternatives);
  }

  // The best extensions of all hypotheses of a group, as many as the group has places. Equal ones
  // are sorted by hypothesis, then by id.
  std::vector<Extension> best_extensions(WordScores& scores, Index slot, const Group& group,
                                         const Uses& uses) {
    std::vector<Extension> all;
    if (in_prompt()) {
      const Index row = first_row(slot) + group.first;
      const int given = prompt_word();
      if (!group.log_probs.empty())
        all.push_back({{row, given, scores.log_prob(row, given)}, 0, 0});
      return all;
    }
    // Each avoided word may fall behind another word, so there are as many candidates more.
    const Index most = group.places + static_cast<Index>(uses.size());
    for (std::size_t h = 0; h < group.log_probs.size() && group.places > 0; ++h) {
      const Index row = first_row(slot) + group.first + static_cast<Index>(h);
      for (const kernels::Ranked& one : scores.best(row, most)) {
        const double log_prob = scores.log_prob(row, one.place);
        const auto used = uses.find(one.place);
        const double times = used == uses.end() ? 0 : static_cast<double>(used->second);
        all.push_back({{row, one.place, log_prob},
                       group.log_probs[h] + log_prob,
                       group.log_probs[h] + log_prob - options().diversity * times});
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
    for (const Group& group : groups_)
      for (std::size_t h = 0; h < group.log_probs.size(); ++h) {
        if (group.log_probs[h] <= caption.log_prob) continue;
        caption.log_prob = group.log_probs[h];
        caption.words =
            trace().words(word(), first_row(slot) + group.first + static_cast<Index>(h));
      }
    return caption;
  }

  std::vector<Group> groups_;
  std::vector<Finished> finished_;  // the best one first
};

}  // namespace

std::unique_ptr<ImageBeam> shrinking_beam(const BeamRows& rows) {
  return std::make_unique<ShrinkingBeam>(rows);
}

std::vector<DecodedCaption> beam_search(SearchBatch& batch, const SpecialWords& special,
                                        const SearchOptions& options) {
  return BeamRows(batch, special, options).run();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
