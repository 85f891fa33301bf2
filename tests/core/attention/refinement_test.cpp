// What every attention over a sequence promises, tested for the whole registry, in double; and what
// distinguishes one mechanism from another.
#include "core/attention/sequence/refinement.h"

#include "core/attention/sequence/differential_attention.h"
#include "core/attention/sequence/linformer_attention.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/attention/sequence/multi_head_attention.h"
#include "core/attention/sequence/window_attention.h"
#include "core/kernels/biased_attention.h"
#include "core/ops/linear.h"
#include "core/ops/sdpa.h"
#include "core/ops/shape_ops.h"
#include "tests/core/attention/module_support.h"
#include "tests/core/attention/sequence_support.h"
#include "tests/support/catch.h"

namespace saccade::refinement_test {

using test::apart;
using test::noise;
using test::value_of;
using Pattern = AttentionMask::Pattern;

namespace {

constexpr double kSame = 1e-12;
constexpr GridShape kGrid{{.rows = 2, .cols = 3}, 8};
constexpr Index kRegions = 6;

struct Mechanism {
  std::string name;
  RefinementConfig options;
  ParameterStore store;
  std::unique_ptr<SequenceAttention> attention;

  Mechanism(const RefinementConfig& o, const std::string& what)
      : name(what),
        options(o),
        attention(make_sequence_attention(ParamScope(store, "attention"), o, kGrid, 1)) {
    test::randomise(store);
  }
  Tensor over(ConstView x, const AttentionMask& mask = {}) const {
    return value_of(store, [&](Tape& tape) { return (*attention)(tape, tape.constant(x), mask); });
  }
  Tensor weights(ConstView x, const AttentionMask& mask = {}) const {
    return value_of(store, [&](Tape& tape) {
      return tape.constant(attention->weights(tape, tape.constant(x), mask));
    });
  }
};

std::vector<std::unique_ptr<Mechanism>> mechanisms() {
  std::vector<std::unique_ptr<Mechanism>> all;
  for (const auto& kind : sequence_attentions().rows())
    for (const auto& neighbours : enum_table(NeighbourKind{})) {
      if (kind.name != "graph" && neighbours.value != NeighbourKind::kFour) continue;
      const RefinementConfig options{.type = kind.name,
                                     .layers = 1,
                                     .heads = 2,
                                     .radius = 1,
                                     .globals = 1,
                                     .projected = 3,
                                     .neighbours = neighbours.value,
                                     .nearest = 2};
      all.push_back(std::make_unique<Mechanism>(options, str(kind.name, " ", neighbours.name)));
    }
  return all;
}

// Whether regions are treated alike wherever they are. Windows, mixtures and grids do not do so.
bool equivariant(const RefinementConfig& o) {
  return o.type == "self_attention" || o.type == "linear" || o.type == "differential" ||
         (o.type == "graph" &&
          (o.neighbours == NeighbourKind::kCosine || o.neighbours == NeighbourKind::kEuclidean));
}

}  // namespace

TEST_CASE("every mechanism keeps the shape, and a batch of three equals three batches of one") {
  const Tensor x = noise({3, kRegions, 8}, 1);
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const Tensor together = m->over(x.view()), weights = m->weights(x.view());
    REQUIRE(together.shape() == x.shape());
    for (Index b = 0; b < 3; ++b) {
      const ConstView alone = test::sample_of(x.view(), b);
      CHECK(apart(test::sample_of(together.view(), b), m->over(alone).view()) < kSame);
      CHECK(apart(test::sample_of(weights.view(), b), m->weights(alone).view()) < kSame);
    }
  }
}

TEST_CASE("every mechanism's weights sum to 1, or to what the difference leaves") {
  const Tensor x = noise({2, kRegions, 8}, 1);
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const Tensor weights = m->weights(x.view());
    const bool mixtures = m->options.type == "linformer";
    REQUIRE(weights.shape() == Shape{2, 2, kRegions, mixtures ? 3 : kRegions});
    Real expected = 1;
    if (m->options.type == "differential") {
      Real dots[2] = {0, 0};
      for (int i = 0; i < 2; ++i) {
        const auto vector = [&](const char* name) {
          return m->store.value(m->store.find(str("attention.lambda.", name, "_", i + 1)));
        };
        for (Index c = 0; c < vector("query").size(); ++c)
          dots[i] += vector("query")[c] * vector("key")[c];
      }
      expected = 1 - (std::exp(dots[0]) - std::exp(dots[1]) + differential_initial(1));
    }
    for (Index r = 0; r < weights.view().rows(); ++r) {
      Real sum = 0;
      for (Index s = 0; s < weights.view().cols(); ++s) sum += weights.view().row(r)[s];
      CHECK(std::abs(sum - expected) < kSame);
    }
  }
}

TEST_CASE(
    "permuting the regions permutes the outputs where the mechanism does not know their places") {
  const Index order[] = {3, 0, 5, 1, 4, 2};
  const Tensor x = noise({1, kRegions, 8}, 1);
  Tensor moved(x.shape());
  for (Index t = 0; t < kRegions; ++t) std::copy_n(x.view().row(order[t]), 8, moved.view().row(t));
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const Tensor before = m->over(x.view()), after = m->over(moved.view());
    double most = 0;
    for (Index t = 0; t < kRegions; ++t)
      most = std::max(most, apart(test::position_of(before.view(), order[t]),
                                  test::position_of(after.view(), t)));
    CHECK((equivariant(m->options) ? most < kSame : most > 1e-3));
  }
}

TEST_CASE(
    "keys beyond a sample's length change nothing, and patterns are refused where they mean "
    "nothing") {
  const std::vector<int> lengths{4, 6};
  const AttentionMask mask{.lengths = lengths};
  Tensor x = noise({2, kRegions, 8}, 1);
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    const Tensor before = m->over(x.view(), mask);
    for (Index c = 0; c < 8; ++c) x.view().row(5)[c] += 1;
    const Tensor after = m->over(x.view(), mask);
    for (Index t = 0; t < 4; ++t)
      CHECK(apart(test::position_of(before.view(), t), test::position_of(after.view(), t)) == 0);
  }
  for (const auto& m : mechanisms()) {
    if (m->options.type == "window" || m->options.type == "graph" || m->options.type == "linformer")
      CHECK_THROWS_AS(m->over(x.view(), {.pattern = Pattern::kCausal}), ShapeError);
  }
}

TEST_CASE("regions that do not count are not read, and gradients under their mask are correct") {
  // All but the middle one count. In the last row of the second sample, no region nearby counts.
  const std::vector<std::uint8_t> allowed{1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0};
  const AttentionMask mask{.allowed = allowed};
  const Tensor x = noise({2, kRegions, 8}, 1);
  Tensor other = x.clone();
  for (Index r = 0; r < 2 * kRegions; ++r)
    if (allowed[static_cast<std::size_t>(r)] == 0)
      for (Index c = 0; c < 8; ++c) other.view().row(r)[c] += 1 + static_cast<Real>(c % 3);
  for (const auto& m : mechanisms()) {
    CAPTURE(m->name);
    if (m->options.type == "linformer") {
      CHECK_THROWS_AS(m->over(x.view(), mask), ShapeError);
      continue;
    }
    const Tensor before = m->over(x.view(), mask), after = m->over(other.view(), mask);
    const Tensor weights = m->weights(x.view(), mask);
    for (Index r = 0; r < 2 * kRegions; ++r) {
      if (allowed[static_cast<std::size_t>(r)] == 0) continue;
      for (Index c = 0; c < 8; ++c) CHECK(before.view().row(r)[c] == after.view().row(r)[c]);
      const Index sample = r / kRegions, t = r % kRegions;
      for (Index h = 0; h < 2; ++h)
        for (Index s = 0; s < kRegions; ++s)
          if (allowed[static_cast<std::size_t>(sample * kRegions + s)] == 0)
            CHECK(weights.view().row((sample * 2 + h) * kRegions + t)[s] == 0);
    }
    // If all regions count, the mask changes nothing.
    const std::vector<std::uint8_t> all(2 * kRegions, 1);
    CHECK(apart(m->over(x.view(), {.allowed = all}).view(), m->over(x.view()).view()) < kSame);
    CHECK(test::gradient_error(m->store, [&](Tape& tape) {
            return (*m->attention)(tape, tape.constant(x.view()), mask);
          }) < 1e-6);
  }
}

TEST_CASE("a pair that a bias leaves out has weight 0 among any number of places, and NaN stays") {
  for (Index places = 2; places <= 19; ++places) {  // more than one vector of any processor
    const Tensor x = noise({1, places, 4}, 3);
    Tensor bias({places * places, 2}), weights({1, 2, places, places});
    for (Index t = 0; t < places; ++t) bias.view().row(t * places)[0] = -1e9;  // for the first head
    const auto weigh = [&] {
      kernels::biased_attention_weights({.count = 1, .places = places, .heads = 2, .width = 2},
                                        {x.view(), x.view(), x.view(), bias.view()},
                                        weights.view());
    };
    weigh();
    for (Index t = 0; t < places; ++t) {
      CHECK(weights[t * places] == 0);
      CHECK(weights[(places + t) * places] > 0);
    }
    bias.view().row(places - 1)[1] = std::numeric_limits<Real>::quiet_NaN();
    weigh();
    for (Index s = 0; s < places; ++s) CHECK(std::isnan(weights[places * places + s]));
  }
}

TEST_CASE("regions anywhere are weighed by how their boxes lie to each other") {
  // Without queries, the weights of a row are the shares of max(<e, g> + c, 1e-6) alone.
  const GridShape anywhere{{.rows = 1, .cols = 3}, 4, {}, true};
  ParameterStore store;
  const auto attention = make_sequence_attention(
      ParamScope(store, "a"), {.type = "geometry", .layers = 1, .heads = 2}, anywhere, 0);
  store.initialise(1);
  CHECK(store.value(store.find("a.geometry.bias"))[1] == 1);
  test::randomise(store);
  for (const char* name : {"a.query.weight", "a.query.bias"}) {
    const View zero = store.value(store.find(name));
    std::fill_n(zero.data, zero.size(), Real{0});
  }
  const std::vector<RegionBox> boxes{{0, 0, 0.5F, 0.25F},
                                     {0.5F, 0, 0.75F, 1},
                                     {},  // the last of each sample is padding
                                     {0.25F, 0.25F, 0.5F, 0.5F},
                                     {0.25F, 0.5F, 0.5F, 0.75F},
                                     {}};
  const std::vector<std::uint8_t> allowed{1, 1, 0, 1, 1, 0};
  const Tensor x = noise({2, 3, 4}, 1);
  const auto weigh = [&](const AttentionMask& mask) {
    return value_of(store, [&](Tape& tape) {
      return tape.constant(attention->weights(tape, tape.constant(x.view()), mask));
    });
  };
  const Tensor weights = weigh({.allowed = allowed, .boxes = boxes});
  const ConstView g = store.value(store.find("a.geometry.weight")),
                  c = store.value(store.find("a.geometry.bias"));
  const auto opened = [&](const RegionBox& m, const RegionBox& n, Index head) {
    const auto centre = [](float from, float to) { return static_cast<double>(from + to) / 2; };
    const auto away = [](double a, double b, float side) {
      return std::log(std::max(std::abs(a - b) / static_cast<double>(side), 1e-3));
    };
    const double places[] = {away(centre(m.left, m.right), centre(n.left, n.right), m.width()),
                             away(centre(m.top, m.bottom), centre(n.top, n.bottom), m.height()),
                             std::log(static_cast<double>(n.width() / m.width())),
                             std::log(static_cast<double>(n.height() / m.height()))};
    double sum = c[head];
    for (Index l = 0; l < 4; ++l)
      for (Index i = 0; i < 8; ++i) {
        const double angle = 100 * places[l] / std::pow(1000, static_cast<double>(i) / 8);
        sum += g.row(16 * l + 2 * i)[head] * std::sin(angle) +
               g.row(16 * l + 2 * i + 1)[head] * std::cos(angle);
      }
    return std::max(sum, 1e-6);
  };
  for (Index b = 0; b < 2; ++b)
    for (Index head = 0; head < 2; ++head)
      for (Index m = 0; m < 2; ++m) {
        const auto at = [&](Index n) {
          return opened(boxes[static_cast<std::size_t>(3 * b + m)],
                        boxes[static_cast<std::size_t>(3 * b + n)], head);
        };
        const Real* row = weights.view().row((b * 2 + head) * 3 + m);
        CHECK(row[0] == Approx(at(0) / (at(0) + at(1))));
        CHECK(row[2] == 0);
      }
  CHECK(test::gradient_error(store, [&](Tape& tape) {
          return (*attention)(tape, tape.constant(x.view()), {.allowed = allowed, .boxes = boxes});
        }) < 1e-6);
  CHECK_THROWS_AS(weigh({.allowed = allowed}), ShapeError);
  CHECK_THROWS_AS(weigh({.boxes = std::span(boxes).first(3)}), ShapeError);
}

TEST_CASE(
    "blocks have correct gradients for every activation and placement, and post-norm ends "
    "normalised") {
  const Tensor x = noise({2, 3, 8}, 1);
  for (const DenseActivation activation : {DenseActivation::kRelu, DenseActivation::kGelu})
    for (const NormPlacement norm : {NormPlacement::kPre, NormPlacement::kPost}) {
      CAPTURE(static_cast<int>(activation), static_cast<int>(norm));
      ParameterStore store;
      const TransformerBlock block(
          ParamScope(store, "block"),
          {.features = 8, .multiple = 3, .activation = activation, .norm = norm, .epsilon = 1e-6},
          [](const ParamScope& scope) {
            return std::make_unique<MultiHeadAttention>(scope,
                                                        SequenceWidths{.features = 8, .heads = 2});
          });
      test::randomise(store);
      const auto run = [&](Tape& tape) { return block(tape, tape.constant(x.view()), {}); };
      CHECK(test::gradient_error(store, run) < 1e-5);
      CHECK(store.value(store.find("block.widen.weight")).shape == Shape{8, 24});
      const View gain = store.value(store.find("block.dense_norm.gain"));
      std::fill_n(gain.data, gain.size(), Real{1});
      const View shift = store.value(store.find("block.dense_norm.shift"));
      std::fill_n(shift.data, shift.size(), Real{0});
      const Tensor y = value_of(store, run);
      double most = 0;
      for (Index r = 0; r < 6; ++r) {
        double mean = 0;
        for (Index c = 0; c < 8; ++c) mean += y.view().row(r)[c] / 8;
        most = std::max(most, std::abs(mean));
      }
      CHECK((norm == NormPlacement::kPost ? most < kSame : most > 1e-3));
    }
}

TEST_CASE("options that do not fit are refused in one line") {
  const auto refuses = [](const RefinementConfig& options) {
    ParameterStore store;
    CHECK_THROWS_AS(Refinement(ParamScope(store, "refine"), options, kGrid), UsageError);
  };
  for (const auto& kind : sequence_attentions().rows()) {
    ParameterStore store;
    const RefinementConfig options{.type = kind.name, .layers = 1, .heads = 3};
    CHECK_THROWS_WITH(Refinement(ParamScope(store, "refine"), options, kGrid),
                      Catch::Matchers::Contains("encoder.refine.heads 3"));
  }
  refuses({.type = "differential", .layers = 1, .heads = 8});
  refuses({.type = "window", .layers = 1, .heads = 2, .radius = -1});
  refuses({.type = "linformer", .layers = 1, .heads = 2, .projected = 0});
  refuses({.type = "graph",
           .layers = 1,
           .heads = 2,
           .neighbours = NeighbourKind::kCosine,
           .nearest = 6});
  refuses({.layers = 0, .heads = 2});
}

}  // namespace saccade::refinement_test
