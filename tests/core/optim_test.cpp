#include <array>

#include "core/base/random.h"
#include "core/config/config.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

// Three parameters, one of which does not decay. Their sizes leave padding behind each.
ParameterStore small_store() {
  ParameterStore store;
  store.declare("weight", Shape{5, 7}, Init::normal(1));
  store.declare("bias", Shape{3}, Init::normal(1), Decay::kNo);
  store.declare("other", Shape{18}, Init::normal(1));
  store.set_rate("other", 0.25);
  store.initialise(1);
  return store;
}

struct Scalar {
  double w = 0, m = 0, v = 0;
};

// One update of one number in double, by the formulas of the papers.
void reference_update(const OptimizerConfig& c, double g, double decay, int t, double lr,
                      Scalar& s) {
  switch (c.type) {
    case OptimizerKind::kSgd:
      s.m = c.momentum * s.m + g + decay * s.w;
      s.w -= lr * s.m;
      break;
    case OptimizerKind::kRmsprop: {
      const double h = g + decay * s.w;
      s.v = c.rho * s.v + (1 - c.rho) * h * h;
      s.w -= lr * h / (std::sqrt(s.v) + c.epsilon);
      break;
    }
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamw: {
      const bool decoupled = c.type == OptimizerKind::kAdamw;
      const double h = decoupled ? g : g + decay * s.w;
      if (decoupled) s.w -= lr * decay * s.w;
      s.m = c.beta1 * s.m + (1 - c.beta1) * h;
      s.v = c.beta2 * s.v + (1 - c.beta2) * h * h;
      const double m_hat = s.m / (1 - std::pow(c.beta1, t));
      const double v_hat = s.v / (1 - std::pow(c.beta2, t));
      s.w -= lr * m_hat / (std::sqrt(v_hat) + c.epsilon);
      break;
    }
  }
}

std::vector<Real> random_numbers(std::size_t count, std::uint64_t seed) {
  Random random({seed, Stream::kTest, 0, 0});
  std::vector<Real> numbers(count);
  for (Real& x : numbers) x = static_cast<Real>(random.normal());
  return numbers;
}

}  // namespace

TEST_CASE("optimizers follow their formulas over several updates") {
  for (const auto& row : enum_table(OptimizerKind{}))
    for (const double weight_decay : {0.0, 0.03})
      for (const double momentum : {0.0, 0.9}) {
        INFO(row.name << ", decay " << weight_decay << ", momentum " << momentum);
        const OptimizerConfig config{
            .type = row.value, .momentum = momentum, .weight_decay = weight_decay};
        ParameterStore store = small_store();
        const auto optimizer = make_optimizer(config, store);
        std::vector<Scalar> expected(static_cast<std::size_t>(store.flat_size()));
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i].w = static_cast<double>(store.flat()[static_cast<Index>(i)]);
        for (int t = 1; t <= 6; ++t) {
          const double lr = 0.05 / t;
          const auto grads =
              random_numbers(expected.size(), static_cast<std::uint64_t>(100 * t + 7));
          optimizer->begin_step(lr);
          for (const ParameterInfo& info : store.infos()) {
            const Index end = info.offset + info.shape.size();
            optimizer->update(
                {.begin = info.offset, .end = end, .decay = info.decay, .rate = info.rate},
                {.data = grads.data() + info.offset});
            for (Index i = info.offset; i < end; ++i)
              reference_update(config, static_cast<double>(grads[static_cast<std::size_t>(i)]),
                               info.decay == Decay::kYes ? weight_decay : 0, t, lr * info.rate,
                               expected[static_cast<std::size_t>(i)]);
          }
        }
        double error = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
          error = std::max(
              error,
              std::abs(static_cast<double>(store.flat()[static_cast<Index>(i)]) - expected[i].w));
        CHECK(error <= 2e-6);
        CHECK(optimizer->updates() == 6);
      }
}

TEST_CASE("an update uses the scaled gradient, cut at the limit") {
  ParameterStore store;
  store.declare("w", Shape{4}, Init::constant(0));
  store.initialise(1);
  const auto sgd = make_optimizer({.type = OptimizerKind::kSgd, .momentum = 0}, store);
  const std::array<Real, 4> g{1, -8, 3, -0.5f};
  sgd->begin_step(1);
  sgd->update({.begin = 0, .end = 4}, {.data = g.data(), .scale = 0.5f, .limit = 1});
  CHECK(store.flat()[0] == Real(-0.5));
  CHECK(store.flat()[1] == Real(1));
  CHECK(store.flat()[2] == Real(-1));
  CHECK(store.flat()[3] == Real(0.25));
  CHECK(sgd->moments().empty());
}

TEST_CASE("an optimizer is restored from its moments and its count") {
  const auto train = [](int from, int to, Optimizer& optimizer, ParameterStore& store) {
    for (int t = from; t < to; ++t) {
      const auto grads = random_numbers(static_cast<std::size_t>(store.flat_size()),
                                        static_cast<std::uint64_t>(t));
      optimizer.begin_step(0.01);
      optimizer.update({.begin = 0, .end = store.flat_size()}, {.data = grads.data()});
    }
  };
  ParameterStore whole = small_store();
  const auto first = make_optimizer({}, whole);
  train(0, 3, *first, whole);
  ParameterStore resumed = small_store();
  const auto second = make_optimizer({}, resumed);
  std::copy_n(whole.flat().data(), whole.flat_size(), resumed.flat().data());
  second->set_updates(first->updates());
  REQUIRE(second->moments().size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(second->moments()[k].name == first->moments()[k].name);
    second->moments()[k].values = first->moments()[k].values.clone();
  }
  train(3, 6, *first, whole);
  train(3, 6, *second, resumed);
  CHECK(std::equal(whole.flat().span().begin(), whole.flat().span().end(),
                   resumed.flat().span().begin()));
}

TEST_CASE("the average of the weights follows its formula, also after resuming") {
  const double decay = 0.8;
  ParameterStore store = small_store();
  const auto optimizer = make_optimizer({.ema = decay}, store);
  CHECK(optimizer->average() == nullptr);  // there is nothing to average yet
  const auto size = static_cast<std::size_t>(store.flat_size());
  const auto step = [size](int t, Optimizer& of) {
    const auto grads = random_numbers(size, static_cast<std::uint64_t>(t));
    of.begin_step(0.01);
    of.update({.begin = 0, .end = 35}, {.data = grads.data()});
    of.end_step();
  };
  std::vector<double> expected(size, 0);
  for (int t = 1; t <= 70; ++t) {
    step(t, *optimizer);
    const double keep = std::min(decay, (t - 1) / (t + 9.0));
    for (std::size_t i = 0; i < size; ++i)
      expected[i] = keep * expected[i] +
                    (1 - keep) * static_cast<double>(store.flat()[static_cast<Index>(i)]);
    if (t > 1 && t != 30 && t != 70) continue;
    const std::span<const Real> average = optimizer->average()->values().span();
    double error = 0;
    for (std::size_t i = 0; i < size; ++i)
      error = std::max(error, std::abs(static_cast<double>(average[i]) - expected[i]));
    CHECK(error < 1e-6);
    // The average of a number that never changes is that number, to the bit.
    for (std::size_t i = 35; i < size; ++i)
      REQUIRE(average[i] == store.flat()[static_cast<Index>(i)]);
  }
  CHECK(WeightAverage::decay_at(0.999, 1) == 0);
  CHECK(WeightAverage::decay_at(0.999, 91) == Approx(0.9));
  CHECK(WeightAverage::decay_at(0.999, 100000) == 0.999);

  ParameterStore other = small_store();
  const auto resumed = make_optimizer({.ema = decay}, other);
  std::copy_n(store.flat().data(), store.flat_size(), other.flat().data());
  resumed->set_updates(optimizer->updates());
  for (std::size_t k = 0; k < 2; ++k)
    resumed->moments()[k].values = optimizer->moments()[k].values.clone();
  resumed->average()->values() = optimizer->average()->values().clone();
  step(71, *optimizer);
  step(71, *resumed);
  CHECK(std::equal(resumed->average()->values().span().begin(),
                   resumed->average()->values().span().end(),
                   optimizer->average()->values().span().begin()));
  // The two are exchanged, and exchanged back.
  const std::vector<Real> weights(store.flat().span().begin(), store.flat().span().end());
  const Real first = optimizer->average()->values().data()[0];
  optimizer->average()->swap();
  CHECK(store.flat()[0] == first);
  CHECK(store.flat()[0] != weights[0]);
  optimizer->average()->swap();
  CHECK(std::equal(weights.begin(), weights.end(), store.flat().span().begin()));
  optimizer->start_anew();
  CHECK(optimizer->average() == nullptr);
}

TEST_CASE("schedules have the values of their formulas") {
  const TrainingLength length{.updates_per_epoch = 10, .total = 100};
  const auto rate = [&](OptimizerConfig config, Index update) {
    config.lr = 2;
    return Schedule(config, length).rate(update);
  };
  CHECK(rate({}, 0) == 2);
  CHECK(rate({}, 1000) == 2);
  CHECK(rate({.warmup = 4}, 0) == Approx(0.5));
  CHECK(rate({.warmup = 4}, 3) == Approx(2));
  CHECK(rate({.warmup = 4}, 50) == 2);

  const OptimizerConfig step{
      .schedule = ScheduleKind::kStep, .decay_every = epochs(2), .decay_factor = 0.1};
  CHECK(rate(step, 19) == Approx(2));
  CHECK(rate(step, 20) == Approx(0.2));
  CHECK(rate(step, 59) == Approx(0.02));
  CHECK(rate({.schedule = ScheduleKind::kStep, .decay_every = updates(3)}, 3) == Approx(1));

  const OptimizerConfig cosine{.schedule = ScheduleKind::kCosine, .final_lr = 1};
  CHECK(rate(cosine, 0) == Approx(2));
  CHECK(rate(cosine, 50) == Approx(1.5));
  CHECK(rate(cosine, 100) == Approx(1));
  CHECK(rate(cosine, 5000) == Approx(1));

  const OptimizerConfig warm{.schedule = ScheduleKind::kCosine, .warmup = 20};
  CHECK(rate(warm, 9) == Approx(1));
  CHECK(rate(warm, 20) == Approx(2));
  CHECK(rate(warm, 60) == Approx(1));
  CHECK(rate(warm, 80) == Approx(1 + std::cos(0.75 * std::acos(-1.0))));
}

TEST_CASE("the former name of a schedule is read, and the present one is printed") {
  const auto loaded = parse_config<OptimizerConfig>("schedule: warmup_cosine", "t.yaml");
  CHECK(loaded.config.schedule == ScheduleKind::kCosine);
  using Catch::Matchers::Contains;
  CHECK_THAT(print_config(loaded.config), Contains("schedule: cosine"));
  CHECK_THROWS_WITH(parse_config<OptimizerConfig>("schedule: warmup", "t.yaml"),
                    Contains("is not one of constant|step|cosine"));
}

TEST_CASE("schedules that cannot be counted in updates are refused with a remedy") {
  using Catch::Matchers::Contains;
  const TrainingLength known{.updates_per_epoch = 10, .total = 100},
      unknown{.updates_per_epoch = 10};
  CHECK_THROWS_WITH(Schedule({.schedule = ScheduleKind::kCosine}, unknown), Contains("train.stop"));
  CHECK_THROWS_WITH(Schedule({.schedule = ScheduleKind::kCosine, .warmup = 100}, known),
                    Contains("optimizer.warmup is 100"));
  CHECK_THROWS_WITH(Schedule({.schedule = ScheduleKind::kStep, .decay_every = seconds(5)}, known),
                    Contains("optimizer.decay_every is 5s"));
  CHECK_THROWS_AS(Schedule({.schedule = ScheduleKind::kStep, .decay_every = updates(0)}, known),
                  UsageError);
}

}  // namespace saccade
