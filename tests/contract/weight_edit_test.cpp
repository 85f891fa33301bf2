// Weights that are edited before they become a context, for every mechanism.
#include "tests/contract/mechanisms.h"

namespace saccade::test {

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
    if (m.config.gate != GateKind::kNone || m.config.heads > 1 || m.config.sentinel ||
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
    return m.config.mechanism != MechanismKind::kLinformer;  // refuses masks
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
