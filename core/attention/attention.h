// The attention interface: a query weighs the regions of a memory and gets a context. Mechanisms
// that factor into score, normalizer, selection and gate are one ComposedAttention (composed.h).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/nn/parameter_store.h"
#include "core/ops/attention_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What a mechanism keeps of an image, made once and read at every word. Query row r reads memory
// r / group: group is 1 in training and the beam width in search.
struct AttentionMemory {
  Var features;  // [M, L, D]
  Var keys;      // [M, L, A]; none if the score reads the features themselves or nothing
  Index group = 1;

  // The same memory as constants of another tape, for step-wise decoding. The first tape must live.
  AttentionMemory on(Tape& tape) const;
};

// Decides where hard attention looks: fills chosen[r] with a region, or with -1 for the
// expectation. Injectable, so that a test can enumerate every choice.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // weights [R, L] of word `step` (0 is the first); chosen [R].
  virtual void choose(ConstView weights, Index step, std::span<int> chosen) = 0;
};

// What travels with a sequence besides queries.
struct AttendContext {
  Index step = 0;
  Chooser* chooser = nullptr;                 // none: the expectation in every row
  const ops::Reinforce* estimator = nullptr;  // set while hard attention trains
};

// One look: what attend() returns for R queries.
struct Glimpse {
  Var context;                  // [R, D], gated
  Var weights;                  // [R, L], a distribution over regions in every row
  std::span<const int> chosen;  // [R] regions, -1 where the expectation was taken; empty if all are
  Var gate;                     // [R, 1]; none without a gate
  Var surrogate;                // [1], to be added to the loss; none unless an estimator was given
};

class Attention {
 public:
  virtual ~Attention() = default;
  // features [M, L, D].
  virtual AttentionMemory prepare(Tape& tape, Var features, Index group) const = 0;
  // query [R, Q] with R <= M * group.
  virtual Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory,
                         const AttendContext& context) const = 0;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
