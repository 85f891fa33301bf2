#include <cstdint>
#include <cstring>
#include <tuple>

#include "core/autograd/keep_value.h"
#include "core/memory/arena.h"
#include "core/nn/parameter_store.h"
#include "core/ops/attention_ops.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "core/tensor/tensor.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade {
namespace {

Tensor counting(Shape shape) {
  Tensor out(shape);
  for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<Real>(i % 7) / 7;
  return out;
}

// The message of the ShapeError that `body` throws; empty if it throws none.
template <class Body>
std::string shape_error(Body body) {
  try {
    body();
  } catch (const ShapeError& e) {
    return e.what();
  }
  return "";
}

bool mentions(const std::string& text, std::initializer_list<const char*> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a second step of the same size allocates nothing and gives the same bits") {
  ParameterStore store;
  const int w = store.declare("w", {8, 32}, Init::normal(1));
  store.initialise(1);
  const Tensor x = counting({6, 8});
  Arena arena(std::size_t{1} << 10);  // small blocks, so that a step needs several
  Tape tape(arena);
  tape.set_parameters(store.views());
  tape.set_training(true);
  const auto step = [&] {
    tape.reset();
    tape.set_random(1, 2, 3);
    Var h = tape.variable(x.view());
    for (int i = 0; i < 5; ++i) {
      const Var gates = ops::linear(ops::dropout(h, 0.25), tape.parameter(w));
      h = ops::lstm_cell(gates, h).h;
    }
    const Var nll = ops::cross_entropy(h, std::vector<int>{0, 1, 2, 3, 4, 5});
    const std::vector<Real> ones(6, 1);
    tape.backward(ops::dot_constant(nll, ones));
    const ConstView g = tape.grad(Var(&tape, 0));
    return std::vector<Real>(g.data, g.data + g.size());
  };
  const std::vector<Real> first = step();
  const std::size_t allocations = arena.system_allocations(), high_water = arena.high_water();
  CHECK(allocations > 1);
  CHECK(std::any_of(first.begin(), first.end(), [](Real g) { return g != 0; }));
  for (int i = 0; i < 3; ++i) CHECK(step() == first);
  CHECK(arena.system_allocations() == allocations);
  CHECK(arena.high_water() == high_water);
}

TEST_CASE("gradients exist only where backward reached") {
  const Tensor x = counting({3}), y = counting({3});
  test::TestTape tape;
  const Var a = tape.variable(x.view()), b = tape.variable(y.view());
  const Var fixed = tape.constant(x.view());
  const Var used = ops::multiply(a, fixed), aside = ops::tanh(b);
  CHECK(used.requires_grad());
  CHECK_FALSE(fixed.requires_grad());
  CHECK_FALSE(ops::tanh(fixed).requires_grad());
  CHECK_FALSE(tape.has_grad(a));

  tape.backward(ops::dot_constant(used, std::vector<Real>{1, 2, 3}), 0.5F);
  CHECK(tape.has_grad(a));
  CHECK_FALSE(tape.has_grad(b));
  CHECK_FALSE(tape.has_grad(aside));
  CHECK_FALSE(tape.has_grad(fixed));
  for (Index i = 0; i < 3; ++i)
    CHECK(tape.grad(a)[i] == Approx(0.5 * static_cast<double>(i + 1) * double{x[i]}));
  // A gradient that never flowed reads as zero.
  CHECK(tape.grad(b)[0] == 0);
}

TEST_CASE("inference records nothing") {
  ParameterStore store;
  const int w = store.declare("w", {2, 3}, Init::normal(1));
  store.initialise(1);
  const Tensor x = counting({4, 2});
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(store.views());
  tape.set_recording(false);
  const Var in = tape.variable(x.view());
  CHECK_FALSE(in.requires_grad());
  CHECK_FALSE(tape.parameter(w).requires_grad());
  const std::size_t before = arena.used();
  const Var y = ops::linear(in, tape.parameter(w));
  CHECK(arena.used() - before == 64);  // only the value of y, and no closure
  const Var loss = ops::dot_constant(y, std::vector<Real>(12, 1));
  CHECK_THROWS_WITH(tape.backward(loss),
                    Catch::Contains("depends on nothing that wants a gradient"));
  CHECK_FALSE(tape.has_grad(in));
  CHECK(tape.linear_grads().empty());
  CHECK(tape.parameter_grad(w).data == nullptr);
}

TEST_CASE("a second backward is refused, because gradients would count twice") {
  const Tensor x = counting({2});
  test::TestTape tape;
  const Var loss = ops::dot_constant(tape.variable(x.view()), std::vector<Real>(2, 1));
  tape.backward(loss);
  CHECK_THROWS_WITH(tape.backward(loss), Catch::Contains("backward twice"));
}

TEST_CASE("dropout acts in training only, and its mask depends on the key only") {
  const Tensor x = [] {
    Tensor ones({64, 64});
    for (Real& v : ones.span()) v = 1;
    return ones;
  }();
  test::TestTape tape;
  const auto dropped = [&](std::uint64_t step) {
    tape.reset();
    tape.set_random(1, step, 0);
    const ConstView y = ops::dropout(tape.constant(x.view()), 0.25).value();
    return std::vector<Real>(y.data, y.data + y.size());
  };
  CHECK(dropped(1) == std::vector<Real>(x.span().begin(), x.span().end()));
  tape.set_training(true);
  const std::vector<Real> y = dropped(1);
  CHECK(y == dropped(1));
  CHECK(y != dropped(2));
  const auto kept = std::count_if(y.begin(), y.end(), [](Real v) { return v != 0; });
  CHECK(kept + std::count(y.begin(), y.end(), Real{0}) == 4096);
  // The standard deviation of 4096 draws with probability 3/4 is 28.
  CHECK(std::abs(static_cast<double>(kept) - 3072) < 140);
  CHECK(*std::max_element(y.begin(), y.end()) == Approx(1 / 0.75));
}

TEST_CASE("errors of ops name the op and the shapes") {
  const Tensor a = counting({2, 3}), b = counting({3, 2}), cube = counting({2, 3, 4});
  test::TestTape tape;
  const Var x = tape.variable(a.view()), y = tape.variable(b.view());
  const Var memory = tape.variable(cube.view());
  CHECK(mentions(shape_error([&] { ops::add(x, y); }), {"[add]", "[2, 3]", "[3, 2]"}));
  CHECK(mentions(shape_error([&] { ops::linear(x, x); }), {"[linear]", "[2, 3]"}));
  CHECK(mentions(shape_error([&] { ops::linear(x, y, x); }), {"[linear]", "bias", "[2, 3]"}));
  CHECK(mentions(shape_error([&] { ops::accumulate_linear(x, x, y); }),
                 {"[accumulate_linear]", "[2, 3]", "[3, 2]"}));
  CHECK(mentions(shape_error([&] {
                   ops::embedding(x, std::vector<int>{0, 2});
                 }),
                 {"[embedding]", "id 2", "[2, 3]"}));
  CHECK(mentions(shape_error([&] { ops::embedding(x, std::vector<int>{-1}); }), {"id -1"}));
  CHECK(mentions(shape_error([&] { ops::reshape(x, {7}); }), {"[reshape]", "[2, 3]", "[7]"}));
  CHECK(mentions(shape_error([&] { ops::slice_rows(x, 1, 2); }), {"[slice_rows]", "[2, 3]"}));
  CHECK(mentions(shape_error([&] {
                   ops::concat_cols(std::vector<Var>{x, y});
                 }),
                 {"[concat_cols]", "[2, 3]", "[3, 2]"}));
  CHECK(mentions(shape_error([&] {
                   ops::cross_entropy(x, std::vector<int>{0, 3});
                 }),
                 {"[cross_entropy]", "3"}));
  CHECK(mentions(shape_error([&] { ops::dot_score(memory, x, 1, 1); }),
                 {"[dot_score]", "[2, 3, 4]", "[2, 3]"}));
  CHECK(mentions(shape_error([&] { ops::context(memory, y, {}, 1); }), {"[context]"}));
  CHECK(mentions(shape_error([&] {
                   ops::context(memory, x, std::vector<int>{0, 3}, 1);
                 }),
                 {"[context]", "choice 3"}));
  CHECK(mentions(shape_error([&] { ops::lstm_cell(x, y); }), {"[lstm_cell]", "[2, 3]", "[3, 2]"}));
  CHECK(mentions(shape_error([&] { tape.backward(x); }), {"[backward]", "[2, 3]"}));
}

TEST_CASE("without a backward pass, deeper layers take no more memory than their values") {
  const Tensor input = counting({16, 64});
  const auto run = [&](bool recording, int layers) {
    Arena arena;
    Tape tape(arena);
    tape.set_recording(recording);
    const Var start = tape.variable(input.view());
    Var x = start;
    for (int layer = 0; layer < layers; ++layer)
      x = keep_value(tape, [&] {
        Var inner = x;
        for (int i = 0; i < 8; ++i) inner = ops::tanh(ops::scale(inner, Real{0.5}));
        return inner;
      });
    const std::vector<Real> value(x.value().span().begin(), x.value().span().end());
    double slope = 0;
    if (recording) {
      const ConstView seed = input.view();
      tape.backward({&x, 1}, {&seed, 1});
      slope = tape.grad(start)[5];
    }
    return std::tuple(value, arena.high_water(), slope);
  };
  const auto [value, memory, none] = run(false, 4);
  const auto [recorded, all_memory, slope] = run(true, 4);
  CHECK(value == recorded);
  CHECK(slope != 0);
  const std::size_t bytes = static_cast<std::size_t>(input.size()) * sizeof(Real);
  CHECK(all_memory > 4 * 16 * bytes);
  CHECK(memory <= (16 + 4) * bytes);
}

// The last digits of sums depend on where their numbers start, which must not depend on the heap.
TEST_CASE("values that are kept without a backward pass are aligned as those of the arena") {
  const Tensor input = counting({3, 5});
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  const auto aligned = [](Var x) {
    return reinterpret_cast<std::uintptr_t>(x.value().data) % 64 == 0;
  };
  const Var last = keep_last(tape, tape.constant(input.view()), 8, [&](std::size_t, Var x) {
    CHECK(aligned(x));
    return ops::tanh(x);
  });
  CHECK(aligned(last));
}

// The arena, and the shapes and tensors that describe memory.
TEST_CASE("arena memory is aligned, does not overlap, and is reused after a reset") {
  Arena arena(1024);
  const auto fill = [&] {
    std::vector<void*> places;
    for (const std::size_t bytes : {1, 64, 100, 0, 5000, 900, 200, 3}) {
      void* p = arena.allocate(bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
      std::memset(p, static_cast<int>(places.size()), bytes);
      places.push_back(p);
    }
    return places;
  };
  const std::vector<void*> first = fill();
  CHECK(std::set<void*>(first.begin(), first.end()).size() == first.size());
  CHECK(*static_cast<unsigned char*>(first[2]) == 2);  // later allocations have not overwritten it
  CHECK(*(static_cast<unsigned char*>(first[4]) + 4999) == 4);
  const std::size_t allocations = arena.system_allocations(), used = arena.used();
  CHECK(used <= arena.reserved());
  arena.reset();
  CHECK(arena.used() == 0);
  CHECK(fill() == first);
  CHECK(arena.used() == used);
  CHECK(arena.high_water() == used);
  CHECK(arena.system_allocations() == allocations);
}

TEST_CASE("arena memory between a mark and its rewind is handed out again, also across blocks") {
  Arena arena(1024);
  arena.allocate(100);
  const Arena::Mark mark = arena.mark();
  void* const first = arena.allocate(200);
  arena.allocate(5000);
  const std::size_t most = arena.used();
  arena.rewind(mark);
  CHECK(arena.used() == 128);
  CHECK(arena.allocate(200) == first);
  arena.allocate(5000);
  CHECK(arena.system_allocations() == 2);
  CHECK(arena.high_water() == most);
}

TEST_CASE("shapes know their size, rows and text, and refuse other lists") {
  const Shape s{2, 3, 4};
  CHECK(s.size() == 24);
  CHECK(s.rows() == 6);
  CHECK(s.cols() == 4);
  CHECK(s[-1] == 4);
  CHECK(s.with_first(5) == Shape{5, 3, 4});
  CHECK(s.with_last(1) == Shape{2, 3, 1});
  CHECK_FALSE(s == Shape{2, 3});
  CHECK(s.text() == "[2, 3, 4]");
  CHECK(Shape().size() == 1);
  CHECK(Shape({4, 0}).rows() == 0);
  CHECK_THROWS_AS(Shape({1, 2, 3, 4, 5, 6}), ShapeError);
  CHECK_THROWS_AS(Shape({2, -1}), ShapeError);
  CHECK_THROWS_AS(Shape().with_last(1), ShapeError);
}

TEST_CASE("tensors start at zero and are copied only by clone") {
  Tensor a({2, 3});
  for (const Real x : a.span()) CHECK(x == 0);
  a[4] = 7;
  const Tensor b = a.clone();
  a[4] = 8;
  CHECK(b[4] == 7);
  CHECK(a.view().row(1)[1] == 8);
  CHECK(a.view_as({3, 2}).row(2)[0] == 8);
  CHECK_THROWS_AS(a.view_as({5}), ShapeError);
  CHECK_THROWS_AS(Tensor({2}, std::vector<Real>{1}), ShapeError);
  CHECK(Tensor().empty());
  CHECK(Tensor().clone().empty());
}

}  // namespace saccade
