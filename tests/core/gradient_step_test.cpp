#include "core/optim/gradient_step.h"

#include <deque>

#include "core/ops/linear.h"
#include "core/parallel/parallel.h"
#include "tests/core/gradient_shards.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using namespace test;

// The plain gradient in double, product by product.
std::vector<double> plain_gradient(const Model& model, std::span<Tape* const> shards) {
  std::vector<double> flat(static_cast<std::size_t>(model.store.flat_size()));
  const auto at = [&](int parameter, Index r, Index c) -> double& {
    const ParameterInfo& info = model.store.info(parameter);
    return flat[static_cast<std::size_t>(info.offset + r * info.shape.cols() + c)];
  };
  for (const Tape* tape : shards) {
    for (const LinearGrad& job : tape->linear_grads())
      for (Index n = 0; n < job.x.rows(); ++n)
        for (Index r = 0; r < job.x.cols(); ++r)
          for (Index c = 0; c < job.dy.cols(); ++c)
            at(job.parameter, r, c) +=
                static_cast<double>(job.x.row(n)[r]) * static_cast<double>(job.dy.row(n)[c]);
    for (const RowsGrad& job : tape->rows_grads())
      for (std::size_t i = 0; i < job.ids.size(); ++i)
        for (Index c = 0; c < job.dy.cols(); ++c)
          at(job.parameter, job.ids[i], c) +=
              static_cast<double>(job.dy.row(static_cast<Index>(i))[c]);
    for (std::size_t p = 0; p < model.store.count(); ++p) {
      const ConstView grad = tape->parameter_grad(static_cast<int>(p));
      for (Index i = 0; grad.data && i < grad.size(); ++i)
        at(static_cast<int>(p), 0, i) += static_cast<double>(grad[i]);
    }
  }
  return flat;
}

struct Result {
  std::vector<Real> weights;
  std::vector<StepReport> reports;
};

Result train(const Clipping& clipping, const OptimizerConfig& config = {.weight_decay = 0.01},
             Index groups = 1) {
  Model model;
  const auto optimizer = make_optimizer(config, model.store);
  GradientStep step(model.store, *optimizer, clipping, groups);
  Result result;
  for (std::uint64_t t = 0; t < 3; ++t) {
    Shard a(model, 10 * t), b(model, 10 * t + 1);
    const std::array<Tape*, 2> shards{&a.tape(), &b.tape()};
    result.reports.push_back(step.apply(shards, 0.01));
  }
  const auto flat = model.store.flat().span();
  result.weights.assign(flat.begin(), flat.end());
  return result;
}

}  // namespace

TEST_CASE("the gradient of all shards is the plain sum of their products, rows and buffers") {
  Model model;
  const auto optimizer = make_optimizer({}, model.store);
  GradientStep step(model.store, *optimizer);
  for (const std::uint64_t seed : {1, 2}) {  // the second pass finds used buffers
    Shard a(model, 10 * seed), b(model, 10 * seed + 1);
    const std::array<Tape*, 2> shards{&a.tape(), &b.tape()};
    const std::vector<double> expected = plain_gradient(model, shards);
    const ConstView gradient = step.gradients(shards);
    REQUIRE(gradient.size() == static_cast<Index>(expected.size()));
    double error = 0, largest = 0, square = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      error = std::max(
          error, std::abs(static_cast<double>(gradient[static_cast<Index>(i)]) - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
      square += expected[i] * expected[i];
    }
    CHECK(largest > 10);
    CHECK(error <= 1e-5 * largest);
    // The padding, and parameters that nothing contributed to.
    const Index padding = model.store.info(model.unused).offset;
    CHECK(gradient[padding] == 0);
    CHECK(gradient[padding - 1] == 0);
    CHECK(step.apply(shards, 0).grad_norm == Approx(std::sqrt(square)).epsilon(1e-5));
  }
}

TEST_CASE("gradients of groups meet in a tree, where groups that have nothing are left out") {
  Model model;
  const auto optimizer = make_optimizer({}, model.store);
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<Tape*> tapes;
  for (std::uint64_t s = 0; s < 6; ++s) {
    shards.push_back(std::make_unique<Shard>(model, s));
    tapes.push_back(&shards.back()->tape());
  }
  const auto of = [&](std::size_t first, std::size_t count) {
    GradientStep step(model.store, *optimizer);
    const auto flat = step.gradients(std::span(tapes).subspan(first, count)).span();
    return std::vector<Real>(flat.begin(), flat.end());
  };
  const auto sum = [](std::vector<Real> a, const std::vector<Real>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };
  const auto grouped = [&](Index groups) {
    GradientStep step(model.store, *optimizer, {}, groups);
    const auto flat = step.gradients(tapes).span();
    return std::vector<Real>(flat.begin(), flat.end());
  };
  // Shards 0 | 1, 2 | 3 | 4, 5 are in four groups; of eight, groups 0 and 4 have none.
  const bool four = grouped(4) == sum(sum(of(0, 1), of(1, 2)), sum(of(3, 1), of(4, 2)));
  const bool eight = grouped(8) == sum(sum(of(0, 1), sum(of(1, 1), of(2, 1))),
                                       sum(of(3, 1), sum(of(4, 1), of(5, 1))));
  CHECK(four);
  CHECK(eight);
  CHECK_THROWS_AS(GradientStep(model.store, *optimizer, {}, 3), ShapeError);
}

TEST_CASE("clipping by norm and by value") {
  Model model;
  const auto apply = [&](const Clipping& clipping, std::vector<Real>& delta) {
    Model fresh;
    const auto sgd = make_optimizer({.type = OptimizerKind::kSgd, .momentum = 0}, fresh.store);
    GradientStep step(fresh.store, *sgd, clipping);
    Shard a(fresh, 1), b(fresh, 2);
    const std::array<Tape*, 2> shards{&a.tape(), &b.tape()};
    const StepReport report = step.apply(shards, 1);
    delta.resize(static_cast<std::size_t>(fresh.store.flat_size()));
    for (std::size_t i = 0; i < delta.size(); ++i) {
      const auto at = static_cast<Index>(i);
      delta[i] = model.store.flat()[at] - fresh.store.flat()[at];
    }
    return report;
  };
  const auto norm = [](const std::vector<Real>& delta) {
    double sum = 0;
    for (const Real x : delta) sum += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(sum);
  };
  std::vector<Real> plain, by_norm, by_value;
  const StepReport report = apply({}, plain);
  CHECK(report.grad_norm > 20);
  CHECK(report.scale == 1);
  CHECK(norm(plain) == Approx(report.grad_norm).epsilon(1e-5));
  CHECK(apply({.norm = 5}, by_norm).scale == Approx(5 / report.grad_norm));
  CHECK(norm(by_norm) == Approx(5).epsilon(1e-4));
  apply({.value = 0.25}, by_value);
  double error = 0;
  for (std::size_t i = 0; i < plain.size(); ++i)
    error = std::max(
        error,
        static_cast<double>(std::abs(by_value[i] - std::clamp(plain[i], Real(-0.25), Real(0.25)))));
  CHECK(error <= 1e-6);
}

TEST_CASE("parameters of another loss are clipped separately from the others") {
  const auto changes = [](const char* apart, const char* changed, double norm) {
    const Model before;
    Model model;
    if (apart) model.store.set_apart(apart);
    const auto sgd = make_optimizer({.type = OptimizerKind::kSgd, .momentum = 0}, model.store);
    GradientStep step(model.store, *sgd, {.norm = norm});
    Shard shard(model, 1);
    const std::array<Tape*, 1> shards{&shard.tape()};
    const StepReport report = step.apply(shards, 1);
    const int index = model.store.find(changed);
    double sum = 0;
    for (Index i = 0; i < model.store.value(index).size(); ++i) {
      const auto d =
          static_cast<double>(model.store.value(index)[i] - before.store.value(index)[i]);
      sum += d * d;
    }
    return std::pair(report.grad_norm, std::sqrt(sum));
  };
  const auto [all, whole_table] = changes(nullptr, "table", 1e9);
  const auto [without, same_table] = changes("table", "table", 1e9);
  CHECK(std::sqrt(all * all - whole_table * whole_table) == Approx(without).epsilon(1e-5));
  CHECK(same_table == whole_table);
  // Each side is clipped by its own norm.
  CHECK(changes("table", "table", whole_table / 2).second == Approx(whole_table / 2).epsilon(1e-4));
  const double limit = without / 4, whole_weight = changes(nullptr, "weight", 1e9).second;
  CHECK(changes("table", "weight", limit).second == Approx(whole_weight / 4).epsilon(1e-4));
}

TEST_CASE("updating tile by tile equals computing the whole gradient first, to the bit") {
  // A norm limit that is never reached makes the whole gradient first, and changes no number.
  for (const double value : {0.0, 0.1})
    for (const auto& kind : enum_table(OptimizerKind{})) {
      INFO(kind.name << ", clip_value " << value);
      const OptimizerConfig config{.type = kind.value, .weight_decay = 0.01};
      const Result fused = train({.value = value}, config);
      const Result two_passes = train({.norm = 1e9, .value = value}, config);
      const bool same_weights =
          fused.weights == two_passes.weights;  // printing them would take minutes
      CHECK(same_weights);
      CHECK(fused.reports[2].grad_norm == two_passes.reports[2].grad_norm);
    }
}

TEST_CASE("an update gives the same bits for 1, 2 and 4 threads") {
  for (const double norm : {0.0, 5.0}) {
    std::vector<Result> results;
    for (const int threads : {1, 2, 4}) {
      parallel::set_threads(threads);
      // Two shards are in two groups, however many there are.
      for (const Index groups : {2, 8}) results.push_back(train({.norm = norm}, {}, groups));
    }
    for (const Result& result : results) {
      const bool same_weights = result.weights == results[0].weights;
      CHECK(same_weights);
      CHECK(result.reports[2].grad_norm == results[0].reports[2].grad_norm);
    }
  }
}

TEST_CASE("padding stays zero and a parameter without a gradient is left alone") {
  const Model untouched;
  for (const double norm : {0.0, 5.0}) {
    const Result result = train({.norm = norm});
    std::vector<bool> inside(result.weights.size());
    for (const ParameterInfo& info : untouched.store.infos())
      for (Index i = 0; i < info.shape.size(); ++i)
        inside[static_cast<std::size_t>(info.offset + i)] = true;
    bool zero = true;
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (!inside[i]) zero = zero && result.weights[i] == 0;
    CHECK(zero);
    const ParameterInfo& info = untouched.store.info(untouched.unused);
    CHECK(std::equal(result.weights.begin() + info.offset,
                     result.weights.begin() + info.offset + info.shape.size(),
                     untouched.store.flat().data() + info.offset));
  }
}

TEST_CASE("a gradient that is not finite names its parameter") {
  for (const Real poison :
       {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
    for (const double norm : {0.0, 5.0}) {
      Model model;
      const auto optimizer = make_optimizer({}, model.store);
      GradientStep step(model.store, *optimizer, {.norm = norm});
      const Tensor before = model.store.flat().clone();
      Shard a(model, 1), b(model, 2, poison);
      const std::array<Tape*, 2> shards{&a.tape(), &b.tape()};
      CHECK_THROWS_AS(step.apply(shards, 0.01), DivergedError);
      CHECK_THROWS_WITH(step.apply(shards, 0.01),
                        Catch::Matchers::Contains("the gradient of long_bias [3] is not finite"));
      const bool unchanged = std::equal(before.span().begin(), before.span().end(),
                                        std::as_const(model.store).flat().span().begin());
      CHECK(unchanged == (norm > 0));
    }
}

TEST_CASE("steps of one size hold no more memory than the first") {
  Model model;
  const auto optimizer = make_optimizer({}, model.store);
  GradientStep step(model.store, *optimizer, {.norm = 5});
  std::vector<std::size_t> held;
  for (std::uint64_t t = 0; t < 4; ++t) {
    Shard a(model, t), b(model, t + 100);
    const std::array<Tape*, 2> shards{&a.tape(), &b.tape()};
    step.apply(shards, 0.01);
    held.push_back(step.held_bytes());
  }
  CHECK(held.front() > 0);
  CHECK(held.back() == held.front());
}

TEST_CASE(
    "frozen parameters get no gradient and keep their values, and the others are not affected") {
  const auto weights = [](std::initializer_list<const char*> frozen) {
    Model model;
    for (const char* name : frozen) REQUIRE(model.store.set_rate(name, 0) == 1);
    const auto optimizer = make_optimizer({}, model.store);
    GradientStep step(model.store, *optimizer, {});
    Shard shard(model, 5);
    const std::vector<Tape*> tapes{&shard.tape()};
    step.apply(tapes, 0.1);
    for (const LinearGrad& job : shard.tape().linear_grads())
      CHECK(model.store.info(job.parameter).rate == 1);
    return model;
  };
  const Model first, all = weights({}), some = weights({"tall", "table"});
  for (const int p : {first.weight, first.bias, first.table, first.tall, first.long_bias}) {
    const bool frozen = p == first.tall || p == first.table;
    const ConstView got = some.store.value(p), want = (frozen ? first : all).store.value(p);
    CHECK(std::equal(got.data, got.data + got.size(), want.data));
    const ConstView trained = all.store.value(p), old = first.store.value(p);
    CHECK_FALSE(std::equal(trained.data, trained.data + trained.size(), old.data));
  }
  CHECK(all.store.trained_count() == all.store.number_count());
  CHECK(all.store.trained_count() - some.store.trained_count() ==
        kWords * kIn + kTallIn * kTallOut);
}

}  // namespace saccade
