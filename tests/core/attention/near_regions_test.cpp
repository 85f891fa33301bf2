// Scopes that show a small part of a large grid score that part alone. In double: the result is
// that of scoring all regions and masking, and the gradients are right.
#include "core/attention/axes.h"
#include "tests/contract/mechanisms.h"
#include "tests/core/attention/module_support.h"

namespace saccade::test::near_regions_test {
namespace {

constexpr GridSize kGrid{.rows = 7, .cols = 6};  // a window of radius 1 is a fifth of it
constexpr Index kRegions = 42;

// Leaves all weights as they are. Replaced weights are made of all regions.
struct NoEdit : GlimpseObserver {
  bool replaces() const override { return true; }
};

// Every scope with a window, joined with other choices.
template <class F>
void for_each_local(F f) {
  for (const std::string scope : {"local_m", "local_p", "window"})
    for (const auto& normalizer : attention_normalizers().rows())
      for (const std::string selection : {"soft", "top_k"})
        for (const std::int64_t heads : {1, 2})
          for (const bool sentinel : {false, true}) {
            AttentionConfig c;
            c.scope = scope, c.normalizer = normalizer.name, c.selection = selection;
            c.heads = heads, c.sentinel = sentinel, c.hidden = 4, c.radius = 1, c.k = 3;
            c.pace = 13, c.learned_scale = heads == 2;
            c.score = heads == 2 ? "additive" : "general";
            try {
              check_attention(c);
            } catch (const UsageError&) {
              continue;
            }
            Mechanism m = make(c, kRegions);
            INFO(m.name);
            f(m);
          }
}

}  // namespace

TEST_CASE("a few near regions give the weights and the context of all regions and a mask") {
  NoEdit edit;
  int cases = 0;
  for_each_local([&](const Mechanism& m) {
    for (const Index group : {1, 3}) {
      const Tensor features = normal_tensor({2, kRegions, kFeatures}, 100),
                   query = normal_tensor({2 * group, kQuery}, 101);
      Scene scene{
          .features = features.view(), .query = query.view(), .group = group, .grid = kGrid};
      const AttentionResult near = attend(m, scene);
      scene.observer = &edit;
      const AttentionResult all = attend(m, scene);
      CHECK(near.weights.shape() == Shape{2 * group, kRegions});
      for (Index i = 0; i < near.weights.size(); ++i)
        CHECK(std::abs(near.weights[i] - all.weights[i]) < 1e-13);
      for (Index i = 0; i < near.context.size(); ++i)
        CHECK(std::abs(near.context[i] - all.context[i]) < 1e-13);
      for (std::size_t r = 0; r < near.totals.size(); ++r)
        CHECK(std::abs(near.totals[r] - all.totals[r]) < 1e-13);
      ++cases;
    }
  });
  CHECK(cases > 40);
}

TEST_CASE("near regions respect padding, and a window of padding alone gives way to all regions") {
  NoEdit edit;
  for_each_local([&](const Mechanism& m) {
    const Tensor features = normal_tensor({2, kRegions, kFeatures}, 100),
                 query = normal_tensor({2, kQuery}, 101);
    for (const Index first : {10, 36}) {  // the first region that counts
      Tensor mask({2, kRegions});
      for (Index i = 0; i < mask.size(); ++i) mask[i] = i % kRegions >= first || i % 5 == 0 ? 1 : 0;
      if (first == 36)
        for (Index i = 0; i < kRegions; ++i) mask[i] = i >= first ? 1 : 0;
      Scene scene{
          .features = features.view(), .query = query.view(), .grid = kGrid, .mask = mask.view()};
      const AttentionResult near = attend(m, scene);
      scene.observer = &edit;
      const AttentionResult all = attend(m, scene);
      for (Index i = 0; i < near.weights.size(); ++i)
        CHECK(std::abs(near.weights[i] - all.weights[i]) < 1e-13);
      for (Index i = 0; i < near.context.size(); ++i)
        CHECK(std::abs(near.context[i] - all.context[i]) < 1e-13);
    }
  });
}

TEST_CASE("gradients through near regions agree with differences") {
  Tensor features = normal_tensor({2, kRegions, kFeatures}, 102),
         query = normal_tensor({2, kQuery}, 103);
  for_each_local([&](Mechanism& m) {
    if (m.config.normalizer == "softmax") check_gradients(m, features, query, kGrid);
  });
}

TEST_CASE("only the regions of a small window are read, and a large one is a mask on all regions") {
  constexpr GridSize kWide{.rows = 12, .cols = 12};
  const Index cells = kWide.cells();
  const Tensor query = normal_tensor({1, kQuery}, 107);
  for (const std::string scope : {"local_m", "local_p", "window"})
    for (const Index radius : {1, 3}) {
      AttentionConfig c;
      c.scope = scope, c.hidden = 4, c.radius = radius, c.pace = 50, c.globals = 1;
      INFO(scope << ", " << radius);
      const Mechanism m = make(c, cells);
      Tensor features = normal_tensor({1, cells, kFeatures}, 106);
      const Scene scene{.features = features.view(), .query = query.view(), .grid = kWide};
      const Tensor weights = attend(m, scene).weights;
      // The weight in the window that is not the global region's.
      const Index top =
          std::max_element(weights.data() + 1, weights.data() + cells) - weights.data();
      // What is far from the window cannot be read, or the context would not be finite.
      Index far = 0;
      for (Index l = 1; l < cells; ++l)
        if (std::abs(l / kWide.cols - top / kWide.cols) > 3 ||
            std::abs(l % kWide.cols - top % kWide.cols) > 3) {
          REQUIRE((radius == 3 || weights[l] == 0));
          if (weights[l] != 0) continue;
          far += 1;
          for (Index d = 0; d < kFeatures; ++d) features[l * kFeatures + d] = std::nan("");
        }
      REQUIRE(far > 0);
      CHECK(std::isfinite(attend(m, scene).context[0]) == (radius == 1));
    }
}

}  // namespace saccade::test::near_regions_test
