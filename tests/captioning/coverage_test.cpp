// The penalty on regions that no word attends to: its value, its floor and where it is least, for
// every target and scale. In double.
#include "captioning/learning/objectives/caption_loss.h"
#include "core/ops/attention_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/shape_ops.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade {
namespace {

CoverageConfig coverage(CoverageTarget target, CoverageScale scale = CoverageScale::kSum,
                        double tau = 0.4) {
  return {.scale = scale, .target = target, .tau = tau};
}

struct Least {
  double penalty;
  std::vector<double> sums;  // of every region, over the words
};

// The minimum that gradient descent reaches on the scores of `words` softmax maps over `regions`
// regions.
Least descend(const CoverageConfig& config, Index words, Index regions) {
  Tensor scores({words, regions});
  Random random({3, Stream::kTest, 0, 0});
  for (Real& x : scores.span()) x = random.normal();
  const std::vector<Real> target{coverage_target(config, words, regions)};
  const auto sides = config.target == CoverageTarget::kAtLeast ? ops::CoverageSides::kBelow
                                                               : ops::CoverageSides::kBoth;
  Least least{};
  for (int step = 0; step < 4000; ++step) {
    test::TestTape tape;
    const Var x = tape.variable(scores.view());
    const Var weights = ops::softmax(x);
    std::vector<Var> steps;
    for (Index t = 0; t < words; ++t) steps.push_back(ops::slice_rows(weights, t, 1));
    const Var penalty = ops::coverage(steps, target, sides);
    least.penalty = penalty.value()[0];
    least.sums.assign(static_cast<std::size_t>(regions), 0);
    for (Index t = 0; t < words; ++t)
      for (Index l = 0; l < regions; ++l)
        least.sums[static_cast<std::size_t>(l)] += weights.value().row(t)[l];
    CHECK(least.penalty > penalty_floor(config, words, regions) - 1e-9);
    tape.backward(penalty);
    for (Index i = 0; i < scores.size(); ++i) scores[i] -= 0.5 * tape.grad(x)[i];
  }
  return least;
}

// A shard of two captions, whose loss is kept until backward.
struct Shard {
  explicit Shard(const std::string& selection) : model("lstm", selection, 7, 2) {}

  test::SmallDecoder model;
  Arena arena;
  Tape tape{arena};
  std::unique_ptr<ShardLoss> loss;

  ShardLoss& run(const CoverageConfig& config, double weight, ConstView mask = {}) {
    loss.reset();
    tape.reset();
    tape.set_parameters(model.store.views());
    ObjectiveConfig objective;
    objective.doubly_stochastic = weight;
    objective.coverage = config;
    CaptionLossOptions options = loss_options(objective, model.attention, {});
    if (model.attention.selection == "hard") options.hard.lambda_r = 0;
    const EncodedValues images{model.features.view(), mask};
    loss = std::make_unique<ShardLoss>(
        tape, *model.decoder, images.on(tape),
        pack_captions(std::vector<std::vector<int>>{{4, 5, 6}, {3}}, 1, 2), options,
        ShardKey{.seed = 1, .batch_captions = 2});
    return *loss;
  }
  std::vector<Real> gradient(const CoverageConfig& config, double weight) {
    run(config, weight).backward(RewardBaseline{});
    return test::parameter_gradients(tape, model.store);
  }
};

}  // namespace

TEST_CASE(
    "the minimum of the penalty is where the documentation puts it, and never below its floor") {
  const auto one = coverage(CoverageTarget::kOne), even = coverage(CoverageTarget::kEven);
  CHECK(penalty_floor(one, 3, 5) == Approx(4.0 / 5));
  CHECK(penalty_floor(even, 3, 5) == 0);
  CHECK(penalty_floor(coverage(CoverageTarget::kAtLeast), 3, 5) == 0);
  const auto high = coverage(CoverageTarget::kAtLeast, CoverageScale::kSum, 0.8);
  CHECK(penalty_floor(high, 3, 5) == Approx(5 * 0.2 * 0.2));
  CHECK(penalty_floor(coverage(CoverageTarget::kOne, CoverageScale::kMean), 3, 5) ==
        Approx(4.0 / 25));
  for (const CoverageConfig& config : {one, even, coverage(CoverageTarget::kAtLeast), high}) {
    INFO(enum_name(config.target) << ", tau " << config.tau);
    const Least least = descend(config, 3, 5);
    CHECK(std::abs(least.penalty - penalty_floor(config, 3, 5)) < 1e-4);
    for (const double sum : least.sums) {
      if (config.target == CoverageTarget::kAtLeast && config.tau < 0.6)
        CHECK(sum > config.tau - 0.01);  // not all are equal: what is above is free
      else
        CHECK(std::abs(sum - 0.6) < 0.01);
    }
  }
  // If there is more weight than the regions need, the floor of `at_least` is 0, and that of `one`
  // is not.
  CHECK(penalty_floor(high, 9, 5) == 0);
  CHECK(penalty_floor(one, 9, 5) == Approx(16.0 / 5));
}

TEST_CASE(
    "the penalty that is reported of a caption follows the formula over the unmasked regions") {
  const Tensor mask({2, 3}, std::vector<Real>{1, 1, 0, 1, 1, 1});
  for (const bool padded : {false, true})
    for (const auto& target : enum_table(CoverageTarget{}))
      for (const auto& scale : enum_table(CoverageScale{}))
        for (const std::string selection : {"soft", "hard"}) {
          INFO(target.name << ", " << scale.name << ", padded " << padded << ", " << selection);
          Shard shard(selection);
          const CoverageConfig config = coverage(target.value, scale.value, 0.9);
          const ShardLoss& loss = shard.run(config, 1, padded ? mask.view() : ConstView{});
          const Index samples = shard.model.attention.selection == "hard" ? 2 : 1;
          for (Index c = 0; c < 2; ++c) {
            const Index words = c == 0 ? 4 : 2, regions = padded && c == 0 ? 2 : 3;
            double expected = 0;
            for (Index l = 0; l < regions; ++l) {
              double sum = 0;
              for (Index t = 0; t < words; ++t)
                sum += loss.output().weights()[static_cast<std::size_t>(t)].value().row(c *
                                                                                        samples)[l];
              const double goal = target.value == CoverageTarget::kOne ? 1
                                  : target.value == CoverageTarget::kEven
                                      ? static_cast<double>(words) / static_cast<double>(regions)
                                      : 0.9;
              const double gap =
                  target.value == CoverageTarget::kAtLeast ? std::max(0.0, goal - sum) : goal - sum;
              expected += gap * gap;
            }
            if (scale.value == CoverageScale::kMean) expected /= static_cast<double>(regions);
            const double got = loss.penalties()[static_cast<std::size_t>(c)];
            // Under hard attention, the mean over the caption's draws is reported.
            if (samples == 1) CHECK(got == Approx(expected).epsilon(1e-9).margin(1e-12));
            CHECK(got > penalty_floor(config, words, regions) - 1e-9);
          }
        }
}

TEST_CASE("the mean over regions equals their sum at a weight of 1/L, in all gradients") {
  Shard shard("soft");
  constexpr double kRegions = test::SmallDecoder::kRegions;
  for (const auto& target : enum_table(CoverageTarget{})) {
    INFO(target.name);
    const auto sum = shard.gradient(coverage(target.value, CoverageScale::kSum, 0.9), 2 / kRegions),
               mean = shard.gradient(coverage(target.value, CoverageScale::kMean, 0.9), 2),
               none = shard.gradient(coverage(target.value), 0);
    double most = 0, moved = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      most = std::max(most, std::abs(sum[i] - mean[i]));
      moved = std::max(moved, std::abs(sum[i] - none[i]));
    }
    CHECK(most < 1e-12);
    CHECK(moved > 1e-4);
  }
}

}  // namespace saccade
