// Every attention mechanism that the registries and check_attention() allow, and what it computes
// on small scenes, for the contract tests. In double.
#pragma once

#include "core/attention/attention_registry.h"
#include "core/attention/axes.h"
#include "core/attention/make_attention.h"
#include "core/attention/observer.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

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
  for (const auto& mechanism : attention_registry({}).mechanisms.rows())
    for (const auto& score : attention_registry({}).scores.rows())
      for (const auto& scope : attention_scopes().rows())
        for (const auto& normalizer : attention_normalizers().rows())
          for (const auto& selection : attention_selections().rows())
            for (const auto& gate : attention_gates().rows())
              for (const std::int64_t heads : {1, 2})
                for (const bool sentinel : {false, true})
                  for (const double temperature : {1.0, 0.5})
                    for (const Projections& projects :
                         {Projections{false, false}, Projections{true, true}}) {
                      AttentionConfig c;
                      // A mechanism that does not factor into axes is the same with every score.
                      if (mechanism.name != "composed" && score.name != "additive") continue;
                      // Projections know nothing of how weights were made.
                      if (projects.output && (score.name != "scaled_dot" ||
                                              normalizer.name != "softmax" || temperature != 1))
                        continue;
                      c.mechanism = mechanism.name, c.score = score.name, c.scope = scope.name;
                      c.normalizer = normalizer.name, c.selection = selection.name;
                      c.gate = gate.name, c.heads = heads, c.sentinel = sentinel;
                      c.value_projection = projects.value && heads == 1;
                      c.output_projection = projects.output;
                      c.temperature = Ramp::constant(temperature);
                      c.hidden = 4, c.radius = 1, c.k = 2, c.projected = 2;
                      offer(c);
                    }
}

inline std::string describe(const AttentionConfig& c) {
  return str("mechanism ", c.mechanism, ", score ", c.score, ", scope ", c.scope, ", normalizer ",
             c.normalizer, ", selection ", c.selection, ", gate ", c.gate, ", heads ", c.heads,
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
  TestTape tape(m.store.views(), Recording::kNo);
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

// Checks the gradients of all parameters, of the query and of the features, for random cotangents
// of the context and of the weights, against central differences.
inline void check_gradients(Mechanism& m, Tensor& features, Tensor& query, GridSize grid) {
  const Tensor on_context = normal_tensor({query.view().rows(), kFeatures}, 104),
               on_weights = normal_tensor({query.view().rows(), features.shape()[1]}, 105);
  const Scene scene{.features = features.view(), .query = query.view(), .grid = grid};
  const auto dot = [](const Tensor& a, const Tensor& b) {
    return std::inner_product(a.span().begin(), a.span().end(), b.span().begin(), Real{0});
  };
  const auto value = [&] {
    const AttentionResult seen = attend(m, scene);
    return dot(seen.context, on_context) + dot(seen.weights, on_weights);
  };
  TestTape tape(m.store.views());
  const Var f = tape.variable(features.view()), q = tape.variable(query.view());
  const Glimpse g = attend_twice(m, tape, f, q, scene);
  tape.backward(std::vector<Var>{g.context, g.weights},
                std::vector<ConstView>{on_context.view(), on_weights.view()});
  const auto check = [&](const std::string& what, Real& x, Real analytic) {
    const Real kept = x, eps = 1e-6;
    x = kept + eps;
    const Real up = value();
    x = kept - eps;
    const Real down = value();
    x = kept;
    const Real numeric = (up - down) / (2 * eps);
    INFO(what << ": numeric " << numeric << ", analytic " << analytic);
    REQUIRE_FALSE(!(std::abs(numeric - analytic) <=
                    1e-6 + 1e-5 * std::max(std::abs(numeric), std::abs(analytic))));
  };
  const auto parameters = parameter_gradients(tape, m.store);
  for (const ParameterInfo& info : m.store.infos())
    for (Index i = 0; i < info.shape.size(); i += kComparedStep)
      check(info.name, m.store.flat()[info.offset + i],
            parameters[static_cast<std::size_t>(info.offset + i)]);
  for (Index i = 0; i < features.size(); i += kComparedStep)
    check("features", features[i], tape.grad(f)[i]);
  for (Index i = 0; i < query.size(); i += kComparedStep) check("query", query[i], tape.grad(q)[i]);
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
