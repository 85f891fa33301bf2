// Multi-head attention as a module, in double.
#include "core/attention/sequence/multi_head_attention.h"

#include "core/ops/shape_ops.h"
#include "tests/core/attention/module_support.h"
#include "tests/core/attention/sequence_support.h"
#include "tests/support/catch.h"

namespace saccade {

using test::apart;
using test::noise;
using test::value_of;
using Pattern = AttentionMask::Pattern;

namespace {

constexpr double kSame = 1e-12;
constexpr Index kWidth = 6;

struct Fixture {
  ParameterStore store;
  MultiHeadAttention attention;
  explicit Fixture(Index heads = 2, Index memory = 0)
      : attention(ParamScope(store, "attention"), {.features = kWidth, .heads = heads}, memory) {
    test::randomise(store);
  }
  Tensor over(const Tensor& x, const AttentionMask& mask) const {
    return value_of(store,
                    [&](Tape& tape) { return attention(tape, tape.constant(x.view()), mask); });
  }
};

}  // namespace

TEST_CASE("self-attention follows its formula") {
  const Fixture f;
  const Tensor x = noise({2, 5, kWidth}, 1);
  const auto dense = [&](const Tensor& in, const std::string& name) {
    const ConstView w = f.store.value(f.store.find("attention." + name + ".weight")),
                    b = f.store.value(f.store.find("attention." + name + ".bias"));
    Tensor out({2, 5, kWidth});
    for (Index r = 0; r < 10; ++r)
      for (Index o = 0; o < kWidth; ++o) {
        Real sum = b[o];
        for (Index i = 0; i < kWidth; ++i) sum += in.view().row(r)[i] * w.row(i)[o];
        out.view().row(r)[o] = sum;
      }
    return out;
  };
  const test::Naive naive =
      test::naive_attention(dense(x, "query").view(), dense(x, "key").view(),
                            dense(x, "value").view(), 2, [](Index, Index, Index) { return true; });
  CHECK(apart(dense(naive.out, "output").view(), f.over(x, {}).view()) < kSame);
}

TEST_CASE("permuting the positions of unmasked self-attention permutes its outputs") {
  const Fixture f;
  const Index order[] = {3, 0, 4, 1, 2};
  const Tensor x = noise({1, 5, kWidth}, 1);
  Tensor moved(x.shape());
  for (Index t = 0; t < 5; ++t) std::copy_n(x.view().row(order[t]), kWidth, moved.view().row(t));
  const Tensor before = f.over(x, {}), after = f.over(moved, {});
  for (Index t = 0; t < 5; ++t)
    CHECK(apart(test::position_of(before.view(), order[t]), test::position_of(after.view(), t)) <
          kSame);
}

TEST_CASE("a later token changes no earlier output of causal attention") {
  const Fixture f;
  Tensor x = noise({1, 5, kWidth}, 1);
  const AttentionMask causal{.pattern = Pattern::kCausal};
  const Tensor before = f.over(x, causal);
  for (Index c = 0; c < kWidth; ++c) x.view().row(3)[c] += 1;
  const Tensor after = f.over(x, causal);
  for (Index t = 0; t < 5; ++t) {
    const double moved =
        apart(test::position_of(before.view(), t), test::position_of(after.view(), t));
    CHECK((t < 3 ? moved == 0 : moved > 1e-3));
  }
}

TEST_CASE(
    "steps over a cache equal the rows of causal attention, also when hypotheses change places") {
  const Fixture f;
  const Index length = 5;
  const Tensor x = noise({2, length, kWidth}, 1);
  const Tensor whole = f.over(x, {.pattern = Pattern::kCausal});
  KeyCache cache(2, length, kWidth);
  std::vector<int> held{0, 1};  // the sequence that each row of the cache continues
  for (Index t = 0; t < length; ++t) {
    const Index rows = t == 4 ? 1 : 2;  // the last word of only one of them
    Tensor now({rows, kWidth});
    for (Index r = 0; r < rows; ++r)
      std::copy_n(x.view().row(held[static_cast<std::size_t>(r)] * length + t), kWidth,
                  now.view().row(r));
    const Tensor y = value_of(f.store, [&](Tape& tape) {
      return f.attention.step(tape, tape.constant(now.view()), cache);
    });
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < kWidth; ++c)
        CHECK(std::abs(y.view().row(r)[c] -
                       whole.view().row(held[static_cast<std::size_t>(r)] * length + t)[c]) <
              kSame);
    if (t == 1) cache.reorder(std::vector<int>{1, 0}), held = {1, 0};
    if (t == 2) cache.reorder(std::vector<int>{0, 0}), held = {1, 1};
  }
  CHECK(cache.length() == length);
  CHECK_THROWS_AS(value_of(f.store,
                           [&](Tape& tape) {
                             const Tensor one({1, kWidth});
                             return f.attention.step(tape, tape.constant(one.view()), cache);
                           }),
                  ShapeError);
  CHECK_THROWS_AS(cache.reorder(std::vector<int>{2}), ShapeError);
}

TEST_CASE("cross-attention reads keys that were made on another tape") {
  const Fixture f(3, 4);
  const Tensor memory = noise({2, 7, 4}, 1), x = noise({2, 3, kWidth}, 2);
  Arena arena;
  Tape first(arena);
  first.set_parameters(f.store.views());
  const SequenceKeys keys = f.attention.prepare(first, first.constant(memory.view()));
  const Tensor together = value_of(f.store, [&](Tape& tape) {
    return f.attention.attend(tape, tape.constant(x.view()), keys.on(tape), {});
  });
  for (Index b = 0; b < 2; ++b)
    for (Index t = 0; t < 3; ++t) {
      const Tensor alone = value_of(f.store, [&](Tape& tape) {
        const Var one = tape.constant(test::position_of(test::sample_of(x.view(), b), t));
        const Var own = tape.constant(test::sample_of(memory.view(), b));
        return f.attention.attend(tape, one, f.attention.prepare(tape, own), {});
      });
      CHECK(apart(test::position_of(test::sample_of(together.view(), b), t), alone.view()) < kSame);
    }
}

TEST_CASE("the parameters of multi-head attention get their gradients") {
  Fixture f;
  const Tensor x = noise({2, 4, kWidth}, 1);
  CHECK(test::gradient_error(f.store, [&](Tape& tape) {
          return f.attention(tape, tape.constant(x.view()), {.pattern = Pattern::kCausal});
        }) < 1e-7);
}

TEST_CASE("heads that do not divide the width are refused") {
  CHECK_THROWS_AS(Fixture(4), UsageError);
  CHECK_THROWS_AS(Fixture(0), UsageError);
}

}  // namespace saccade
