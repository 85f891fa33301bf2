#include "core/attention/sequence/graph_attention.h"

#include "core/ops/graph_attention.h"
#include "core/ops/linear.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

GraphAttention::GraphAttention(const ParamScope& scope, const SequenceWidths& widths, Graph graph)
    : heads_(checked_heads(widths)),
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
