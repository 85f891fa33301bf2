// Fused attention against its three plain steps, in double, and what every mask promises.
#include "core/ops/sdpa.h"

#include "tests/core/attention/sequence_support.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::sdpa_test {

using test::apart;
using test::MaskCase;
using test::noise;
using Pattern = AttentionMask::Pattern;

namespace {

constexpr double kSame = 1e-12;

struct Attended {
  Tensor out, weights;
};

Attended attend(ConstView q, ConstView k, ConstView v, Index heads, const AttentionMask& mask) {
  test::TestTape tape;
  tape.set_recording(false);
  const Var qs = tape.constant(q), ks = tape.constant(k);
  const Var y = ops::sdpa(qs, ks, tape.constant(v), heads, mask);
  const ConstView weights = ops::sdpa_weights(qs, ks, heads, mask);
  return {Tensor(y.shape(), y.value().span()), Tensor(weights.shape, weights.span())};
}

// The lists that the masks of a case borrow.
struct Lists {
  std::vector<Index> starts, own_starts;
  std::vector<int> neighbours, own_neighbours, lengths;
  std::vector<std::uint8_t> allowed;
};

bool linked(Index t, Index s) { return s == t || (t * 7 + s * 3) % 11 == 0; }
bool linked(Index b, Index t, Index s) { return s == t || (t * 5 + s * 3 + b) % 7 == 0; }

// Every kind of mask over `count` positions of `batch` samples.
std::vector<MaskCase> mask_cases(Index batch, Index count, Lists& lists) {
  lists.starts = lists.own_starts = {0};
  for (Index b = 0; b < batch; ++b) {
    lists.lengths.push_back(static_cast<int>(std::max(Index{1}, count - 3 * b)));
    for (Index t = 0; t < count; ++t) {
      lists.allowed.push_back(t == 0 || (t + b) % 3 != 0);
      for (Index s = 0; s < count; ++s) {
        if (b == 0 && linked(t, s)) lists.neighbours.push_back(static_cast<int>(s));
        if (linked(b, t, s)) lists.own_neighbours.push_back(static_cast<int>(s));
      }
      if (b == 0) lists.starts.push_back(static_cast<Index>(lists.neighbours.size()));
      lists.own_starts.push_back(static_cast<Index>(lists.own_neighbours.size()));
    }
  }
  const auto short_of = [&lists](Index b, Index s) {
    return s < lists.lengths[static_cast<std::size_t>(b)];
  };
  const auto allowed = [&lists, count](Index b, Index s) {
    return lists.allowed[static_cast<std::size_t>(b * count + s)] != 0;
  };
  std::vector<MaskCase> cases{
      {"none", {}, [](Index, Index, Index) { return true; }},
      {"causal", {.pattern = Pattern::kCausal}, [](Index, Index t, Index s) { return s <= t; }},
      {"neighbours",
       {.pattern = Pattern::kNeighbours, .starts = lists.starts, .neighbours = lists.neighbours},
       [](Index, Index t, Index s) { return linked(t, s); }},
      {"own neighbours",
       {.pattern = Pattern::kNeighbours,
        .starts = lists.own_starts,
        .neighbours = lists.own_neighbours},
       [](Index b, Index t, Index s) { return linked(b, t, s); }},
      {"lengths",
       {.lengths = lists.lengths},
       [=](Index b, Index, Index s) { return short_of(b, s); }},
      {"allowed",
       {.allowed = lists.allowed},
       [=](Index b, Index, Index s) { return allowed(b, s); }},
      {"causal, lengths and allowed",
       {.pattern = Pattern::kCausal, .lengths = lists.lengths, .allowed = lists.allowed},
       [=](Index b, Index t, Index s) { return s <= t && short_of(b, s) && allowed(b, s); }},
      {"window, global and allowed",
       {.pattern = Pattern::kWindow, .radius = 4, .global = 1, .allowed = lists.allowed},
       [=](Index b, Index t, Index s) {
         return (std::abs(t - s) <= 4 || t < 1 || s < 1) && allowed(b, s);
       }},
  };
  for (const auto& [radius, global] : {std::pair<Index, Index>{0, 0}, {8, 0}, {5, 3}, {2, 70}})
    cases.push_back({"window",
                     {.pattern = Pattern::kWindow, .radius = radius, .global = global},
                     [r = radius, g = global](Index, Index t, Index s) {
                       return std::abs(t - s) <= r || t < g || s < g;
                     }});
  return cases;
}

}  // namespace

TEST_CASE("fused attention equals scores, softmax and mean, for every mask and across blocks") {
  for (const Index count : {1, 63, 64, 65, 255, 256, 257, 300}) {
    Lists lists;
    const Tensor q = noise({3, count, 6}, 1), k = noise({3, count, 6}, 2),
                 v = noise({3, count, 4}, 3);
    for (const MaskCase& c : mask_cases(3, count, lists)) {
      CAPTURE(count, c.name, c.mask.radius, c.mask.global);
      const Attended fused = attend(q.view(), k.view(), v.view(), 2, c.mask);
      const test::Naive naive = test::naive_attention(q.view(), k.view(), v.view(), 2, c.permits);
      CHECK(apart(naive.out.view(), fused.out.view()) < kSame);
      CHECK(apart(naive.weights.view(), fused.weights.view()) < kSame);
      Index wrong = 0;  // the weight of a forbidden key is exactly 0
      for (Index i = 0; i < fused.weights.size(); ++i)
        wrong += (fused.weights[i] == 0) != (naive.weights[i] == 0) ? 1 : 0;
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("causal queries after earlier keys see those keys, too") {
  for (const Index queries : {1, 2, 256, 268})
    for (const Index earlier : {0, 1, 127, 257}) {
      CAPTURE(queries, earlier);
      const Index keys = queries + earlier;
      const Tensor q = noise({2, queries, 4}, 1), k = noise({2, keys, 4}, 2),
                   v = noise({2, keys, 2}, 3);
      const test::Naive naive =
          test::naive_attention(q.view(), k.view(), v.view(), 2,
                                [=](Index, Index t, Index s) { return s <= t + earlier; });
      const Attended fused = attend(q.view(), k.view(), v.view(), 2, {.pattern = Pattern::kCausal});
      CHECK(apart(naive.out.view(), fused.out.view()) < kSame);
    }
}

TEST_CASE("many queries at once equal single ones, and a batch equals its samples") {
  const Index queries = 260, keys = 270;
  const Tensor q = noise({3, queries, 4}, 1), k = noise({3, keys, 4}, 2),
               v = noise({3, keys, 4}, 3);
  const Attended together = attend(q.view(), k.view(), v.view(), 2, {});
  for (Index b = 0; b < 3; ++b) {
    const ConstView qs = test::sample_of(q.view(), b), ks = test::sample_of(k.view(), b),
                    vs = test::sample_of(v.view(), b);
    const ConstView out = test::sample_of(together.out.view(), b);
    CHECK(apart(out, attend(qs, ks, vs, 2, {}).out.view()) < kSame);
    for (const Index t : {0, 1, 255, 256, 259})
      CHECK(apart(test::position_of(out, t),
                  attend(test::position_of(qs, t), ks, vs, 2, {}).out.view()) < kSame);
  }
}

TEST_CASE("scores that are far apart neither overflow nor lose the largest") {
  Tensor q({1, 2, 1}, std::vector<Real>{1e4, -1e4}), k = noise({1, 200, 1}, 1),
                                                     v = noise({1, 200, 1}, 2);
  k[150] = 1e3, k[3] = -1e3;
  const Attended fused = attend(q.view(), k.view(), v.view(), 1, {});
  CHECK(fused.out[0] == v[150]);
  CHECK(fused.out[1] == v[3]);
  k[40] = NAN;  // a NaN must not get lost, either
  CHECK(std::isnan(attend(q.view(), k.view(), v.view(), 1, {}).out[0]));
}

TEST_CASE("no gradient reaches keys that no query may see") {
  const std::vector<std::uint8_t> allowed{1, 0, 1, 0, 1};
  const std::vector<int> lengths{3};
  const std::vector<Index> starts{0, 1, 2, 4, 5, 6};
  const std::vector<int> neighbours{0, 0, 0, 2, 2, 2};
  const AttentionMask masks[] = {
      {.allowed = allowed},
      {.pattern = Pattern::kCausal, .allowed = allowed},
      {.pattern = Pattern::kWindow, .radius = 2, .allowed = allowed},
      {.pattern = Pattern::kNeighbours, .starts = starts, .neighbours = neighbours},
      {.lengths = lengths}};
  const Tensor q = noise({1, 5, 2}, 1), k = noise({1, 5, 2}, 2), v = noise({1, 5, 2}, 3),
               dy = noise({1, 5, 2}, 4);
  for (const AttentionMask& mask : masks) {
    test::TestTape tape;
    const Var ks = tape.variable(k.view()), vs = tape.variable(v.view());
    const Var y = ops::sdpa(tape.variable(q.view()), ks, vs, 1, mask);
    tape.backward(std::vector{y}, std::vector{dy.view()});
    for (Index s = 0; s < 5; ++s) {
      const bool seen =
          mask.lengths.empty() ? (mask.starts.empty() ? s % 2 == 0 : s % 2 == 0 && s < 4) : s < 3;
      for (Index c = 0; c < 2; ++c) {
        CHECK((tape.grad(vs)[2 * s + c] != 0) == seen);
        if (!seen) CHECK(tape.grad(ks)[2 * s + c] == 0);
      }
    }
  }
}

TEST_CASE("masks that do not fit and queries without a key are refused") {
  test::TestTape tape;
  const Tensor x({2, 3, 4});
  const Var v = tape.constant(x.view());
  const std::vector<int> none{3, 0}, three{1, 2, 3}, long_one{4, 1};
  const std::vector<std::uint8_t> late{0, 1, 1, 1, 1, 1}, early{1, 1, 0, 1, 1, 1}, few{1};
  const std::vector<Index> empty_list{0, 1, 1, 2}, two{0, 1};
  const std::vector<int> lists{0, 1}, outside{0, 3}, ascending_twice{1, 1};
  const std::vector<Index> double_list{0, 0, 0, 2};
  const auto refuses = [&](const AttentionMask& mask) {
    CHECK_THROWS_AS(ops::sdpa(v, v, v, 2, mask), ShapeError);
  };
  refuses({.lengths = none});
  refuses({.lengths = three});
  refuses({.lengths = long_one});
  refuses({.pattern = Pattern::kCausal, .allowed = late});
  refuses({.pattern = Pattern::kWindow, .radius = 0, .allowed = late});
  refuses({.pattern = Pattern::kWindow, .radius = 0, .allowed = early});
  refuses({.allowed = few});
  refuses({.pattern = Pattern::kNeighbours});
  refuses({.pattern = Pattern::kNeighbours, .starts = empty_list, .neighbours = lists});
  refuses({.pattern = Pattern::kNeighbours, .starts = two, .neighbours = lists});
  refuses({.pattern = Pattern::kNeighbours, .starts = double_list, .neighbours = outside});
  refuses({.pattern = Pattern::kNeighbours, .starts = double_list, .neighbours = ascending_twice});
  refuses({.pattern = Pattern::kWindow, .radius = -1});
  CHECK_THROWS_AS(ops::sdpa(v, v, v, 3, {}), ShapeError);
  CHECK_THROWS_AS(ops::sdpa(v, v, v, 0, {}), ShapeError);
  const Tensor shorter({2, 2, 4});
  CHECK_THROWS_AS(ops::sdpa(v, v, tape.constant(shorter.view()), 2, {}), ShapeError);
  // With more causal queries than keys, the first query sees no key.
  CHECK_THROWS_AS(ops::sdpa(v, tape.constant(shorter.view()), tape.constant(shorter.view()), 2,
                            {.pattern = Pattern::kCausal}),
                  ShapeError);
}

}  // namespace saccade::sdpa_test
