#include "core/attention/sequence/graph_attention.h"

#include "core/ops/graph_attention.h"
#include "core/ops/linear.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The graph's lists, with what the mask leaves out.
AttentionMask joined(const NeighbourLists& lists, const AttentionMask& mask) {
  refuse_patterns("graph", mask);
  AttentionMask own = lists.mask();
  own.lengths = mask.lengths, own.allowed = mask.allowed;
  return own;
}

}  // namespace

GraphAttention::GraphAttention(const ParamScope& scope, const SequenceWidths& widths, Graph graph)
    : heads_(checked_heads(widths)),
      graph_(std::move(graph)),
      weight_(scope.declare("weight", {widths.features, widths.features},
                            Init::glorot(widths.features, widths.features))),
      query_(scope.declare("query", {widths.features},
                           Init::glorot(2 * widths.features / widths.heads, 1))),
      key_(scope.declare("key", {widths.features},
                         Init::glorot(2 * widths.features / widths.heads, 1))) {}

NeighbourLists GraphAttention::lists(Var x) const {
  if (const auto* nearest = std::get_if<NearestGraph>(&graph_))
    return nearest_neighbours(x.value(), nearest->count, nearest->likeness);
  return std::get<NeighbourLists>(graph_);
}

Var GraphAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  const NeighbourLists graph = lists(x);
  return ops::graph_attention(ops::linear(x, tape.parameter(weight_)), tape.parameter(query_),
                              tape.parameter(key_), heads_, joined(graph, mask));
}

ConstView GraphAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  const NeighbourLists graph = lists(x);
  return ops::graph_attention_weights(ops::linear(x, tape.parameter(weight_)),
                                      tape.parameter(query_), tape.parameter(key_), heads_,
                                      joined(graph, mask));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
