// Attention between neighbours in a graph of the positions (Velickovic et al. 2018).
#pragma once

#include <variant>

#include "core/attention/sequence/neighbour_lists.h"
#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// A graph that follows the features: every position has the `count` most similar ones as
// neighbours.
struct NearestGraph {
  Index count = 8;
  Likeness likeness = Likeness::kCosine;
};

// head_i = sum_j softmax_j(LeakyReLU_0.2(a' [W x_i, W x_j])) W x_j over the neighbours j of i, with
// the heads side by side (eq. 1-5, without the outer nonlinearity, because the residual block has
// one). Declares weight W [D, D] and the two halves of a, query and key [D]. A mask leaves
// positions of a sample out of the graph.
class GraphAttention : public SequenceAttention {
 public:
  using Graph = std::variant<NeighbourLists, NearestGraph>;
  // Throws UsageError if the heads do not divide the features.
  GraphAttention(const ParamScope& scope, const SequenceWidths& widths, Graph graph);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;
  // A graph that follows the features joins a position to the most similar ones before it; its
  // features and W x are kept. Lists of neighbours cannot be causal.
  std::vector<Index> causal_widths() const override;
  std::vector<Var> kept(Tape& tape, Var x) const override;
  Var attend_causally(Tape& tape, Var x, std::span<const Var> kept) const override;
  ConstView causal_weights(Tape& tape, Var x, std::span<const Var> kept) const override;

 private:
  NeighbourLists earlier(Var x, Index queries) const;
  NeighbourLists lists(Var x, const AttentionMask& mask) const;
  Index features_, heads_;
  Graph graph_;
  int weight_, query_, key_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
