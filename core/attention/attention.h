// The attention interface: a query weighs the regions of a memory and gets a context. Mechanisms
// that are a choice on each axis are one ComposedAttention (composed.h); the others are in
// mechanisms/.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/config/choices.h"
#include "core/nn/parameter_store.h"
#include "core/ops/attention_ops.h"
#include "core/ops/estimator_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How the L regions of a memory lie and which of them count.
struct MemoryLayout {
  Index rows = 0, cols = 0;  // of the grid, row by row; 0: one row of L
  Index group = 1;           // queries a memory: 1 in training, the beam width in search
  Var mask{};                // [M, L], 0 where nobody may look, else 1; none: look anywhere
};

// What a mechanism keeps of an image, made once and read at every word. Query row r reads memory
// r / group.
struct AttentionMemory {
  Var features;            // [M, L, D]
  std::vector<Var> parts;  // what the mechanism made of them, [M, ...] each
  MemoryLayout layout;     // rows * cols = L
  Var pooled{};            // [M, D], the image as a whole; none: the mean of regions that count

  Index regions() const { return features.shape()[1]; }
  // The same memory as constants of another tape, for step-wise decoding. The first tape must live.
  AttentionMemory on(Tape& tape) const;
};

// The regions that a mechanism makes a memory of: `features` are what contexts are made of, `keys`
// what scores read of the same regions.
struct RegionVectors {
  Var features;  // [M, L, D]
  Var keys;      // [M, L, K]; none: the features

  RegionVectors(Var f, Var k = {}) : features(f), keys(k) {}  // NOLINT(google-explicit-constructor)
  Var scored() const { return keys ? keys : features; }
};

// The memory of regions with nothing made of them yet. Throws ShapeError where keys or the layout
// do not fit the features.
AttentionMemory bare_memory(const RegionVectors& regions, const MemoryLayout& layout);

// Weights [rows, L], the same for all regions that count and 0 for the others; row r is of memory
// r / group.
Var even_weights(Tape& tape, const AttentionMemory& memory, Index rows, Index group);

// The mean of the regions that count [M, D].
Var mean_of_regions(Tape& tape, const AttentionMemory& memory);

// What stands for the image as a whole [M, D]: `pooled`, or that mean.
Var pooled_of(Tape& tape, const AttentionMemory& memory);

// Memory images[r] as memory r, for sequences that want a memory a row; gradients meet again in the
// one that was prepared.
AttentionMemory memory_of_rows(const AttentionMemory& memory, std::span<const int> images);

// Decides where hard attention looks: fills chosen[r] with a region, or with -1 for the
// expectation. Injectable, so that a test can enumerate every choice.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // weights [R, L] of look `look` (0 is the first; with one look a word, the word); chosen [R].
  virtual void choose(ConstView weights, Index look, std::span<int> chosen) = 0;
  // Of the choices just made, those that were drawn from the weights, and -1 for the others: what
  // an estimator may reinforce.
  virtual std::span<const int> drawn(std::span<const int> chosen) const { return chosen; }
};

class WeightEdit;

// What travels with a sequence besides queries.
struct AttendContext {
  Index step = 0;  // the word
  // Which of a word's looks this is: decoders of several layers look more than once.
  Index layer = 0, layers = 1;
  Chooser* chooser = nullptr;                 // none: the expectation in every row
  const WeightEdit* edit = nullptr;           // replaces the weights: see weight_edit.h
  const ops::Reinforce* estimator = nullptr;  // set while hard attention trains
  Index first_row = 0;                        // of this step among the estimator's rows
  // Of scores and of gumbel_st now, while they change; 0: what the config has in the end.
  double temperature = 0, gumbel_temperature = 0;
  HardLikelihood likelihood = HardLikelihood::kChoice;  // what a decoder's words are given
  Var sentinel{};      // [R, S], what the decoder knows without looking
  bool words = false;  // a step also tells how its word looks at words (StepOutput::words)
  // A second look at the same word: the expectation, whatever the selection draws, and not gated,
  // because how much of the image the word takes was settled by the first.
  bool again = false;

  // The number of this look among all of its caption, for what is drawn at it.
  Index look() const { return step * layers + layer; }
};

// One look: what attend() returns for R queries.
struct Glimpse {
  Var context;                  // [R, D], gated
  Var weights;                  // [R, L], the mean over heads; promises: see Promises
  std::vector<Var> heads;       // [H] of [R, L]; empty for a single head
  std::span<const int> chosen;  // [R] regions, -1 where the expectation was taken; empty if all are
  Var gate;                     // [R, 1] or [R, D]; none without a gate
  Var sentinel;                 // [R, 1], the weight of not looking; none without a sentinel
  Var surrogate;                // [1], to be added to the loss; none unless an estimator was given
  std::vector<Var> state;       // [R, ...] each, for the next look of the same rows
};

// What a mechanism's weights are, declared so that tests and readers need not guess.
struct Promises {
  bool nonnegative = true;
  bool sum_to_one = true;          // with the sentinel's weight, where there is one
  bool moves_with_regions = true;  // permuting the regions permutes the weights
  bool depends_on_query = true;
  // A look depends on query and memory alone: not on the word's number, on looks before it or on
  // draws. The looks of all words may then be one call, a query a row.
  bool stands_alone = true;
};

class Attention {
 public:
  virtual ~Attention() = default;
  virtual AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                                  const MemoryLayout& layout) const = 0;
  // What goes from look to look, before the first: [M, ...] each. Most mechanisms have none.
  virtual std::vector<Var> start(Tape&, const AttentionMemory&) const { return {}; }
  // query [R, Q] with R <= M * group; state as start() or the last glimpse gave it, row by row.
  virtual Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory,
                         std::span<const Var> state, const AttendContext& context) const = 0;
  virtual Promises promises() const { return {}; }
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
