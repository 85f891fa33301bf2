// The attention interface: a query weighs the regions of a memory and gets a context. M memories, R
// queries, L regions.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/attention/hard_likelihood.h"
#include "core/base/grid_size.h"
#include "core/nn/parameter_store.h"
#include "core/ops/attention_ops.h"
#include "core/ops/estimator_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How the L regions of a memory lie in a grid, and which of them count. Behind the cells of the
// grid there may be regions without a place in it, such as the class token of a vision transformer.
struct MemoryLayout {
  GridSize grid{};      // of L - placeless cells, row by row; without cells: one row of them
  Index placeless = 0;  // regions behind the cells
  Index group = 1;      // queries per memory: 1 in training, the beam width in search
  Var mask{};           // [M, L], 0 where no query may attend, else 1; none: no region is masked
};

// What a mechanism keeps of an image. It is made once and read at every word; query row r reads
// memory r / group.
struct AttentionMemory {
  Var features;            // [M, L, D]
  std::vector<Var> parts;  // what the mechanism made of them, [M, ...] each
  MemoryLayout layout;     // grid.cells() + placeless = L
  Var pooled{};            // [M, D], the image as a whole; none: the mean of the unmasked regions
  // What a decoder made of the regions for words that are mixtures over them, [M, L, ...] each;
  // empty unless it was asked to.
  std::vector<Var> projections{};

  // L, the number of regions, masked ones among them.
  Index regions() const { return features.shape()[1]; }
  // The same memory as constants of another tape, for decoding step by step. The first tape must
  // outlive it.
  AttentionMemory on(Tape& tape) const;
};

// The regions that a mechanism makes a memory of: contexts are made of `features`, and scores read
// the `keys` of the same regions.
struct RegionVectors {
  Var features;  // [M, L, D]
  Var keys;      // [M, L, K]; none: the features
  Var pooled;    // [M, D], the image as a whole; none: the mean of the unmasked regions

  // Features f, keys k and the image as a whole p.
  RegionVectors(Var f, Var k = {}, Var p = {})  // NOLINT(google-explicit-constructor)
      : features(f), keys(k), pooled(p) {}
  // What scores read: the keys, or the features where there are none.
  Var scored() const { return keys ? keys : features; }
};

// A memory of the regions that has no parts yet. Throws ShapeError where keys or the layout do not
// fit the features.
AttentionMemory bare_memory(const RegionVectors& regions, const MemoryLayout& layout);

// Weights [rows, L] that are equal for all unmasked regions and 0 for the others. Row r belongs to
// memory r / group.
Var even_weights(Tape& tape, const AttentionMemory& memory, Index rows, Index group);

// The mean of the unmasked regions [M, D]; 0 where all are masked.
Var mean_of_regions(Tape& tape, const AttentionMemory& memory);

// The vector of the image as a whole [M, D]: `pooled`, or the mean of the unmasked regions.
Var pooled_of(Tape& tape, const AttentionMemory& memory);

// A memory whose row r is memory images[r], for sequences that need one memory per row. Gradients
// are summed in the memory that was prepared. Throws ShapeError on an image outside the memory.
AttentionMemory memory_of_rows(const AttentionMemory& memory, std::span<const int> images);

class GlimpseObserver;  // observer.h
struct Glimpse;

// What attention is given besides queries.
struct AttendContext {
  Index step = 0;  // the number of the word; 0 is the first
  // Which of a word's glimpses this is: a decoder of several layers takes one in each layer.
  Index layer = 0;
  Index layers = 1;                     // how many layers attend
  GlimpseObserver* observer = nullptr;  // none: every row takes the expectation
  // The estimator, set while hard attention trains, and where this step's rows start among its
  // rows.
  ops::ReinforceRows estimator{};
  // What the scores are divided by at this update, while it changes; 0 stands for the value that
  // the config ends with.
  double temperature = 0;
  double gumbel_temperature = 0;                        // the same of the selection gumbel_st
  HardLikelihood likelihood = HardLikelihood::kChoice;  // what the words of a decoder condition on
  Var sentinel{};  // [R, S], what the decoder knows without the image

  bool replaces() const;  // whether the observer replaces weights
  bool chooses() const;   // whether it chooses regions
  // Shows a glimpse to the observer, if there is one.
  void see(const Glimpse& glimpse) const;
  // The number of this glimpse among all glimpses of its caption.
  Index glimpse() const { return step * layers + layer; }
  // The number of the draw of one of `heads` heads among all draws of its caption. It is part of
  // the draw's key.
  Index draw(Index head, Index heads) const { return glimpse() * heads + head; }
};

// What an observer chose for one head, for R queries.
struct RegionDraws {
  ConstView weights;            // [R, L] or [R, L + 1], by row as in Odds
  std::span<const int> chosen;  // [R]: a region, L for the last column, -1 for the expectation
};

// One use of attention: what attend() returns for R queries.
struct Glimpse {
  Var context;             // [R, D], gated
  Var weights;             // [R, L], the mean over heads, as Promises describes them
  std::vector<Var> heads;  // [H] of [R, L]; empty for a single head
  // [R] regions; empty if all rows took the expectation. -1 where a row did, where heads took
  // different regions, and where none was taken.
  std::span<const int> chosen;
  std::vector<RegionDraws> draws;  // by head; empty where nothing was chosen
  Var gate;                        // [R, 1] or [R, D]; none without a gate
  Var sentinel;                    // [R, 1], the sentinel's weight; none without a sentinel
  Var surrogate;           // [1], to be added to the loss; none unless an estimator was given
  std::vector<Var> state;  // [R, ...] each, for the next glimpse of the same rows
  // Computes how the word attends to the words before it and to itself, [R, H, 1, t + 1]. Only
  // observers of a decoder that attends to words are given it.
  std::function<ConstView()> words{};
};

// What is true of a mechanism's weights. It is declared, so that tests and readers need not guess.
struct Promises {
  bool nonnegative = true;         // no weight is below 0
  bool sum_to_one = true;          // with the sentinel's weight, where there is one
  bool moves_with_regions = true;  // permuting the regions permutes the weights
  bool depends_on_query = true;    // another query may give other weights
  // A glimpse depends on query and memory alone: not on the number of the word, on earlier glimpses
  // or on draws. The glimpses of all words may then be computed in one call, with one query per
  // row.
  bool stands_alone = true;
};

// A mechanism. It declares its weights in its constructor, keeps their indices, and is constant
// afterwards: many tapes use it at once. What differs from glimpse to glimpse is passed along.
class Attention {
 public:
  virtual ~Attention() = default;
  // What is computed once per image: a memory of the regions, with `parts` that attend() reads.
  // bare_memory() makes one without parts. Throws ShapeError where keys or the layout do not fit
  // the features, or the mechanism cannot do with such regions.
  virtual AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                                  const MemoryLayout& layout) const = 0;
  // The state before the first glimpse, [M, ...] each. It goes from one glimpse to the next. Most
  // mechanisms have none.
  virtual std::vector<Var> start(Tape&, const AttentionMemory&) const { return {}; }
  // One use of the memory by R queries. query is [R, Q] with R <= M * group; state is what start()
  // or the last glimpse gave, one row per query. Throws ShapeError where shapes do not fit, where a
  // row's regions are all masked, where replaced weights are recorded, and where the sentinel that
  // the mechanism attends to is not given.
  virtual Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory,
                         std::span<const Var> state, const AttendContext& context) const = 0;
  // What is true of the weights of attend(). Tests hold a mechanism to it, and a decoder computes
  // the glimpses of all words in one call where they stand alone.
  virtual Promises promises() const { return {}; }
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
