// Beam search with a beam for each state of an automaton.
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "captioning/model/search/beam_rows.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

using State = MustAutomaton::State;

// A hypothesis in a beam: it goes on with the word of `last`, or ended with it after step `step`.
struct Follower {
  Backpointer last;
  double log_prob = 0;  // of all words behind the prompt
  Index step = 0;
  bool ended = false;
};

// A caption that ended, or that was cut at the greatest length.
struct Stopped {
  double score = 0, log_prob = 0;
  Index step = 0, row = 0;
  std::uint32_t met = 0;
  bool finished = false;
};

// The hypotheses of a state that go on, whose rows follow each other.
struct StateBeam {
  Index first = 0;
  std::vector<double> log_probs = {0};
};

class ConstrainedBeam final : public ImageBeam {
 public:
  ConstrainedBeam(const BeamRows& rows, MustAutomaton automaton)
      : ImageBeam(rows), automaton_(std::move(automaton)) {
    beams_[{}] = {};
  }

  std::vector<Backpointer> extend(WordScores& scores, Index slot) override {
    std::map<State, std::vector<Follower>> next;
    if (!resting_.empty()) next[last_state()] = std::exchange(resting_, {});
    for (const auto& [state, beam] : beams_)
      for (std::size_t h = 0; h < beam.log_probs.size(); ++h)
        extend_one(scores, state, beam.log_probs[h],
                   first_row(slot) + beam.first + static_cast<Index>(h), next);
    std::vector<Backpointer> going;
    std::map<State, StateBeam> beams;
    double most = -std::numeric_limits<double>::infinity();
    for (auto& [state, followers] : next) {
      StateBeam beam{.first = std::ssize(going), .log_probs = {}};
      for (const Follower& one : best_of(followers)) {
        if (one.ended) continue;
        going.push_back(one.last);
        beam.log_probs.push_back(one.log_prob);
        most = std::max(most, one.log_prob);
      }
      if (!beam.log_probs.empty()) beams[state] = std::move(beam);
    }
    if (going.empty() || word() == options().max_length) return {};
    const bool enough = std::ssize(finished_) == options().alternatives;
    if (enough && finished_.back().score >= normalised(most, options().max_length + 1)) return {};
    beams_ = std::move(beams);
    return going;
  }

  DecodedCaption caption(Index slot) const override {
    if (finished_.empty()) return caption_of(best_short(slot));
    DecodedCaption out = caption_of(finished_[0]);
    for (std::size_t k = 1; k < finished_.size(); ++k)
      out.others.push_back(caption_of(finished_[k]));
    return out;
  }

 private:
  State last_state() const { return {.met = automaton_.all_met(), .node = 0}; }
  bool is_known(int id) const {
    return options().must.new_words.empty() || id < options().must.known_words;
  }

  // Adds the extensions of a hypothesis by one word to the beams that they lead to.
  void extend_one(WordScores& scores, State state, double log_prob, Index row,
                  std::map<State, std::vector<Follower>>& next) {
    const auto add = [&](int id) {
      const double own = scores.log_prob(row, id);
      next[automaton_.next(state, id)].push_back(
          {.last = {row, id, own}, .log_prob = log_prob + own, .step = word()});
    };
    if (in_prompt()) {
      const int given = prompt_word();
      next[automaton_.next(state, given)].push_back(
          {.last = {row, given, scores.log_prob(row, given)}, .step = word()});
      return;
    }
    const std::vector<int> leading = automaton_.leading(state);
    const auto leads = [&](int id) {
      return std::binary_search(leading.begin(), leading.end(), id);
    };
    // Of the words that lead to the same state, `beam` suffice.
    std::map<State, Index> taken;
    const Index most = automaton_.others_agree(state) ? options().beam + std::ssize(leading) + 1 +
                                                            std::ssize(options().must.new_words)
                                                      : std::numeric_limits<Index>::max();
    for (const kernels::Ranked& one : scores.best(row, most)) {
      if (one.place == eos()) {
        end(scores, state, log_prob, row, next);
      } else if (!leads(one.place) && is_known(one.place) &&
                 taken[automaton_.next(state, one.place)]++ < options().beam) {
        add(one.place);
      }
    }
    for (const int id : leading)
      if (scores.log_prob(row, id) > -std::numeric_limits<double>::infinity()) add(id);
  }

  // A hypothesis that meets all constraints ends among its like; another one is kept for the case
  // that none ever does.
  void end(WordScores& scores, State state, double log_prob, Index row,
           std::map<State, std::vector<Follower>>& next) {
    const double own = scores.log_prob(row, eos());
    const std::uint32_t met = automaton_.met_at_end(state);
    if (met == automaton_.all_met())
      next[last_state()].push_back(
          {.last = {row, eos(), own}, .log_prob = log_prob + own, .step = word(), .ended = true});
    else
      take_short(
          {.log_prob = log_prob + own, .step = word(), .row = row, .met = met, .finished = true});
  }

  // The best of a state, at most `beam`: the places of hypotheses that ended are theirs until
  // better ones come. Equal ones are sorted by hypothesis, then by id.
  std::vector<Follower>& best_of(std::vector<Follower>& followers) {
    // None goes on from the greatest length, so that none has a place there that an end could have.
    if (word() == options().max_length)
      std::erase_if(followers, [](const Follower& one) { return !one.ended; });
    std::stable_sort(followers.begin(), followers.end(),
                     [](const Follower& a, const Follower& b) { return a.log_prob > b.log_prob; });
    if (std::ssize(followers) > options().beam)
      followers.resize(static_cast<std::size_t>(options().beam));
    for (const Follower& one : followers) {
      if (!one.ended) continue;
      resting_.push_back(one);
      if (one.step == word()) take_finished(one);
    }
    return followers;
  }

  void take_finished(const Follower& one) {
    keep_best(finished_,
              Stopped{.score = normalised(one.log_prob, word() + 1),
                      .log_prob = one.log_prob,
                      .step = one.step,
                      .row = one.last.row,
                      .met = automaton_.all_met(),
                      .finished = true},
              options().alternatives);
  }

  static bool is_better_short(const Stopped& a, const Stopped& b) {
    const auto rank = [](const Stopped& s) {
      return std::tuple(std::popcount(s.met), s.finished, s.log_prob);
    };
    return rank(a) > rank(b);
  }
  void take_short(const Stopped& one) {
    if (!short_ || is_better_short(one, *short_)) short_ = one;
  }

  // The best caption where none meets all constraints, or none that does has ended.
  Stopped best_short(Index slot) const {
    std::optional<Stopped> best = short_;
    for (const auto& [state, beam] : beams_)
      for (std::size_t h = 0; h < beam.log_probs.size(); ++h) {
        const Stopped one{.log_prob = beam.log_probs[h],
                          .step = word(),
                          .row = first_row(slot) + beam.first + static_cast<Index>(h),
                          .met = automaton_.met_at_end(state)};
        if (!best || is_better_short(one, *best)) best = one;
      }
    return *best;
  }

  DecodedCaption caption_of(const Stopped& one) const {
    DecodedCaption out;
    out.words = trace().words(one.step, one.row);
    out.finished = one.finished;
    out.log_prob = one.log_prob;
    for (std::size_t c = 0; c < automaton_.constraints().size(); ++c)
      if ((one.met >> c & 1) == 0) out.unmet.push_back(automaton_.constraints()[c].text);
    return out;
  }

  MustAutomaton automaton_;
  std::map<State, StateBeam> beams_;
  std::vector<Follower> resting_;   // those that ended and have places in the last state
  std::vector<Stopped> finished_;   // the best one first
  std::optional<Stopped> short_{};  // the best that ended without meeting all constraints
};

}  // namespace

std::unique_ptr<ImageBeam> constrained_beam(const BeamRows& rows, MustAutomaton automaton) {
  return std::make_unique<ConstrainedBeam>(rows, std::move(automaton));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
