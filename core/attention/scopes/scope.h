// The scope axis: which regions a glimpse may attend to. A scope is one file and one row in
// axes.cpp.
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

// The few regions that queries may see, where that is a small part of all: the others then need
// neither scores nor a place in a sum.
struct NearRegions {
  Index count = 0;           // W of each list; 0: all regions are scored
  std::vector<int> regions;  // [W] for all queries, or [R, W]
  // [R, W], 0 where a region of the list cannot be seen, else 1; empty: all can. Only where every
  // query has a list of its own.
  std::vector<std::uint8_t> seen{};
  Var centre{};       // of local_p: [R, 2], in cells from the first cell of each list, ...
  GridSize window{};  // which is a rectangle of these extents

  bool empty() const { return count == 0; }
  bool shared() const { return static_cast<Index>(regions.size()) == count; }
};

class Scope {
 public:
  virtual ~Scope() = default;
  // The state before the first glimpse, [M, ...] each; most scopes have none.
  virtual std::vector<Var> start(Tape&, const AttentionMemory&) const { return {}; }
  virtual Weighed weigh(Tape& tape, const AttentionMemory& memory,
                        const ScopeRequest& request) const = 0;
  // The regions that the queries [R, Q] may see, where scoring them alone is cheaper. Empty where
  // it is not, and where a query would see nothing but masked regions.
  virtual NearRegions near_regions(Tape&, const AttentionMemory&, Var /*query*/,
                                   Index /*step*/) const {
    return {};
  }
  // weigh() for scores [R, W] or [R, W + 1] of these regions. The memory is one of them: its parts
  // are not set. The result has the columns of the scores.
  virtual Weighed weigh_near(Tape& tape, const AttentionMemory& memory, const NearRegions& near,
                             const ScopeRequest& request) const;
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

// The regions that pass a test, at most `most` at any word, as near regions for `rows` queries.
NearRegions near_window(const AttentionMemory& memory, Index rows, const RegionTest& test,
                        Index most);

// Whether lists of `most` regions at most are so short that only they are scored. It depends on
// sizes alone, so that the same model always computes in the same way.
bool few_regions(const AttentionMemory& memory, Index most);

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
