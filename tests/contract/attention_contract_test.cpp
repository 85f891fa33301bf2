// What every attention mechanism promises, run in double over every combination of choices that
// the registries and check_attention() allow: a new choice is tested here by its line.
#include <cmath>
#include <numeric>

#include "core/attention/choosers.h"
#include "core/attention/make_attention.h"
#include "core/attention/weight_edit.h"
#include "core/base/error.h"
#include "core/config/choices.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"
#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kFeatures = 4, kQuery = 4, kSentinel = 3;

struct Mechanism {
  std::string name;
  AttentionConfig config;
  Index regions;  // it was made for (linformer counts them)
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
  for (const auto& mechanism : enum_table(MechanismKind{}))
    for (const auto& score : enum_table(ScoreKind{}))
      for (const auto& scope : enum_table(ScopeKind{}))
        for (const auto& normalizer : enum_table(NormalizerKind{}))
          for (const auto& selection : enum_table(SelectionKind{}))
            for (const auto& gate : enum_table(GateKind{}))
              for (const std::int64_t heads : {1, 2})
                for (const bool sentinel : {false, true})
                  for (const double temperature : {1.0, 0.5}) {
                    AttentionConfig c;
                    // A mechanism that does not factor looks the same under every score.
                    if (mechanism.value != MechanismKind::kComposed &&
                        score.value != ScoreKind::kAdditive)
                      continue;
                    c.mechanism = mechanism.value, c.score = score.value, c.scope = scope.value;
                    c.normalizer = normalizer.value, c.selection = selection.value;
                    c.gate = gate.value, c.heads = heads, c.sentinel = sentinel;
                    c.temperature = temperature;
                    c.hidden = 4, c.radius = 1, c.k = 2, c.projected = 2;
                    offer(c);
                  }
}

std::string describe(const AttentionConfig& c) {
  return str("mechanism ", enum_name(c.mechanism), ", score ", enum_name(c.score), ", scope ",
             enum_name(c.scope), ", normalizer ", enum_name(c.normalizer), ", selection ",
             enum_name(c.selection), ", gate ", enum_name(c.gate), ", heads ", c.heads,
             ", sentinel ", c.sentinel, ", temperature ", c.temperature);
}

Mechanism make(const AttentionConfig& config, Index regions) {
  Mechanism m;
  m.name = describe(config), m.config = config, m.regions = regions;
  m.attention = make_attention(
      config, {.features = kFeatures, .query = kQuery, .sentinel = kSentinel, .regions = regions},
      ParamScope(m.store, "attention"));
  m.store.initialise(1);
  Random random({2, Stream::kTest, 0, 0});
  for (Real& x : m.store.flat().span()) x = random.normal();
  return m;
}

// Calls f(mechanism) for every combination, made for so many regions.
template <class F>
void for_each_mechanism(Index regions, F f) {
  for_each_config([&](const AttentionConfig& config) {
    Mechanism m = make(config, regions);
    INFO(m.name << ", " << regions << " regions");
    f(m);
  });
}

Tensor normal_tensor(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({3, Stream::kTest, 1, sample});
  for (Real& x : out.span()) x = random.normal();
  return out;
}

Tensor copy(Var v) { return {v.shape(), v.value().span()}; }

// Two looks one after the other, so that what a mechanism remembers takes part.
struct Look {
  Tensor weights, context;     // of the second
  std::vector<double> totals;  // by row: the weights' sum, a sentinel's with it
};

struct Scene {
  ConstView features;  // [M, L, D]
  ConstView query;     // [R, Q]
  Index group = 1;
  Index rows = 0, cols = 0;
  Chooser* chooser = nullptr;
  ConstView mask{};  // [M, L]
  const WeightEdit* edit = nullptr;
};

constexpr Index kStep = 1;

// What the decoder knows: the query's own numbers, so that rows are not mixed up.
Var sentinel_of(const Mechanism& m, Var query) {
  return m.config.sentinel ? ops::slice_cols(query, 0, kSentinel) : Var{};
}

Glimpse look_twice(const Mechanism& m, Tape& tape, Var features, Var query, const Scene& scene) {
  MemoryLayout layout{.rows = scene.rows, .cols = scene.cols, .group = scene.group};
  if (scene.mask.data) layout.mask = tape.constant(scene.mask);
  const AttentionMemory memory = m.attention->prepare(tape, features, layout);
  std::vector<Var> state;
  for (const Var part : m.attention->start(tape, memory)) {
    std::vector<int> rows;
    for (Index r = 0; r < query.rows(); ++r) rows.push_back(static_cast<int>(r / scene.group));
    state.push_back(ops::embedding(part, rows));
  }
  Glimpse seen;
  for (Index step = 0; step <= kStep; ++step) {
    seen = m.attention->attend(tape, query, memory, state,
                               {.step = step,
                                .chooser = scene.chooser,
                                .edit = scene.edit,
                                .sentinel = sentinel_of(m, query)});
    state = seen.state;
  }
  return seen;
}

// Without recording.
Look look(const Mechanism& m, const Scene& scene) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(m.store.views());
  tape.set_recording(false);
  const Glimpse g =
      look_twice(m, tape, tape.constant(scene.features), tape.constant(scene.query), scene);
  Look out{copy(g.weights), copy(g.context), {}};
  for (Index r = 0; r < g.weights.rows(); ++r) {
    const Real* row = g.weights.value().row(r);
    out.totals.push_back(std::accumulate(row, row + g.weights.cols(), 0.0) +
                         (g.sentinel ? g.sentinel.value()[r] : 0));
  }
  return out;
}

ConstView rows(const Tensor& t, Index first, Index count) {
  const Index stride = t.size() / t.shape()[0];
  return {t.data() + first * stride, t.shape().with_first(count)};
}

bool near(ConstView a, ConstView b) {
  if (a.size() != b.size() || a.size() == 0) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-11)) return false;
  return true;
}

}  // namespace

TEST_CASE("weights are what the mechanism says they are, also of a single region") {
  std::size_t combinations = 0;
  for (const Index regions : {1, 6})
    for_each_mechanism(regions, [&](const Mechanism& m) {
      ++combinations;
      const Tensor features = normal_tensor({3, regions, kFeatures}, 0),
                   query = normal_tensor({3, kQuery}, 1);
      const Look seen = look(m, {.features = features.view(), .query = query.view()});
      REQUIRE(seen.weights.shape() == Shape{3, regions});
      REQUIRE(seen.context.shape() == Shape{3, kFeatures});
      const Promises promises = m.attention->promises();
      for (Index r = 0; r < 3; ++r) {
        for (Index l = 0; l < regions; ++l) {
          const Real w = seen.weights.view().row(r)[l];
          CHECK(std::isfinite(w));
          if (promises.nonnegative) CHECK(w >= 0);
        }
        if (promises.sum_to_one)
          CHECK(std::abs(seen.totals[static_cast<std::size_t>(r)] - 1) < 1e-12);
        if (promises.nonnegative) CHECK(seen.totals[static_cast<std::size_t>(r)] < 1 + 1e-12);
      }
    });
  CHECK(combinations > 1000);  // the loop is not empty by a wrong rule
}

TEST_CASE("masked regions weigh exactly nothing, change nothing and feel nothing") {
  const Index regions = 6;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 20),
               query = normal_tensor({2, kQuery}, 21);
  const Tensor mask({2, regions}, std::vector<Real>{1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0});
  Tensor other = features.clone();
  for (Index i = 0; i < 2 * regions; ++i)
    if (mask[i] == 0)
      for (Index d = 0; d < kFeatures; ++d) other[i * kFeatures + d] += 5;
  for_each_mechanism(regions, [&](const Mechanism& m) {
    if (m.config.mechanism == MechanismKind::kLinformer) return;  // refuses masks: it mixes regions
    const Scene scene{.features = features.view(), .query = query.view(), .mask = mask.view()};
    const Look seen = look(m, scene);
    for (Index i = 0; i < 2 * regions; ++i)
      if (mask[i] == 0) CHECK(seen.weights[i] == 0);
    Scene changed = scene;
    changed.features = other.view();
    const Look again = look(m, changed);
    CHECK(near(seen.weights.view(), again.weights.view()));
    CHECK(near(seen.context.view(), again.context.view()));

    Arena arena;
    Tape tape(arena);
    tape.set_parameters(m.store.views());
    const Var f = tape.variable(features.view());
    const Glimpse g = look_twice(m, tape, f, tape.constant(query.view()), scene);
    const Tensor cotangent = normal_tensor(g.context.shape(), 22);
    tape.backward(std::vector<Var>{g.context}, std::vector<ConstView>{cotangent.view()});
    for (Index i = 0; i < 2 * regions; ++i)
      for (Index d = 0; d < kFeatures; ++d)
        if (mask[i] == 0) CHECK(tape.grad(f)[i * kFeatures + d] == 0);
  });
}

TEST_CASE("moving the regions moves the weights with them where that is promised, and only there") {
  const Index regions = 6;
  const std::vector<Index> order{3, 0, 5, 1, 4, 2};
  const auto moves = [&](const Mechanism& m, std::uint64_t sample) {
    const Tensor features = normal_tensor({1, regions, kFeatures}, sample),
                 query = normal_tensor({1, kQuery}, sample + 100);
    Tensor moved(features.shape());
    for (Index l = 0; l < regions; ++l)
      std::copy_n(features.data() + order[static_cast<std::size_t>(l)] * kFeatures, kFeatures,
                  moved.data() + l * kFeatures);
    const Look before = look(m, {.features = features.view(), .query = query.view()}),
               after = look(m, {.features = moved.view(), .query = query.view()});
    bool same = near(before.context.view(), after.context.view());
    for (Index l = 0; l < regions; ++l)
      same &=
          std::abs(after.weights[l] - before.weights[order[static_cast<std::size_t>(l)]]) < 1e-11;
    return same;
  };
  for_each_mechanism(regions, [&](const Mechanism& m) {
    // Sparse weights may move by accident, not ten times.
    bool always = true;
    for (std::uint64_t sample = 200; sample < 210; ++sample) always &= moves(m, sample);
    CHECK(always == m.attention->promises().moves_with_regions);
  });
}

TEST_CASE("a batch of three is three batches of one, and a group shares its memory") {
  const Index regions = 6;
  const Tensor features = normal_tensor({3, regions, kFeatures}, 4),
               query = normal_tensor({6, kQuery}, 5);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    const Look grouped = look(
        m, {.features = features.view(), .query = query.view(), .group = 2, .rows = 2, .cols = 3});
    for (Index r = 0; r < 6; ++r) {
      const Look alone = look(
          m,
          {.features = rows(features, r / 2, 1), .query = rows(query, r, 1), .rows = 2, .cols = 3});
      CHECK(near(rows(grouped.weights, r, 1), alone.weights.view()));
      CHECK(near(rows(grouped.context, r, 1), alone.context.view()));
    }
    // Fewer queries than memories: shorter captions have ended.
    const Look fewer =
        look(m, {.features = features.view(), .query = rows(query, 0, 2), .rows = 2, .cols = 3});
    const Look second = look(
        m, {.features = rows(features, 1, 1), .query = rows(query, 1, 1), .rows = 2, .cols = 3});
    CHECK(near(rows(fewer.weights, 1, 1), second.weights.view()));
  });
}

TEST_CASE("the map depends on the query unless there is no attention") {
  const Index regions = 6;
  const Tensor features = normal_tensor({1, regions, kFeatures}, 6);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    const auto map = [&](std::uint64_t sample) {
      const Tensor query = normal_tensor({1, kQuery}, sample);
      return look(m, {.features = features.view(), .query = query.view()}).weights;
    };
    // Sparse weights may be the same corner for two queries, not for ten.
    bool depends = false;
    const Tensor first = map(30);
    for (std::uint64_t sample = 31; sample < 40; ++sample)
      depends |= !near(first.view(), map(sample).view());
    CHECK(depends == m.attention->promises().depends_on_query);
  });
}

TEST_CASE("a hard choice takes that region's feature, argmax the heaviest") {
  const Index regions = 5;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 9),
               query = normal_tensor({2, kQuery}, 10);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    if (m.config.mechanism != MechanismKind::kComposed || m.config.score == ScoreKind::kNone ||
        m.config.gate != GateKind::kNone || m.config.heads > 1 || m.config.sentinel)
      return;
    ArgmaxChooser argmax;
    const Look seen =
        look(m, {.features = features.view(), .query = query.view(), .chooser = &argmax});
    for (Index r = 0; r < 2; ++r) {
      const Real* w = seen.weights.view().row(r);
      const Index top = std::max_element(w, w + regions) - w;
      CHECK(near(rows(seen.context, r, 1),
                 {features.data() + (r * regions + top) * kFeatures, {1, kFeatures}}));
    }
  });
}

// Four queries on two memories of six regions, some of which may not be seen.
struct EditedScene {
  static constexpr Index kRegions = 6;
  Tensor features = normal_tensor({2, kRegions, kFeatures}, 40);
  Tensor query = normal_tensor({4, kQuery}, 41);
  Tensor mask{{2, kRegions}, std::vector<Real>{1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1}};

  bool seen(const Mechanism& m, Index row, Index l) const {
    return !masked(m) || mask.view().row(row / 2)[l] != 0;
  }
  Look look_at(const Mechanism& m, const WeightEdit* edit) const {
    Scene scene{
        .features = features.view(), .query = query.view(), .group = 2, .rows = 2, .cols = 3};
    if (masked(m)) scene.mask = mask.view();
    scene.edit = edit;
    return look(m, scene);
  }
  // sum_l w_l a_l of the weights of a look, where that is the whole context.
  bool context_is_weighted_sum(const Mechanism& m, const Look& look) const {
    if (m.config.gate != GateKind::kNone || m.config.heads > 1 || m.config.sentinel) return true;
    bool same = true;
    for (Index r = 0; r < 4; ++r)
      for (Index d = 0; d < kFeatures; ++d) {
        Real sum = 0;
        for (Index l = 0; l < kRegions; ++l)
          sum += look.weights.view().row(r)[l] * features[((r / 2) * kRegions + l) * kFeatures + d];
        same &= std::abs(sum - look.context.view().row(r)[d]) < 1e-11;
      }
    return same;
  }

 private:
  static bool masked(const Mechanism& m) {
    return m.config.mechanism != MechanismKind::kLinformer;  // refuses masks
  }
};

TEST_CASE("uniform weights share what was weighed evenly, and the context is theirs") {
  const EditedScene scene;
  const UniformWeights uniform;
  for_each_mechanism(EditedScene::kRegions, [&](const Mechanism& m) {
    const Look own = scene.look_at(m, nullptr), even = scene.look_at(m, &uniform);
    for (Index r = 0; r < 4; ++r) {
      const Real* before = own.weights.view().row(r);
      const Real* after = even.weights.view().row(r);
      const Real total = std::accumulate(before, before + EditedScene::kRegions, Real{0});
      Real count = 0;
      for (Index l = 0; l < EditedScene::kRegions; ++l) count += scene.seen(m, r, l) ? 1 : 0;
      for (Index l = 0; l < EditedScene::kRegions; ++l)
        CHECK(std::abs(after[l] - (scene.seen(m, r, l) ? total / count : 0)) < 1e-12);
    }
    CHECK(scene.context_is_weighted_sum(m, even));
  });
}

TEST_CASE("shuffled weights are the same numbers elsewhere, and the context is theirs") {
  const EditedScene scene;
  ShuffledWeights shuffled;
  shuffled.set_keys({{.sample = 0}, {.sample = 1}});
  for_each_mechanism(EditedScene::kRegions, [&](const Mechanism& m) {
    const Look own = scene.look_at(m, nullptr), moved = scene.look_at(m, &shuffled);
    const auto sorted = [&](const Look& look, Index r) {
      const Real* row = look.weights.view().row(r);
      Tensor out({EditedScene::kRegions}, std::span(row, EditedScene::kRegions));
      std::sort(out.span().begin(), out.span().end());
      return out;
    };
    for (Index r = 0; r < 4; ++r) {
      CHECK(near(sorted(own, r).view(), sorted(moved, r).view()));
      for (Index l = 0; l < EditedScene::kRegions; ++l)
        if (!scene.seen(m, r, l)) CHECK(moved.weights.view().row(r)[l] == 0);
    }
    CHECK(scene.context_is_weighted_sum(m, moved));
  });

  // A permutation a memory: whatever the weights are, they move alike.
  const auto order = [&](Index memory, Real first) {
    std::vector<Real> weights(20);
    std::iota(weights.begin(), weights.end(), first);
    shuffled.edit(memory, weights);
    for (Real& w : weights) w -= first;
    return weights;
  };
  CHECK(order(0, 0) == order(0, 7));
  CHECK(order(0, 0) != order(1, 0));
}

TEST_CASE("gradients of parameters, query and features agree with differences, and add up") {
  const Index regions = 4;
  Tensor features = normal_tensor({2, regions, kFeatures}, 11),
         query = normal_tensor({2, kQuery}, 12);
  const Tensor on_context = normal_tensor({2, kFeatures}, 13),
               on_weights = normal_tensor({2, regions}, 14);
  for_each_mechanism(regions, [&](Mechanism& m) {
    const Scene scene{.features = features.view(), .query = query.view(), .rows = 2, .cols = 2};
    const auto value = [&] {
      const Look seen = look(m, scene);
      return std::inner_product(
          seen.context.span().begin(), seen.context.span().end(), on_context.span().begin(),
          std::inner_product(seen.weights.span().begin(), seen.weights.span().end(),
                             on_weights.span().begin(), Real{0}));
    };
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(m.store.views());
    const Var f = tape.variable(features.view()), q = tape.variable(query.view());
    const Glimpse g = look_twice(m, tape, f, q, scene);
    const std::vector<Var> outputs{g.context, g.weights};
    const std::vector<ConstView> cotangents{on_context.view(), on_weights.view()};
    tape.backward(outputs, cotangents);
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
    const auto parameters = test::parameter_gradients(tape, m.store);
    for (const ParameterInfo& info : m.store.infos())
      for (Index i = 0; i < info.shape.size(); ++i)
        check(info.name, m.store.flat()[info.offset + i],
              parameters[static_cast<std::size_t>(info.offset + i)]);
    for (Index i = 0; i < features.size(); ++i) check("features", features[i], tape.grad(f)[i]);
    for (Index i = 0; i < query.size(); ++i) check("query", query[i], tape.grad(q)[i]);
  });
}

}  // namespace saccade
