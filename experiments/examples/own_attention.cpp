// A plugin with a score of its own, tanh(W a)' tanh(V h), which configs name `mine.tanh`.
#include <saccade/core/attention/plugin.h>
#include <saccade/core/ops/linear.h>
#include <saccade/core/ops/pointwise.h>

using namespace saccade;
struct TanhScore : Score {
  TanhScore(const ParamScope& scope, const AttentionWidths& w)
      : region(scope.declare("region", {w.features, w.hidden}, Init::glorot(w.features, w.hidden))),
        state(scope.declare("state", {w.query, w.hidden}, Init::glorot(w.query, w.hidden))) {}
  Var keys(Tape& tape, Var features) const override {
    return ops::tanh(ops::linear(features, tape.parameter(region)));
  }
  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    return ops::dot_score(keys, ops::tanh(ops::linear(query, tape.parameter(state))), 1, group);
  }
  int region, state;
};

SACCADE_PLUGIN(mine, registry) {
  registry.scores.add({.name = "tanh", .doc = "tanh(W a)' tanh(V h)"},
                      [](const ParamScope& scope, const AttentionWidths& widths) {
                        return std::make_unique<TanhScore>(scope, widths);
                      });
}
