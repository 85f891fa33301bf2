#include "core/attention/sequence/graph_attention.h"

#include <algorithm>

#include "core/ops/graph_attention.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

GraphAttention::GraphAttention(const ParamScope& scope, const SequenceWidths& widths, Graph graph)
    : features_(widths.features),
      heads_(checked_heads(widths)),
      graph_(std::move(graph)),
      weight_(scope.declare("weight", {widths.features, widths.features},
                            Init::glorot(widths.features, widths.features))),
      query_(scope.declare("query", {widths.features},
                           Init::glorot(2 * widths.features / widths.heads, 1))),
      key_(scope.declare("key", {widths.features},
                         Init::glorot(2 * widths.features / widths.heads, 1))) {}

NeighbourLists GraphAttention::lists(Var x, const AttentionMask& mask) const {
  refuse_patterns("graph", mask);
  if (const auto* nearest = std::get_if<NearestGraph>(&graph_))
    return nearest_neighbours(x.value(), nearest->count, nearest->likeness, mask);
  const auto& lists = std::get<NeighbourLists>(graph_);
  if (mask.lengths.empty() && mask.allowed.empty()) return lists;
  AttentionMask own = lists.mask();
  own.lengths = mask.lengths, own.allowed = mask.allowed;
  const Shape shape = x.shape();
  return permitted_neighbours(own, {.batch = shape[0], .queries = shape[1], .keys = shape[1]});
}

std::vector<Index> GraphAttention::causal_widths() const {
  if (!std::holds_alternative<NearestGraph>(graph_)) return {};
  return {features_, features_};
}

NeighbourLists GraphAttention::earlier(Var x, Index queries) const {
  const auto& nearest = std::get<NearestGraph>(graph_);
  causal_mask(queries, x.shape()[1]);  // checks the numbers
  return nearest_earlier(x.value(), nearest.count, nearest.likeness, queries);
}

std::vector<Var> GraphAttention::kept(Tape& tape, Var x) const {
  return {x, ops::linear(x, tape.parameter(weight_))};
}

// The positions that no longer attend are joined to themselves alone, and left out of the result.
Var GraphAttention::attend_causally(Tape& tape, Var x, std::span<const Var> kept) const {
  const Shape shape = x.shape();
  const Index positions = kept[0].shape()[1];
  const NeighbourLists graph = earlier(kept[0], shape[1]);
  const Var all = ops::graph_attention(kept[1], tape.parameter(query_), tape.parameter(key_),
                                       heads_, graph.mask());
  if (shape[1] == positions) return all;
  std::vector<int> last;
  for (Index b = 0; b < shape[0]; ++b) last.push_back(static_cast<int>((b + 1) * positions - 1));
  const Var rows = ops::reshape(all, {shape[0] * positions, shape[2]});
  return ops::reshape(ops::embedding(rows, last), shape);
}

ConstView GraphAttention::causal_weights(Tape& tape, Var x, std::span<const Var> kept) const {
  const Index batch = x.shape()[0], queries = x.shape()[1], positions = kept[0].shape()[1];
  const NeighbourLists graph = earlier(kept[0], queries);
  const ConstView all = ops::graph_attention_weights(kept[1], tape.parameter(query_),
                                                     tape.parameter(key_), heads_, graph.mask());
  const Shape shape{batch, heads_, queries, positions};
  const View out{tape.scratch(shape.size()), shape};
  for (Index i = 0; i < batch * heads_; ++i)
    std::copy_n(all.data + (i * positions + positions - queries) * positions, queries * positions,
                out.data + i * queries * positions);
  return out;
}

Var GraphAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  const NeighbourLists graph = lists(x, mask);
  return ops::graph_attention(ops::linear(x, tape.parameter(weight_)), tape.parameter(query_),
                              tape.parameter(key_), heads_, graph.mask());
}

ConstView GraphAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  const NeighbourLists graph = lists(x, mask);
  return ops::graph_attention_weights(ops::linear(x, tape.parameter(weight_)),
                                      tape.parameter(query_), tape.parameter(key_), heads_,
                                      graph.mask());
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
