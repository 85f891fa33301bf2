#include "core/nn/parameter_store.h"

#include <cmath>

#include "core/base/error.h"
#include "core/kernels/gemm.h"
#include "tests/support/catch.h"
#include "tests/support/close.h"

namespace saccade {

namespace {

std::vector<Real> values_of(const ParameterStore& store, const std::string& name) {
  const ConstView v = store.value(store.find(name));
  return {v.data, v.data + v.size()};
}

}  // namespace

TEST_CASE("initial values depend on seed and name only") {
  const auto declare = [](ParameterStore& store, const std::string& name) {
    store.declare(name, {5, 3}, name == "ortho" ? Init::orthogonal() : Init::normal(1));
  };
  ParameterStore two, three, reordered, other_seed;
  for (const char* name : {"a", "ortho"}) declare(two, name), declare(other_seed, name);
  for (const char* name : {"a", "between", "ortho"}) declare(three, name);
  for (const char* name : {"ortho", "a"}) declare(reordered, name);
  two.initialise(1), three.initialise(1), reordered.initialise(1), other_seed.initialise(2);
  for (const char* name : {"a", "ortho"}) {
    CAPTURE(name);
    CHECK(values_of(two, name) == values_of(three, name));
    CHECK(values_of(two, name) == values_of(reordered, name));
    CHECK(values_of(two, name) != values_of(other_seed, name));
  }
  CHECK(values_of(three, "a") != values_of(three, "between"));
  // Memory alone, which is zero, takes nothing from the values that may follow.
  two.allocate();
  CHECK(values_of(two, "a") == std::vector<Real>(15));
  two.initialise(1);
  CHECK(values_of(two, "a") == values_of(three, "a"));
}

TEST_CASE("a parameter may start with the values of another name") {
  ParameterStore store;
  store.declare("query", {3, 4}, Init::glorot(3, 4));
  const int key = store.declare("key", {3, 4}, Init::glorot(3, 4));
  store.declare("wide", {3, 8}, Init::glorot(3, 8));
  REQUIRE_THROWS_AS(store.start_as("key", "wide"), InternalError);
  REQUIRE_THROWS_AS(store.start_as("key", "value"), InternalError);
  store.start_as("key", "query");
  store.initialise(5);
  const ConstView query = store.value(store.find("query"));
  for (Index i = 0; i < query.size(); ++i) REQUIRE(store.value(key)[i] == query[i]);
}

TEST_CASE("each kind of initial value has its distribution") {
  ParameterStore store;
  store.declare("constant", {3}, Init::constant(0.5));
  store.declare("normal", {100, 100}, Init::normal(2));
  store.declare("uniform", {100, 100}, Init::uniform(0.1));
  store.declare("glorot", {100, 50}, Init::glorot(100, 50));
  store.initialise(4);
  const auto moments = [&](const char* name) {
    double sum = 0, squares = 0, largest = 0;
    const std::vector<Real> values = values_of(store, name);
    for (const Real x : values) {
      sum += x, squares += double{x} * x;
      largest = std::max(largest, std::abs(double{x}));
    }
    const auto n = static_cast<double>(values.size());
    return std::array<double, 3>{sum / n, std::sqrt(squares / n), largest};
  };
  CHECK(values_of(store, "constant") == std::vector<Real>(3, 0.5F));
  const auto [normal_mean, normal_rms, normal_largest] = moments("normal");
  CHECK(std::abs(normal_mean) < 0.1);
  CHECK(normal_rms == Approx(2).epsilon(0.03));
  CHECK(normal_largest > 5);
  const auto [uniform_mean, uniform_rms, uniform_largest] = moments("uniform");
  CHECK(std::abs(uniform_mean) < 0.003);
  CHECK(uniform_rms == Approx(0.1 / std::sqrt(3.0)).epsilon(0.03));
  CHECK(uniform_largest <= 0.1F);
  CHECK(moments("glorot")[2] == Approx(std::sqrt(6.0 / 150)).epsilon(0.01));
}

TEST_CASE("orthogonal matrices are orthogonal") {
  ParameterStore store;
  store.declare("square", {16, 16}, Init::orthogonal());
  store.declare("wide", {5, 16}, Init::orthogonal(2));
  store.declare("tall", {16, 5}, Init::orthogonal(0.5));
  store.initialise(1);
  for (const ParameterInfo& info : store.infos()) {
    CAPTURE(info.name);
    const ConstView w = store.value(store.find(info.name));
    const Index n = std::min(w.rows(), w.cols());
    Tensor product({n, n}), expected({n, n});
    // The rows of a wide matrix, or the columns of a tall one.
    if (w.rows() <= w.cols()) {
      kernels::matmul_nt(w, w, product.view(), 0);
    } else {
      kernels::matmul_tn(w, w, product.view(), 0);
    }
    for (Index i = 0; i < n; ++i)
      expected[i * n + i] = static_cast<Real>(info.init.scale * info.init.scale);
    CHECK(test::close(expected.view(), product.view()));
  }
}

TEST_CASE("parameters do not overlap in their block and are found by name") {
  ParameterStore store;
  const ParamScope scope = ParamScope(store, "decoder").sub("lstm");
  const int w = scope.declare("weight", {3, 5}, Init::constant(1));
  const int b = scope.declare("bias", {5}, Init::constant(2), Decay::kNo);
  CHECK(store.find("decoder.lstm.weight") == w);
  CHECK(store.find("weight") == -1);
  CHECK_THROWS_AS(scope.declare("bias", {5}, Init::constant(0)), InternalError);
  store.initialise(1);
  CHECK_THROWS_AS(scope.declare("late", {5}, Init::constant(0)), InternalError);
  CHECK(store.count() == 2);
  CHECK(store.number_count() == 20);
  CHECK(store.flat_size() == 32);
  CHECK(store.info(b).offset % 16 == 0);
  CHECK(store.info(b).decay == Decay::kNo);
  CHECK(store.value(b).data == store.flat().data() + store.info(b).offset);
  CHECK(store.views()[static_cast<std::size_t>(b)].data == store.value(b).data);
  CHECK(store.value(w)[14] == 1);
  CHECK(store.value(b)[0] == 2);
  CHECK(store.flat()[15] == 0);  // the padding
}

}  // namespace saccade
