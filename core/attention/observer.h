// What is done at glimpses from outside: weights are replaced, regions are chosen, and what came of
// it is seen. Search, training, ablations and tests each have an observer of their own.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What one row of queries takes a region from, for one draw.
struct Odds {
  std::span<const Real> weights;  // [L], or [L + 1]; choice L: no region, or the sentinel
  Index row = 0;                  // of the queries
  Index draw = 0;                 // AttendContext::draw()
  // Regions are offered one after the other, as monotonic attention does. A sample of the weights
  // is a sample of this process, too.
  bool in_order = false;
};

// What a row takes.
struct RegionChoice {
  int region = -1;       // -1: the expectation
  bool sampled = false;  // from the odds: an estimator reinforces only such choices
};

// What is done at every glimpse.
class GlimpseObserver {
 public:
  virtual ~GlimpseObserver() = default;
  // Whether replace() is called. The new weights have no gradient.
  virtual bool replaces() const { return false; }
  // Replaces, in place, the weights [n] of one row over the unmasked regions of memory number
  // `memory`. Their sum stays, so that a model attends elsewhere, and not to more of the image. A
  // scope that remembers the weights of a glimpse goes on with its own ones.
  virtual void replace(Index /*memory*/, std::span<Real> /*weights*/) {}
  // Whether choose() is called; if not, all rows take the expectation.
  virtual bool chooses() const { return false; }
  // Decides what one row takes.
  virtual RegionChoice choose(const Odds&) { return {}; }
  // Is given every glimpse of a word, by layer. Decoders call it.
  virtual void see(const Glimpse&) {}
};

// Keeps every glimpse, until the tape is reset.
class GlimpseRecorder : public GlimpseObserver {
 public:
  void see(const Glimpse& glimpse) override { glimpses.push_back(glimpse); }
  std::vector<Glimpse> glimpses;  // in the order in which they were seen
};

// The weights [R, L], or [R, L + 1] with the sentinel's weight last, which stays, as the observer
// replaces them. Throws ShapeError where it does and the tape records.
Var replaced(Tape& tape, Var weights, const AttentionMemory& memory, const AttendContext& context);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
