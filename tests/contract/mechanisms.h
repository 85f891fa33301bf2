// Every attention mechanism that the registries and check_attention() allow, and what it computes
// on small scenes, for the contract tests. In double.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/attention/gate_kind.h"
#include "core/attention/make_attention.h"
#include "core/attention/mechanisms/mechanism_kind.h"
#include "core/attention/normalizer_kind.h"
#include "core/attention/observer.h"
#include "core/attention/scopes/scope_kind.h"
#include "core/attention/scores/score_kind.h"
#include "core/attention/selection_kind.h"
#include "core/base/error.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"
#include "tests/support/catch.h"

namespace saccade::test {

constexpr Index kFeatures = 4, kQuery = 4, kSentinel = 3;

struct Mechanism {
  std::string name;
  AttentionConfig config;
  Index regions;  // number of regions that it was made for (linformer needs it)
  ParameterStore store;
  std::unique_ptr<Attention> attention;
};

// Calls f(config) for every combination that is allowed.
template <class F>
void for_each_config(F f) {
  const auto offer = [&](const AttentionConfig& config) {
    try {
      check_attention(config);
    } catch (const UsageError&) {
      return;
    }
    f(config);
  };
  // Whether values and contexts are projected.
  struct Projections {
    bool value, output;
  };
  for (const auto& mechanism : enum_table(MechanismKind{}))
    for (const auto& score : enum_table(ScoreKind{}))
      for (const auto& scope : enum_table(ScopeKind{}))
        for (const auto& normalizer : enum_table(NormalizerKind{}))
          for (const auto& selection : enum_table(SelectionKind{}))
            for (const auto& gate : enum_table(GateKind{}))
              for (const std::int64_t heads : {1, 2})
                for (const bool sentinel : {false, true})
                  for (const double temperature : {1.0, 0.5})
                    for (const Projections& projects :
                         {Projections{false, false}, Projections{true, true}}) {
                      AttentionConfig c;
                      // A mechanism that does not factor into axes is the same with every score.
                      if (mechanism.value != MechanismKind::kComposed &&
                          score.value != ScoreKind::kAdditive)
                        continue;
                      // Projections know nothing of how weights were made.
                      if (projects.output &&
                          (score.value != ScoreKind::kScaledDot ||
                           normalizer.value != NormalizerKind::kSoftmax || temperature != 1))
                        continue;
                      c.mechanism = mechanism.value, c.score = score.value, c.scope = scope.value;
                      c.normalizer = normalizer.value, c.selection = selection.value;
                      c.gate = gate.value, c.heads = heads, c.sentinel = sentinel;
                      c.value_projection = projects.value && heads == 1;
                      c.output_projection = projects.output;
                      c.temperature = Ramp::constant(temperature);
                      c.hidden = 4, c.radius = 1, c.k = 2, c.projected = 2;
                      offer(c);
                    }
}

inline std::string describe(const AttentionConfig& c) {
  return str("mechanism ", enum_name(c.mechanism), ", score ", enum_name(c.score), ", scope ",
             enum_name(c.scope), ", normalizer ", enum_name(c.normalizer), ", selection ",
             enum_name(c.selection), ", gate ", enum_name(c.gate), ", heads ", c.heads,
             ", sentinel ", c.sentinel, c.value_projection ? ", values projected" : "",
             c.output_projection ? ", output projected" : "", ", temperature ", c.temperature.to);
}

// Makes a mechanism; its keys have the width `keys`, or are the features if that is 0.
inline Mechanism make(const AttentionConfig& config, Index regions, Index keys = 0) {
  Mechanism m;
  m.name = describe(config), m.config = config, m.regions = regions;
  m.attention = make_attention(config,
                               {.features = kFeatures,
                                .query = kQuery,
                                .sentinel = kSentinel,
                                .regions = regions,
                                .keys = keys},
                               ParamScope(m.store, "attention"));
  m.store.initialise(1);
  Random random({2, Stream::kTest, 0, 0});
  for (Real& x : m.store.flat().span()) x = random.normal();
  return m;
}

// Calls f(mechanism) for every combination, made for `regions` regions.
template <class F>
void for_each_mechanism(Index regions, F f) {
  for_each_config([&](const AttentionConfig& config) {
    Mechanism m = make(config, regions);
    INFO(m.name << ", " << regions << " regions");
    f(m);
  });
}

inline Tensor normal_tensor(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({3, Stream::kTest, 1, sample});
  for (Real& x : out.span()) x = random.normal();
  return out;
}

inline Tensor copy(Var v) { return {v.shape(), v.value().span()}; }

// The result of the second of two glimpses, so that the state of a mechanism takes part.
struct AttentionResult {
  Tensor weights, context;
  std::vector<double> totals;  // by row, the sum of the weights, with the sentinel's
};

struct Scene {
  ConstView features;  // [M, L, D]
  ConstView query;     // [R, Q]
  Index group = 1;
  GridSize grid{};
  GlimpseObserver* observer = nullptr;
  ConstView mask{};  // [M, L]
  ConstView keys{};  // [M, L, K]
};

constexpr Index kStep = 1;

// The sentinel is made from the query of the same row, so that rows do not mix.
inline Var sentinel_of(const Mechanism& m, Var query) {
  return m.config.sentinel ? ops::slice_cols(query, 0, kSentinel) : Var{};
}

inline Glimpse attend_twice(const Mechanism& m, Tape& tape, Var features, Var query,
                            const Scene& scene) {
  MemoryLayout layout{.grid = scene.grid, .group = scene.group};
  if (scene.mask.data) layout.mask = tape.constant(scene.mask);
  const Var keys = scene.keys.data ? tape.constant(scene.keys) : Var{};
  const AttentionMemory memory = m.attention->prepare(tape, {features, keys}, layout);
  std::vector<Var> state;
  for (const Var part : m.attention->start(tape, memory)) {
    std::vector<int> rows;
    for (Index r = 0; r < query.rows(); ++r) rows.push_back(static_cast<int>(r / scene.group));
    state.push_back(ops::embedding(part, rows));
  }
  Glimpse glimpse;
  for (Index step = 0; step <= kStep; ++step) {
    glimpse = m.attention->attend(
        tape, query, memory, state,
        {.step = step, .observer = scene.observer, .sentinel = sentinel_of(m, query)});
    state = glimpse.state;
  }
  return glimpse;
}

// Attends without recording.
inline AttentionResult attend(const Mechanism& m, const Scene& scene) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(m.store.views());
  tape.set_recording(false);
  const Glimpse g =
      attend_twice(m, tape, tape.constant(scene.features), tape.constant(scene.query), scene);
  AttentionResult out{copy(g.weights), copy(g.context), {}};
  for (Index r = 0; r < g.weights.rows(); ++r) {
    const Real* row = g.weights.value().row(r);
    out.totals.push_back(std::accumulate(row, row + g.weights.cols(), 0.0) +
                         (g.sentinel ? g.sentinel.value()[r] : 0));
  }
  return out;
}

inline ConstView rows(const Tensor& t, Index first, Index count) {
  const Index stride = t.size() / t.shape()[0];
  return {t.data() + first * stride, t.shape().with_first(count)};
}

inline bool near(ConstView a, ConstView b) {
  if (a.size() != b.size() || a.size() == 0) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-11)) return false;
  return true;
}

}  // namespace saccade::test
