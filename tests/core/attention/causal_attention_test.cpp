// Attention of a growing sequence to its past, for every mechanism that can do that: all positions
// at once and one after the other, in double.
#include "core/attention/sequence/graph_attention.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/attention/sequence/multi_head_attention.h"
#include "core/ops/shape_ops.h"
#include "tests/core/attention/module_support.h"
#include "tests/core/attention/sequence_support.h"
#include "tests/support/catch.h"

namespace saccade::causal_attention_test {

using test::apart;
using test::noise;
using test::value_of;

namespace {

constexpr double kSame = 1e-12;
constexpr Index kLength = 5, kWidth = 8, kHeads = 2;

struct Causal {
  std::string name;
  ParameterStore store;
  std::unique_ptr<SequenceAttention> attention;

  explicit Causal(const BlockAttention& options)
      : name(str(options.type, " ", enum_name(options.neighbours))),
        attention(make_causal_attention(ParamScope(store, "words"), options,
                                        {.features = kWidth, .heads = kHeads}, 1)) {
    test::randomise(store);
  }
};

BlockAttention options_of(const std::string& kind,
                          NeighbourKind neighbours = NeighbourKind::kCosine) {
  return {.path = "decoder.self_attention",
          .type = kind,
          .radius = 1,
          .globals = 1,
          .neighbours = neighbours,
          .nearest = 1};
}

std::vector<std::unique_ptr<Causal>> mechanisms() {
  std::vector<std::unique_ptr<Causal>> all;
  for (const auto& kind : sequence_attentions().rows())
    if (kind.name != "linformer" && kind.name != "geometry")
      all.push_back(std::make_unique<Causal>(options_of(kind.name)));
  all.push_back(std::make_unique<Causal>(options_of("graph", NeighbourKind::kEuclidean)));
  return all;
}

Var at_once(const SequenceAttention& attention, Tape& tape, Var x) {
  return attention.attend_causally(tape, x, attention.kept(tape, x));
}

// Position t of every sample, [B, L, D] -> [B, 1, D].
Var position(Var x, Index t) {
  const Index batch = x.shape()[0], width = x.shape()[2];
  return ops::reshape(
      ops::slice_cols(ops::reshape(x, {batch, x.shape()[1] * width}), t * width, width),
      {batch, 1, width});
}

// The same, one position after the other.
Var by_steps(const SequenceAttention& attention, Tape& tape, Var x) {
  std::vector<Var> so_far;
  Var out;
  for (Index t = 0; t < x.shape()[1]; ++t) {
    const Var one = position(x, t);
    const std::vector<Var> own = attention.kept(tape, one);
    if (so_far.empty())
      so_far = own;
    else
      for (std::size_t k = 0; k < own.size(); ++k)
        so_far[k] = ops::append_positions(so_far[k], own[k]);
    const Var y = attention.attend_causally(tape, one, so_far);
    out = out ? ops::append_positions(out, y) : y;
  }
  return out;
}

}  // namespace

TEST_CASE("causal attention is the same for all positions at once and for one after the other") {
  const Tensor x = noise({2, kLength, kWidth}, 1);
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const Tensor together = value_of(m->store, [&](Tape& tape) {
      return at_once(*m->attention, tape, tape.constant(x.view()));
    });
    const Tensor steps = value_of(m->store, [&](Tape& tape) {
      return by_steps(*m->attention, tape, tape.constant(x.view()));
    });
    REQUIRE(together.shape() == x.shape());
    CHECK(apart(together.view(), steps.view()) < kSame);
    // What is kept has the widths that are declared.
    value_of(m->store, [&](Tape& tape) {
      const Var in = tape.constant(x.view());
      const std::vector<Var> kept = m->attention->kept(tape, in);
      const std::vector<Index> widths = m->attention->causal_widths();
      REQUIRE(kept.size() == widths.size());
      for (std::size_t k = 0; k < kept.size(); ++k)
        CHECK(kept[k].shape() == Shape{2, kLength, widths[k]});
      return in;
    });
  }
}

TEST_CASE("causal attention does not see the future, and sees the past") {
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const auto run = [&](const Tensor& x) {
      return value_of(m->store, [&](Tape& tape) {
        return at_once(*m->attention, tape, tape.constant(x.view()));
      });
    };
    const Tensor x = noise({1, kLength, kWidth}, 1);
    Tensor later = x.clone(), earlier = x.clone();
    for (Index c = 0; c < kWidth; ++c) {
      later.view().row(3)[c] += 1 + static_cast<Real>(c % 3);
      earlier.view().row(0)[c] += 1 + static_cast<Real>(c % 3);
    }
    const Tensor before = run(x), after = run(later), moved = run(earlier);
    for (Index t = 0; t < 3; ++t)
      CHECK(apart(test::position_of(before.view(), t), test::position_of(after.view(), t)) == 0);
    CHECK(apart(test::position_of(before.view(), 3), test::position_of(after.view(), 3)) > 1e-3);
    CHECK(apart(test::position_of(before.view(), 1), test::position_of(moved.view(), 1)) > 1e-3);
  }
}

TEST_CASE("the weights of causal attention are 0 for the future, also of a single step") {
  const Tensor x = noise({2, kLength, kWidth}, 1);
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const auto weights = [&](Index queries) {
      return value_of(m->store, [&](Tape& tape) {
        const Var in = tape.constant(x.view());
        const Var last = queries == 1 ? position(in, kLength - 1) : in;
        return tape.constant(
            m->attention->causal_weights(tape, last, m->attention->kept(tape, in)));
      });
    };
    const Tensor all = weights(kLength), one = weights(1);
    REQUIRE(all.shape() == Shape{2, kHeads, kLength, kLength});
    REQUIRE(one.shape() == Shape{2, kHeads, 1, kLength});
    for (Index i = 0; i < 2 * kHeads; ++i) {
      for (Index t = 0; t < kLength; ++t)
        for (Index s = t + 1; s < kLength; ++s) CHECK(all.view().row(i * kLength + t)[s] == 0);
      for (Index s = 0; s < kLength; ++s)
        CHECK(std::abs(all.view().row((i + 1) * kLength - 1)[s] - one.view().row(i)[s]) < kSame);
    }
  }
}

TEST_CASE("a causal window sees its radius of the past and the first positions") {
  const Causal m(options_of("window"));  // radius 1, 1 global position
  const Tensor x = noise({1, kLength, kWidth}, 1);
  const Tensor weights = value_of(m.store, [&](Tape& tape) {
    const Var in = tape.constant(x.view());
    return tape.constant(m.attention->causal_weights(tape, in, m.attention->kept(tape, in)));
  });
  for (Index t = 0; t < kLength; ++t)
    for (Index s = 0; s < kLength; ++s)
      CHECK((weights.view().row(t)[s] > 0) == (s <= t && (s == 0 || t - s <= 1)));
}

TEST_CASE("mechanisms that cannot be causal are refused in one line") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(Causal(options_of("linformer")),
                    Contains("decoder.self_attention.type linformer mixes all positions"));
  CHECK_THROWS_WITH(Causal(options_of("geometry")), Contains("words have none"));
  CHECK_THROWS_WITH(Causal(options_of("graph", NeighbourKind::kEight)),
                    Contains("decoder.self_attention.neighbours eight joins the cells of a grid"));
  ParameterStore store;
  const GraphAttention grid(ParamScope(store, "grid"), {.features = kWidth, .heads = kHeads},
                            grid_neighbours({2, 2}, GridNeighbours::kFour));
  CHECK(grid.causal_widths().empty());
}

// Multi-head attention as a module, in double.
using Pattern = AttentionMask::Pattern;

namespace {

constexpr Index kWide = 6;

struct Fixture {
  ParameterStore store;
  MultiHeadAttention attention;
  explicit Fixture(Index heads = 2, Index memory = 0)
      : attention(ParamScope(store, "attention"), {.features = kWide, .heads = heads}, memory) {
    test::randomise(store);
  }
  Tensor over(const Tensor& x, const AttentionMask& mask) const {
    return value_of(store,
                    [&](Tape& tape) { return attention(tape, tape.constant(x.view()), mask); });
  }
};

}  // namespace

TEST_CASE(
    "steps over a cache equal the rows of causal attention, also when hypotheses change places") {
  const Fixture f;
  const Index length = 5;
  const Tensor x = noise({2, length, kWide}, 1);
  const Tensor whole = f.over(x, {.pattern = Pattern::kCausal});
  KeyCache cache(2, length, kWide);
  std::vector<int> held{0, 1};  // the sequence that each row of the cache continues
  for (Index t = 0; t < length; ++t) {
    const Index rows = t == 4 ? 1 : 2;  // the last word of only one of them
    Tensor now({rows, kWide});
    for (Index r = 0; r < rows; ++r)
      std::copy_n(x.view().row(held[static_cast<std::size_t>(r)] * length + t), kWide,
                  now.view().row(r));
    const Tensor y = value_of(f.store, [&](Tape& tape) {
      return f.attention.step(tape, tape.constant(now.view()), cache);
    });
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < kWide; ++c)
        CHECK(std::abs(y.view().row(r)[c] -
                       whole.view().row(held[static_cast<std::size_t>(r)] * length + t)[c]) <
              kSame);
    if (t == 1) cache.reorder(std::vector<int>{1, 0}), held = {1, 0};
    if (t == 2) cache.reorder(std::vector<int>{0, 0}), held = {1, 1};
  }
  CHECK(cache.length() == length);
  CHECK_THROWS_AS(value_of(f.store,
                           [&](Tape& tape) {
                             const Tensor one({1, kWide});
                             return f.attention.step(tape, tape.constant(one.view()), cache);
                           }),
                  ShapeError);
  CHECK_THROWS_AS(cache.reorder(std::vector<int>{2}), ShapeError);
}

TEST_CASE("cross-attention reads keys that were made on another tape") {
  const Fixture f(3, 4);
  const Tensor memory = noise({2, 7, 4}, 1), x = noise({2, 3, kWide}, 2);
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

}  // namespace saccade::causal_attention_test
