// Hard choices of several heads, of the sentinel and of no region, in double.
#include "tests/contract/mechanisms.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

constexpr Index kRegions = 5;

// Takes what is given for each draw of a word, the same at every word.
class Given : public GlimpseObserver {
 public:
  explicit Given(std::vector<int> choices) : choices_(std::move(choices)) {}
  bool chooses() const override { return true; }
  RegionChoice choose(const Odds& odds) override {
    columns = std::ssize(odds.weights);
    return {.region = choices_[static_cast<std::size_t>(odds.draw) % choices_.size()]};
  }
  Index columns = 0;  // of the weights

 private:
  std::vector<int> choices_;
};

AttentionConfig hard() {
  AttentionConfig c;
  c.score = "scaled_dot", c.selection = "hard", c.gate = "none";
  c.hidden = 4;
  return c;
}

// The context of one query whose draws are given, and the number of columns that were offered.
struct Taken {
  Mechanism m;
  Tensor features = normal_tensor({1, kRegions, kFeatures}, 90),
         query = normal_tensor({1, kQuery}, 91);
  Given observer;
  AttentionResult seen;

  Taken(const AttentionConfig& config, const std::vector<int>& choices)
      : m(make(config, kRegions)),
        observer(choices),
        seen(attend(m,
                    {.features = features.view(), .query = query.view(), .observer = &observer})) {}
  double feature(Index region, Index d) const { return features[region * kFeatures + d]; }
  // x' W for `columns` columns.
  Real product(const Real* x, const std::string& name, Index column) const {
    const ConstView w = m.store.value(m.store.find("attention." + name));
    Real sum = 0;
    for (Index i = 0; i < w.rows(); ++i) sum += x[i] * w.row(i)[column];
    return sum;
  }
};

}  // namespace

TEST_CASE("each head of a hard mechanism takes a region of its own") {
  AttentionConfig config = hard();
  config.heads = 2;
  const Taken taken(config, {3, 1});
  CHECK(taken.observer.columns == kRegions);
  for (Index h = 0; h < 2; ++h)
    for (Index d = 0; d < 2; ++d) {
      const Real* region = taken.features.data() + (h == 0 ? 3 : 1) * kFeatures;
      CHECK(std::abs(taken.seen.context[2 * h + d] -
                     taken.product(region, str("head_", h, ".value.weight"), d)) < 1e-12);
    }
}

TEST_CASE("a hard choice may be the sentinel, alone or in one of two heads") {
  AttentionConfig config = hard();
  config.sentinel = true;
  const int sentinel = static_cast<int>(kRegions);
  const Taken one(config, {sentinel});
  CHECK(one.observer.columns == kRegions + 1);
  // The sentinel is made from the first numbers of the query (sentinel_of).
  for (Index d = 0; d < kFeatures; ++d)
    CHECK(std::abs(one.seen.context[d] - one.product(one.query.data(), "sentinel.weight", d)) <
          1e-12);
  const Taken region(config, {2});
  for (Index d = 0; d < kFeatures; ++d)
    CHECK(std::abs(region.seen.context[d] - region.feature(2, d)) < 1e-12);

  config.heads = 2;
  const Taken two(config, {sentinel, 4});
  std::vector<Real> vector;
  for (Index d = 0; d < kFeatures; ++d)
    vector.push_back(two.product(two.query.data(), "sentinel.weight", d));
  for (Index d = 0; d < 2; ++d) {
    CHECK(std::abs(two.seen.context[d] - two.product(vector.data(), "head_0.value.weight", d)) <
          1e-12);
    CHECK(std::abs(two.seen.context[2 + d] - two.product(two.features.data() + 4 * kFeatures,
                                                         "head_1.value.weight", d)) < 1e-12);
  }
}

TEST_CASE("monotonic choices go on from the last one, and none is taken after all were passed") {
  AttentionConfig config = hard();
  config.scope = "monotonic";
  const Taken third(config, {2});
  CHECK(third.observer.columns == kRegions + 1);
  for (Index d = 0; d < kFeatures; ++d)
    CHECK(std::abs(third.seen.context[d] - third.feature(2, d)) < 1e-12);
  // The second glimpse starts at the region of the first.
  for (Index l = 0; l < kRegions; ++l) CHECK((third.seen.weights[l] > 0) == (l >= 2));
  const Taken none(config, {static_cast<int>(kRegions)});
  for (Index d = 0; d < kFeatures; ++d) CHECK(none.seen.context[d] == 0);
  for (Index l = 0; l < kRegions; ++l) CHECK(none.seen.weights[l] == 0);
}

TEST_CASE("the maps of heads, and what they have in common, name what was chosen") {
  AttentionConfig config = hard();
  config.heads = 2, config.sentinel = true;
  const auto chosen = [&](const std::vector<int>& choices) {
    const Taken taken(config, choices);
    TestTape tape(taken.m.store.views(), Recording::kNo);
    Given observer(choices);
    const Glimpse g = attend_twice(
        taken.m, tape, tape.constant(taken.features.view()), tape.constant(taken.query.view()),
        {.features = taken.features.view(), .query = taken.query.view(), .observer = &observer});
    REQUIRE(g.draws.size() == 2);
    for (std::size_t h = 0; h < 2; ++h) CHECK(g.draws[h].chosen[0] == choices[h]);
    return g.chosen[0];
  };
  CHECK(chosen({3, 3}) == 3);
  CHECK(chosen({3, 1}) == -1);
  CHECK(chosen({5, 5}) == -1);  // the sentinel
}

TEST_CASE("what hard attention still cannot be joined with is refused with the reason") {
  const auto refused = [](AttentionConfig config) {
    try {
      check_attention(config);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  AttentionConfig config = hard();
  config.scope = "local_p";
  CHECK_THAT(refused(config), Contains("selection hard needs a scope other than local_p"));
  config = hard();
  config.selection = "gumbel_st", config.heads = 2;
  CHECK_THAT(refused(config), Contains("selection gumbel_st needs attention.heads 1"));
  config.heads = 1, config.sentinel = true;
  CHECK_THAT(refused(config), Contains("needs attention.sentinel false"));
  for (const int what : {0, 1, 2, 3}) {
    config = hard();
    config.hard.likelihood = HardLikelihood::kMarginal;
    CHECK(refused(config).empty());
    if (what == 0) config.heads = 2;
    if (what == 1) config.sentinel = true;
    if (what == 2) config.scope = "monotonic";
    if (what == 3) config.output_projection = true;
    CHECK_THAT(refused(config), Contains("hard.likelihood marginal needs"));
  }
}

// Weights that are edited before they become a context, for every mechanism.
namespace {

// Four queries on two memories of six regions, some of which are masked.
struct EditedScene {
  static constexpr Index kRegions = 6;
  Tensor features = normal_tensor({2, kRegions, kFeatures}, 40);
  Tensor query = normal_tensor({4, kQuery}, 41);
  Tensor mask{{2, kRegions}, std::vector<Real>{1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1}};

  bool seen(const Mechanism& m, Index row, Index l) const {
    return !masked(m) || mask.view().row(row / 2)[l] != 0;
  }
  AttentionResult attend_edited(const Mechanism& m, GlimpseObserver* observer) const {
    Scene scene{.features = features.view(), .query = query.view(), .group = 2, .grid = {2, 3}};
    if (masked(m)) scene.mask = mask.view();
    scene.observer = observer;
    return attend(m, scene);
  }
  // Whether the context is sum_l w_l a_l with the weights of the result, and nothing else enters
  // it.
  bool context_is_weighted_sum(const Mechanism& m, const AttentionResult& result) const {
    if (m.config.gate != "none" || m.config.heads > 1 || m.config.sentinel ||
        m.config.output_projection)
      return true;
    bool same = true;
    for (Index r = 0; r < 4; ++r)
      for (Index d = 0; d < kFeatures; ++d) {
        Real sum = 0;
        for (Index l = 0; l < kRegions; ++l)
          sum +=
              result.weights.view().row(r)[l] * features[((r / 2) * kRegions + l) * kFeatures + d];
        same &= std::abs(sum - result.context.view().row(r)[d]) < 1e-11;
      }
    return same;
  }

 private:
  static bool masked(const Mechanism& m) {
    return m.config.mechanism != "linformer";  // refuses masks
  }
};

}  // namespace

TEST_CASE("uniform weights keep the sum of a row, and the context is made with them") {
  const EditedScene scene;
  struct : GlimpseObserver {
    bool replaces() const override { return true; }
    void replace(Index, std::span<Real> weights) override {
      const Real total = std::accumulate(weights.begin(), weights.end(), Real{0});
      std::fill(weights.begin(), weights.end(), total / static_cast<Real>(weights.size()));
    }
  } uniform;
  for_each_mechanism(EditedScene::kRegions, [&](const Mechanism& m) {
    const AttentionResult own = scene.attend_edited(m, nullptr),
                          even = scene.attend_edited(m, &uniform);
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

TEST_CASE("shuffled weights are permuted numbers, and the context is made with them") {
  const EditedScene scene;
  struct : GlimpseObserver {
    bool replaces() const override { return true; }
    void replace(Index memory, std::span<Real> weights) override {
      Random({.sample = static_cast<std::uint64_t>(memory)}).shuffle(weights);
    }
  } shuffled;
  for_each_mechanism(EditedScene::kRegions, [&](const Mechanism& m) {
    const AttentionResult own = scene.attend_edited(m, nullptr),
                          moved = scene.attend_edited(m, &shuffled);
    const auto sorted = [&](const AttentionResult& result, Index r) {
      const Real* row = result.weights.view().row(r);
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
}

}  // namespace saccade::test
