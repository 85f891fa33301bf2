// What every attention mechanism promises, run over every combination the registries allow, in
// double: a new score is tested here by its line in scores.def.
#include <cmath>
#include <numeric>

#include "core/attention/choosers.h"
#include "core/attention/make_attention.h"
#include "core/config/choices.h"
#include "core/ops/shape_ops.h"
#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kFeatures = 5, kQuery = 4;

struct Mechanism {
  std::string name;
  ParameterStore store;
  std::unique_ptr<Attention> attention;
};

std::vector<Mechanism> mechanisms() {
  std::vector<Mechanism> all;
  for (const auto& score : enum_table(ScoreKind{}))
    for (const auto& gate : enum_table(GateKind{}))
      for (const double temperature : {1.0, 0.5}) {
        AttentionConfig config;
        config.score = score.value, config.gate = gate.value, config.temperature = temperature;
        config.hidden = 3;
        Mechanism& m = all.emplace_back();
        m.name = str("score ", score.name, ", gate ", gate.name, ", temperature ", temperature);
        m.attention = make_attention(config, kFeatures, kQuery, ParamScope(m.store, "attention"));
        m.store.initialise(1);
        Random random({2, Stream::kTest, 0, 0});
        for (Real& x : m.store.flat().span()) x = random.normal();
      }
  return all;
}

Tensor normal_tensor(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({3, Stream::kTest, 1, sample});
  for (Real& x : out.span()) x = random.normal();
  return out;
}

struct Look {
  Tensor weights, context;
};

// attend() without recording: features [M, L, D], query [R, Q].
Look look(const Mechanism& m, ConstView features, ConstView query, Index group,
          Chooser* chooser = nullptr) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(m.store.views());
  tape.set_recording(false);
  const AttentionMemory memory = m.attention->prepare(tape, tape.constant(features), group);
  const Glimpse g = m.attention->attend(tape, tape.constant(query), memory, {.chooser = chooser});
  return {Tensor(g.weights.shape(), g.weights.value().span()),
          Tensor(g.context.shape(), g.context.value().span())};
}

ConstView rows(const Tensor& t, Index first, Index count) {
  const Index stride = t.size() / t.shape()[0];
  return {t.data() + first * stride, t.shape().with_first(count)};
}

bool near(ConstView a, ConstView b) {
  if (a.size() != b.size() || a.size() == 0) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-12)) return false;
  return true;
}

}  // namespace

TEST_CASE("weights are a distribution over the regions, also of a single one") {
  for (const Mechanism& m : mechanisms())
    for (const Index regions : {1, 2, 7}) {
      INFO(m.name << ", " << regions << " regions");
      const Look seen = look(m, normal_tensor({3, regions, kFeatures}, 0).view(),
                             normal_tensor({3, kQuery}, 1).view(), 1);
      REQUIRE(seen.weights.shape() == Shape{3, regions});
      REQUIRE(seen.context.shape() == Shape{3, kFeatures});
      for (Index r = 0; r < 3; ++r) {
        Real sum = 0;
        for (Index l = 0; l < regions; ++l) {
          CHECK(seen.weights.view().row(r)[l] >= 0);
          sum += seen.weights.view().row(r)[l];
        }
        CHECK(std::abs(sum - 1) < 1e-12);
      }
    }
}

TEST_CASE("moving the regions moves the weights with them and leaves the context") {
  const Index regions = 6;
  const Tensor features = normal_tensor({1, regions, kFeatures}, 2),
               query = normal_tensor({1, kQuery}, 3);
  const std::vector<Index> order{3, 0, 5, 1, 4, 2};
  Tensor moved(features.shape());
  for (Index l = 0; l < regions; ++l)
    std::copy_n(features.data() + order[static_cast<std::size_t>(l)] * kFeatures, kFeatures,
                moved.data() + l * kFeatures);
  for (const Mechanism& m : mechanisms()) {
    INFO(m.name);
    const Look before = look(m, features.view(), query.view(), 1),
               after = look(m, moved.view(), query.view(), 1);
    for (Index l = 0; l < regions; ++l)
      CHECK(std::abs(after.weights[l] - before.weights[order[static_cast<std::size_t>(l)]]) <
            1e-12);
    CHECK(near(before.context.view(), after.context.view()));
  }
}

TEST_CASE("a batch of three is three batches of one, and a group shares its memory") {
  const Tensor features = normal_tensor({3, 4, kFeatures}, 4),
               query = normal_tensor({6, kQuery}, 5);
  for (const Mechanism& m : mechanisms()) {
    INFO(m.name);
    const Look grouped = look(m, features.view(), query.view(), 2);
    for (Index r = 0; r < 6; ++r) {
      const Look alone = look(m, rows(features, r / 2, 1), rows(query, r, 1), 1);
      CHECK(near(rows(grouped.weights, r, 1), alone.weights.view()));
      CHECK(near(rows(grouped.context, r, 1), alone.context.view()));
    }
    // Fewer queries than memories: shorter captions have ended.
    const Look fewer = look(m, features.view(), rows(query, 0, 2), 1);
    CHECK(near(rows(fewer.weights, 1, 1),
               look(m, rows(features, 1, 1), rows(query, 1, 1), 1).weights.view()));
  }
}

TEST_CASE("the map depends on the query unless there is no attention") {
  const Tensor features = normal_tensor({1, 5, kFeatures}, 6);
  for (const Mechanism& m : mechanisms()) {
    INFO(m.name);
    const Look a = look(m, features.view(), normal_tensor({1, kQuery}, 7).view(), 1),
               b = look(m, features.view(), normal_tensor({1, kQuery}, 8).view(), 1);
    CHECK(near(a.weights.view(), b.weights.view()) ==
          (m.name.find("score none") != std::string::npos));
  }
}

TEST_CASE("a hard choice takes that region's feature, argmax the heaviest") {
  const Index regions = 5;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 9),
               query = normal_tensor({2, kQuery}, 10);
  for (const Mechanism& m : mechanisms()) {
    if (m.name.find("score none") != std::string::npos ||
        m.name.find("gate none") == std::string::npos)
      continue;
    INFO(m.name);
    ArgmaxChooser argmax;
    const Look seen = look(m, features.view(), query.view(), 1, &argmax);
    for (Index r = 0; r < 2; ++r) {
      const Real* w = seen.weights.view().row(r);
      const Index top = std::max_element(w, w + regions) - w;
      CHECK(near(rows(seen.context, r, 1),
                 {features.data() + (r * regions + top) * kFeatures, {1, kFeatures}}));
    }
  }
}

TEST_CASE("gradients of parameters, query and features agree with differences") {
  Tensor features = normal_tensor({2, 4, kFeatures}, 11), query = normal_tensor({2, kQuery}, 12);
  const Tensor on_context = normal_tensor({2, kFeatures}, 13),
               on_weights = normal_tensor({2, 4}, 14);
  for (Mechanism& m : mechanisms()) {
    INFO(m.name);
    const auto value = [&] {
      const Look seen = look(m, features.view(), query.view(), 1);
      return std::inner_product(
          seen.context.span().begin(), seen.context.span().end(), on_context.span().begin(),
          std::inner_product(seen.weights.span().begin(), seen.weights.span().end(),
                             on_weights.span().begin(), Real{0}));
    };
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(m.store.views());
    const Var f = tape.variable(features.view()), q = tape.variable(query.view());
    const Glimpse g = m.attention->attend(tape, q, m.attention->prepare(tape, f, 1), {});
    const std::vector<Var> outputs{g.context, g.weights};
    const std::vector<ConstView> cotangents{on_context.view(), on_weights.view()};
    tape.backward(outputs, cotangents);
    const auto check = [&](Real& x, Real analytic) {
      const Real kept = x, eps = 1e-6;
      x = kept + eps;
      const Real up = value();
      x = kept - eps;
      const Real down = value();
      x = kept;
      const Real numeric = (up - down) / (2 * eps);
      REQUIRE_FALSE(!(std::abs(numeric - analytic) <=
                      1e-6 + 1e-5 * std::max(std::abs(numeric), std::abs(analytic))));
    };
    const auto parameters = test::parameter_gradients(tape, m.store);
    for (const ParameterInfo& info : m.store.infos())
      for (Index i = 0; i < info.shape.size(); ++i)
        check(m.store.flat()[info.offset + i],
              parameters[static_cast<std::size_t>(info.offset + i)]);
    for (Index i = 0; i < features.size(); ++i) check(features[i], tape.grad(f)[i]);
    for (Index i = 0; i < query.size(); ++i) check(query[i], tape.grad(q)[i]);
  }
}

}  // namespace saccade
