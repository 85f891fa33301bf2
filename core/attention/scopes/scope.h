// The scope axis: which regions a glimpse may attend to. A scope is one file and one line in
// scopes.def.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/attention/normalizer.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What a scope turns into weights: the scores of one head at one glimpse.
struct ScopeRequest {
  Var scores;  // [R, L], or [R, L + 1] with the sentinel's score last
  Var query;   // [R, Q]
  std::span<const Var> state;
  Index step = 0;  // the number of the word; 0 is the first
  const Normalizer& normalizer;
};

struct Weighed {
  Var weights;             // of the shape of the scores
  Var scores;              // what was normalised, where the weights sum to 1; else none
  std::vector<Var> state;  // for the next glimpse; a hard choice may replace it (chosen_state)
};

// Normalises scores that are -infinity at the masked regions.
inline Weighed normalised(const ScopeRequest& request, Var masked) {
  return {.weights = request.normalizer(masked), .scores = masked, .state = {}};
}

class Scope {
 public:
  virtual ~Scope() = default;
  // The state before the first glimpse, [M, ...] each; most scopes have none.
  virtual std::vector<Var> start(Tape&, const AttentionMemory&) const { return {}; }
  virtual Weighed weigh(Tape& tape, const AttentionMemory& memory,
                        const ScopeRequest& request) const = 0;
  // Whether a hard choice may pass all regions: the probability that it does is what the weights of
  // a row lack to 1.
  virtual bool may_take_none() const { return false; }
  // The state after the rows took the regions `chosen` (-1: the expectation, L: none) instead of
  // `weighed.weights`.
  virtual std::vector<Var> chosen_state(Tape&, const Weighed& weighed,
                                        std::span<const int> /*chosen*/) const {
    return weighed.state;
  }
  virtual Promises promises() const { return {}; }
};

// Which regions may be attended to. The answer is the same for every query.
using RegionTest = std::function<bool(Index region)>;

// The scores [R, L] or [R, L + 1], with -infinity at the regions that the memory's mask or `test`
// (none: all regions pass) leaves out. The test does not apply to a query that it would leave
// without a region. The sentinel's column stays.
Var mask_regions(Tape& tape, const AttentionMemory& memory, Var scores, const RegionTest& test);

// The square window of `radius` cells around region floor(pace step) of the memory's grid.
RegionTest moving_window(const AttentionMemory& memory, Index step, double pace, Index radius);

// What scopes are made from.
struct ScopeOptions {
  Index query = 0;   // Q
  Index hidden = 0;  // width of local_p's predictor of the centre
  Index radius = 2;  // cells
  double pace = 1;   // cells per word
  Index globals = 1;
  double noise = 1;  // for monotonic, in training
};
using ScopeFactory = std::unique_ptr<Scope> (*)(const ParamScope&, const ScopeOptions&);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
