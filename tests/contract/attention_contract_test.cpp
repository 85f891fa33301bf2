// What every attention mechanism promises, tested in double over every combination of choices that
// the registries and check_attention() allow. The line of a new choice is enough to test it here.
#include "core/attention/axes.h"
#include "core/attention/draws.h"
#include "core/config/config.h"
#include "tests/contract/mechanisms.h"
#include "tests/support/test_tape.h"

namespace saccade::test {

TEST_CASE("weights are what the mechanism promises, also for a single region") {
  std::size_t combinations = 0;
  for (const Index regions : {1, 6})
    for_each_mechanism(regions, [&](const Mechanism& m) {
      ++combinations;
      const Tensor features = normal_tensor({3, regions, kFeatures}, 0),
                   query = normal_tensor({3, kQuery}, 1);
      const AttentionResult seen = attend(m, {.features = features.view(), .query = query.view()});
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
  CHECK(combinations > 1000);  // a wrong rule must not make the loop empty
}

TEST_CASE("a window of radius 0 is refused where it has no meaning, else it is one cell") {
  const Index regions = 6;
  for (const auto& scope : attention_scopes().rows()) {
    INFO(scope.name);
    AttentionConfig config;
    config.scope = scope.name, config.radius = 0, config.hidden = 4, config.globals = 0;
    if (scope.name == "local_p") {
      CHECK_THROWS_AS(check_attention(config), UsageError);
      continue;
    }
    const Mechanism m = make(config, regions);
    const Tensor features = normal_tensor({1, regions, kFeatures}, 50),
                 query = normal_tensor({1, kQuery}, 51);
    const AttentionResult seen = attend(m, {.features = features.view(), .query = query.view()});
    if (scope.name == "local_m" || scope.name == "window") CHECK(seen.weights[kStep] == 1);
  }
}

TEST_CASE("a mechanism that is made anew from its YAML takes the weights and computes the same") {
  const Index regions = 4;
  const Tensor features = normal_tensor({1, regions, kFeatures}, 60),
               query = normal_tensor({1, kQuery}, 61);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    const auto read = parse_config<AttentionConfig>(print_config(m.config), "printed.yaml").config;
    CHECK(config_differences(m.config, read).empty());
    Mechanism again = make(read, regions);
    REQUIRE(again.store.infos().size() == m.store.infos().size());
    for (std::size_t i = 0; i < m.store.infos().size(); ++i) {
      CHECK(again.store.infos()[i].name == m.store.infos()[i].name);
      CHECK(again.store.infos()[i].shape == m.store.infos()[i].shape);
    }
    std::copy_n(m.store.flat().data(), m.store.flat_size(), again.store.flat().data());
    const Scene scene{.features = features.view(), .query = query.view()};
    CHECK(near(attend(m, scene).context.view(), attend(again, scene).context.view()));
  });
}

TEST_CASE("keys of their own decide the weights, and only features make the context") {
  const Index regions = 6;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 80),
               other = normal_tensor({2, regions, kFeatures}, 81),
               query = normal_tensor({2, kQuery}, 82);
  for_each_config([&](const AttentionConfig& config) {
    INFO(describe(config));
    // A score without parameters needs features that are as wide as the query.
    const Index width = config.score == "dot" ? kQuery : 5;
    if (config.mechanism == "composed" && config.score == "none") {
      CHECK_THROWS_AS(make(config, regions, width), UsageError);
      return;
    }
    const Mechanism m = make(config, regions, width);
    const Tensor keys = normal_tensor({2, regions, width}, 83),
                 far = normal_tensor({2, regions, width}, 84);
    const Scene scene{.features = features.view(), .query = query.view(), .keys = keys.view()};
    Scene seen_otherwise = scene, scored_otherwise = scene;
    seen_otherwise.features = other.view();
    scored_otherwise.keys = far.view();
    const AttentionResult first = attend(m, scene), second = attend(m, seen_otherwise),
                          third = attend(m, scored_otherwise);
    CHECK(near(first.weights.view(), second.weights.view()));
    // With sparse weights, the sentinel may have all the weight.
    const bool attends = std::any_of(first.weights.span().begin(), first.weights.span().end(),
                                     [](Real w) { return w != 0; });
    CHECK((attends || config.sentinel));
    CHECK(near(first.context.view(), second.context.view()) == !attends);
    if (config.scope == "global" && config.normalizer == "softmax" && config.selection == "soft")
      CHECK_FALSE(near(first.weights.view(), third.weights.view()));
  });
}

TEST_CASE("keys that equal the features give the same as features without keys") {
  const Index regions = 6;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 85),
               query = normal_tensor({2, kQuery}, 86);
  for_each_config([&](const AttentionConfig& config) {
    // A sentinel has key parameters of its own.
    if (config.sentinel) return;
    if (config.mechanism == "composed" && config.score == "none") return;
    INFO(describe(config));
    const Mechanism plain = make(config, regions), keyed = make(config, regions, kFeatures);
    const AttentionResult a = attend(plain, {.features = features.view(), .query = query.view()});
    const AttentionResult b = attend(
        keyed, {.features = features.view(), .query = query.view(), .keys = features.view()});
    CHECK(near(a.weights.view(), b.weights.view()));
    CHECK(near(a.context.view(), b.context.view()));
  });
}

TEST_CASE("a learned scale multiplies the scores of its head and starts at one") {
  const Index regions = 6;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 87),
               query = normal_tensor({2, kQuery}, 88);
  const Scene scene{.features = features.view(), .query = query.view()};
  std::size_t combinations = 0;
  for_each_config([&](const AttentionConfig& config) {
    AttentionConfig learned = config, half = config;
    learned.learned_scale = true;
    half.temperature = Ramp::constant(config.temperature.to / 2);
    try {
      check_attention(learned);
      check_attention(half);
    } catch (const UsageError&) {
      return;
    }
    INFO(describe(config));
    const Mechanism plain = make(config, regions), sharp = make(half, regions);
    Mechanism m = make(learned, regions);
    const auto set = [&](Real log_scale) {
      for (std::size_t i = 0; i < m.store.infos().size(); ++i) {
        const View to = m.store.value(static_cast<int>(i));
        const std::string& name = m.store.infos()[i].name;
        if (name.ends_with("log_scale"))
          to[0] = log_scale;
        else
          std::copy_n(plain.store.value(plain.store.find(name)).data, to.size(), to.data);
      }
    };
    set(0);
    CHECK(near(attend(m, scene).weights.view(), attend(plain, scene).weights.view()));
    set(std::log(2.0));
    CHECK(near(attend(m, scene).weights.view(), attend(sharp, scene).weights.view()));
    ++combinations;
  });
  CHECK(combinations > 100);
}

TEST_CASE("linear attention's context is its map times the features, in either order of the sums") {
  AttentionConfig config;
  config.mechanism = "linear", config.gate = "none", config.hidden = 4;
  for (const Index regions : {3, 4, 6}) {
    const Mechanism m = make(config, regions);
    const Tensor features = normal_tensor({2, regions, kFeatures}, 2),
                 query = normal_tensor({4, kQuery}, 3);
    const AttentionResult seen =
        attend(m, {.features = features.view(), .query = query.view(), .group = 2});
    Tensor expected({4, kFeatures}, std::vector<Real>(4 * kFeatures, 0));
    for (Index r = 0; r < 4; ++r)
      for (Index l = 0; l < regions; ++l)
        for (Index d = 0; d < kFeatures; ++d)
          expected[r * kFeatures + d] +=
              seen.weights.view().row(r)[l] * features[(r / 2 * regions + l) * kFeatures + d];
    CHECK(near(expected.view(), seen.context.view()));
  }
}

TEST_CASE("linear attention whose feature maps all underflow weighs all regions alike") {
  AttentionConfig config;
  config.mechanism = "linear", config.gate = "none", config.hidden = 4;
  for (const Index regions : {3, 6}) {
    Mechanism m = make(config, regions);
    std::fill_n(m.store.flat().data(), m.store.flat_size(), Real{-1});
    const Tensor features({1, regions, kFeatures},
                          std::vector<Real>(static_cast<std::size_t>(regions * kFeatures), 1000)),
        query({1, kQuery}, std::vector<Real>(kQuery, 1000));
    const AttentionResult seen = attend(m, {.features = features.view(), .query = query.view()});
    for (const Real w : seen.weights.span()) CHECK(std::abs(w * Real(regions) - 1) < 1e-12);
    for (const Real x : seen.context.span()) CHECK(std::abs(x - 1000) < 1e-9);
    TestTape tape(m.store.views());
    const Var f = tape.variable(features.view());
    const Glimpse g = attend_twice(m, tape, f, tape.constant(query.view()),
                                   {.features = features.view(), .query = query.view()});
    const Tensor cotangent = normal_tensor(g.context.shape(), 70);
    tape.backward(std::vector<Var>{g.context}, std::vector<ConstView>{cotangent.view()});
    for (const Real x : tape.grad(f).span()) CHECK(std::isfinite(x));
  }
}

TEST_CASE("without attention a memory whose regions are all masked gives zeros") {
  AttentionConfig config;
  config.score = "none", config.gate = "none";
  const Mechanism m = make(config, 3);
  const Tensor features = normal_tensor({2, 3, kFeatures}, 71),
               query = normal_tensor({2, kQuery}, 72);
  const Tensor mask({2, 3}, std::vector<Real>{0, 0, 0, 1, 0, 1});
  const AttentionResult seen =
      attend(m, {.features = features.view(), .query = query.view(), .mask = mask.view()});
  for (Index i = 0; i < 3; ++i) CHECK(seen.weights[i] == 0);
  for (Index d = 0; d < kFeatures; ++d) CHECK(seen.context[d] == 0);
  CHECK(seen.weights[3] == 0.5);
}

TEST_CASE("masked regions have weight 0, change nothing and get no gradient") {
  const Index regions = 6;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 20),
               query = normal_tensor({2, kQuery}, 21);
  const Tensor mask({2, regions}, std::vector<Real>{1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0});
  Tensor other = features.clone();
  for (Index i = 0; i < 2 * regions; ++i)
    if (mask[i] == 0)
      for (Index d = 0; d < kFeatures; ++d) other[i * kFeatures + d] += 5;
  for_each_mechanism(regions, [&](const Mechanism& m) {
    if (m.config.mechanism == "linformer") return;  // it refuses masks, because it mixes regions
    const Scene scene{.features = features.view(), .query = query.view(), .mask = mask.view()};
    const AttentionResult seen = attend(m, scene);
    for (Index i = 0; i < 2 * regions; ++i)
      if (mask[i] == 0) CHECK(seen.weights[i] == 0);
    Scene changed = scene;
    changed.features = other.view();
    const AttentionResult again = attend(m, changed);
    CHECK(near(seen.weights.view(), again.weights.view()));
    CHECK(near(seen.context.view(), again.context.view()));

    TestTape tape(m.store.views());
    const Var f = tape.variable(features.view());
    const Glimpse g = attend_twice(m, tape, f, tape.constant(query.view()), scene);
    const Tensor cotangent = normal_tensor(g.context.shape(), 22);
    tape.backward(std::vector<Var>{g.context}, std::vector<ConstView>{cotangent.view()});
    for (Index i = 0; i < 2 * regions; ++i)
      for (Index d = 0; d < kFeatures; ++d)
        if (mask[i] == 0) CHECK(tape.grad(f)[i * kFeatures + d] == 0);
  });
}

TEST_CASE("permuting the regions permutes the weights where that is promised, and only there") {
  const Index regions = 6;
  const std::vector<Index> order{3, 0, 5, 1, 4, 2};
  const auto moves = [&](const Mechanism& m, std::uint64_t sample) {
    const Tensor features = normal_tensor({1, regions, kFeatures}, sample),
                 query = normal_tensor({1, kQuery}, sample + 100);
    Tensor moved(features.shape());
    for (Index l = 0; l < regions; ++l)
      std::copy_n(features.data() + order[static_cast<std::size_t>(l)] * kFeatures, kFeatures,
                  moved.data() + l * kFeatures);
    const AttentionResult before = attend(m, {.features = features.view(), .query = query.view()}),
                          after = attend(m, {.features = moved.view(), .query = query.view()});
    bool same = near(before.context.view(), after.context.view());
    for (Index l = 0; l < regions; ++l)
      same &=
          std::abs(after.weights[l] - before.weights[order[static_cast<std::size_t>(l)]]) < 1e-11;
    return same;
  };
  for_each_mechanism(regions, [&](const Mechanism& m) {
    // Sparse weights may move by accident, but not ten times.
    bool always = true;
    for (std::uint64_t sample = 200; sample < 210; ++sample) always &= moves(m, sample);
    CHECK(always == m.attention->promises().moves_with_regions);
  });
}

TEST_CASE("a batch of three equals three batches of one, and a group shares its memory") {
  const Index regions = 6;
  const Tensor features = normal_tensor({3, regions, kFeatures}, 4),
               query = normal_tensor({6, kQuery}, 5);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    const AttentionResult grouped =
        attend(m, {.features = features.view(), .query = query.view(), .group = 2, .grid = {2, 3}});
    for (Index r = 0; r < 6; ++r) {
      const AttentionResult alone = attend(
          m, {.features = rows(features, r / 2, 1), .query = rows(query, r, 1), .grid = {2, 3}});
      CHECK(near(rows(grouped.weights, r, 1), alone.weights.view()));
      CHECK(near(rows(grouped.context, r, 1), alone.context.view()));
    }
    // There are fewer queries than memories where shorter captions have ended.
    const AttentionResult fewer =
        attend(m, {.features = features.view(), .query = rows(query, 0, 2), .grid = {2, 3}});
    const AttentionResult second =
        attend(m, {.features = rows(features, 1, 1), .query = rows(query, 1, 1), .grid = {2, 3}});
    CHECK(near(rows(fewer.weights, 1, 1), second.weights.view()));
  });
}

TEST_CASE("the map depends on the query unless there is no attention") {
  const Index regions = 6;
  const Tensor features = normal_tensor({1, regions, kFeatures}, 6);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    const auto map = [&](std::uint64_t sample) {
      const Tensor query = normal_tensor({1, kQuery}, sample);
      return attend(m, {.features = features.view(), .query = query.view()}).weights;
    };
    // Two queries may have the same sparse weights, but not ten.
    bool depends = false;
    const Tensor first = map(30);
    for (std::uint64_t sample = 31; sample < 40; ++sample)
      depends |= !near(first.view(), map(sample).view());
    CHECK(depends == m.attention->promises().depends_on_query);
  });
}

TEST_CASE("a hard choice takes the chosen region's feature, argmax that of the largest weight") {
  const Index regions = 5;
  const Tensor features = normal_tensor({2, regions, kFeatures}, 9),
               query = normal_tensor({2, kQuery}, 10);
  for_each_mechanism(regions, [&](const Mechanism& m) {
    if (m.config.mechanism != "composed" || m.config.score == "none" || m.config.gate != "none" ||
        m.config.heads > 1 || m.config.sentinel || m.config.output_projection ||
        (m.config.scope == "monotonic" && m.config.selection == "hard"))
      return;
    ArgmaxObserver argmax;
    const AttentionResult seen =
        attend(m, {.features = features.view(), .query = query.view(), .observer = &argmax});
    for (Index r = 0; r < 2; ++r) {
      const Real* w = seen.weights.view().row(r);
      const Index top = std::max_element(w, w + regions) - w;
      CHECK(near(rows(seen.context, r, 1),
                 {features.data() + (r * regions + top) * kFeatures, {1, kFeatures}}));
    }
  });
}

TEST_CASE("gradients of parameters, query and features agree with differences, and add up") {
  const Index regions = 4;
  Tensor features = normal_tensor({2, regions, kFeatures}, 11),
         query = normal_tensor({2, kQuery}, 12);
  for_each_mechanism(regions, [&](Mechanism& m) { check_gradients(m, features, query, {2, 2}); });
}

}  // namespace saccade::test
