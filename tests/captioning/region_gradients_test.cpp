// Gradients to regions, by word and path, in double: they add up to what one tape gives for all
// words at once, and the direct gradient is the weight times what reaches the context.
#include "captioning/study/inspection/region_gradients.h"

#include "core/ops/pointwise.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::region_gradients_test {
namespace {

using test::kSpecial;

constexpr Index kRegions = 5, kFeatures = 4;

// A decoder whose weights are large enough to make clear choices.
struct Model {
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;

  explicit Model(std::uint64_t seed, AttentionConfig attention = {})
      : Model(seed, {.hidden = 6, .embedding = 5, .dropout = 0.5, .init_hidden = 4}, attention) {}
  Model(std::uint64_t seed, const DecoderConfig& config, AttentionConfig attention) {
    attention.hidden = 4;
    decoder = make_decoder(config, attention, {.features = kFeatures, .vocabulary = 7},
                           ParamScope(store, "decoder"));
    store.initialise(seed);
    for (Real& x : store.flat().span()) x *= 2;
  }
};

PackedCaptions one_caption(const std::vector<int>& words) {
  const std::vector<std::vector<int>> captions{words};
  return pack_captions(captions, kSpecial.bos, kSpecial.eos);
}

double norm(const Real* x) {
  double sum = 0;
  for (Index d = 0; d < kFeatures; ++d) sum += double{x[d]} * double{x[d]};
  return std::sqrt(sum);
}

// The gradient of the caption's cost by the features that all words share, on one tape.
std::vector<Real> gradient_of_all_words(const Model& model, const Tensor& features,
                                        const PackedCaptions& caption) {
  test::TestTape tape(model.store.views());
  const Var seen = tape.variable(features.view());
  AttentionMemory memory = model.decoder->prepare(tape, seen, 1);
  memory.features = tape.constant(features.view());  // what the first state is made from
  const Var nll = model.decoder->sequence(tape, caption, memory, {}).nll;
  const std::vector<Real> ones(static_cast<std::size_t>(caption.words()), 1);
  const std::vector<ConstView> cotangents{ConstView(ones.data(), {caption.words()})};
  tape.backward(std::vector<Var>{nll}, cotangents);
  const View gradient = tape.grad(seen);
  return {gradient.span().begin(), gradient.span().end()};
}

// Both paths of all words have this sum.
void check_sum(const RegionGradients& paths, const std::vector<Real>& expected, Index words) {
  double most = 0, largest = 0;
  for (Index i = 0; i < kRegions * kFeatures; ++i) {
    double sum = 0;
    for (Index t = 0; t < words; ++t)
      sum += double{paths.direct[t * kRegions * kFeatures + i]} +
             double{paths.score[t * kRegions * kFeatures + i]};
    most = std::max(most, std::abs(sum - double{expected[static_cast<std::size_t>(i)]}));
    largest = std::max(largest, std::abs(sum));
  }
  CHECK(largest > 1e-3);
  CHECK(most < 1e-12);
}

TEST_CASE("paths and words together are the gradient of all glimpses") {
  std::vector<AttentionConfig> configs(6);
  configs[1].gate = "none";
  configs[2].score = "general";
  configs[2].gate = "vector";
  configs[3].normalizer = "sparsemax";
  configs[4].sentinel = true;
  configs[5].heads = 2;
  configs[5].score = "scaled_dot";
  for (const AttentionConfig& config : configs) {
    Model model(5, config);
    const Tensor features = test::random_features(1, kRegions, kFeatures, 8);
    const PackedCaptions caption = one_caption({4, 6, 5, 4});
    const RegionGradients paths =
        region_gradients(*model.decoder, model.store.views(), features.view(), caption);
    REQUIRE(paths.weights.shape() == Shape{5, kRegions});
    INFO("score " << config.score << ", gate " << config.gate);
    check_sum(paths, gradient_of_all_words(model, features, caption), caption.words());
  }
}

TEST_CASE("the direct gradient of a word is its weights times one vector") {
  for (const std::string gate : {"none", "scalar", "vector"}) {
    AttentionConfig config;
    config.gate = gate;
    Model model(3, config);
    const Tensor features = test::random_features(1, kRegions, kFeatures, 2);
    const RegionGradients paths = region_gradients(*model.decoder, model.store.views(),
                                                   features.view(), one_caption({5, 4, 6}));
    double most = 0, unlike = 0;
    for (Index t = 0; t < 4; ++t) {
      const Real* weights = paths.weights.view().row(t);
      const Real* first = paths.direct.data() + t * kRegions * kFeatures;
      for (Index l = 1; l < kRegions; ++l)
        for (Index d = 0; d < kFeatures; ++d)
          most = std::max(most, std::abs(double{first[l * kFeatures + d]} * double{weights[0]} -
                                         double{first[d]} * double{weights[l]}));
      unlike = std::max(unlike, std::abs(double{weights[0]} - double{weights[1]}));
    }
    CHECK(most < 1e-15);
    CHECK(unlike > 0.01);
  }
}

TEST_CASE("with score weights of 0 all regions are alike and nothing goes through keys") {
  Model model(3);
  for (const ParameterInfo& info : model.store.infos())
    if (info.name.find("attention.score") != std::string::npos)
      for (Real& x : model.store.value(model.store.find(info.name)).span()) x = 0;
  const Tensor features = test::random_features(1, kRegions, kFeatures, 2);
  const RegionGradients paths =
      region_gradients(*model.decoder, model.store.views(), features.view(), one_caption({5, 4}));
  for (Index t = 0; t < 3; ++t)
    for (Index l = 0; l < kRegions; ++l) {
      const Index at = (t * kRegions + l) * kFeatures;
      CHECK(std::abs(double{paths.weights.view().row(t)[l]} - 0.2) < 1e-15);
      CHECK(norm(paths.score.data() + at) == 0);
      CHECK(norm(paths.direct.data() + at) > 1e-6);
      CHECK(std::abs(norm(paths.direct.data() + at) -
                     norm(paths.direct.data() + t * kRegions * kFeatures)) < 1e-15);
    }
}

TEST_CASE("keys of their own have the gradient of scores, and features have that of contexts") {
  constexpr Index kKeys = 3;
  AttentionConfig attention;
  attention.hidden = 4;
  ParameterStore store;
  const auto decoder = make_decoder(
      {.hidden = 6, .embedding = 5, .dropout = 0, .init_hidden = 4}, attention,
      {.features = kFeatures, .vocabulary = 7, .keys = kKeys}, ParamScope(store, "decoder"));
  store.initialise(5);
  for (Real& x : store.flat().span()) x *= 2;
  const Tensor features = test::random_features(1, kRegions, kFeatures, 8),
               keys = test::random_features(1, kRegions, kKeys, 9);
  const PackedCaptions caption = one_caption({4, 6, 5});
  const RegionGradients paths =
      region_gradients(*decoder, store.views(), {features.view(), {}, {}, keys.view()}, caption);
  REQUIRE(paths.score.shape() == Shape{4, kRegions, kKeys});
  REQUIRE(paths.direct.shape() == Shape{4, kRegions, kFeatures});
  test::TestTape tape(store.views());
  const Var scored = tape.variable(keys.view());
  const AttentionMemory memory =
      decoder->prepare(tape, {tape.constant(features.view()), {}, {}, scored}, 1);
  const std::vector<Real> ones(4, 1);
  tape.backward(std::vector<Var>{decoder->sequence(tape, caption, memory, {}).nll},
                std::vector<ConstView>{ConstView(ones.data(), {4})});
  double most = 0, largest = 0;
  for (Index i = 0; i < kRegions * kKeys; ++i) {
    double sum = 0;
    for (Index t = 0; t < 4; ++t) sum += double{paths.score[t * kRegions * kKeys + i]};
    most = std::max(most, std::abs(sum - double{tape.grad(scored)[i]}));
    largest = std::max(largest, std::abs(sum));
  }
  CHECK(largest > 1e-3);
  CHECK(most < 1e-12);
}

// A decoder of two layers with two heads each.
Model transformer(std::uint64_t seed) {
  DecoderConfig config;
  config.type = "transformer";
  config.hidden = 6;
  config.embedding = 5;
  config.dropout = 0;
  config.layers = 2;
  config.heads = 2;
  AttentionConfig attention;
  attention.heads = 2;
  attention.score = "scaled_dot";
  return Model(seed, config, attention);
}

TEST_CASE("layers, heads, paths and words together are the gradient of all glimpses") {
  const Model model = transformer(7);
  const Tensor features = test::random_features(1, kRegions, kFeatures, 8);
  const PackedCaptions caption = one_caption({4, 6, 5});
  const RegionGradients paths =
      region_gradients(*model.decoder, model.store.views(), features.view(), caption);
  CHECK(paths.layers == 2);
  CHECK(paths.heads == 2);
  REQUIRE(paths.parts.size() == 2 * 3);
  check_sum(paths, gradient_of_all_words(model, features, caption), caption.words());
}

TEST_CASE(
    "a head's gradient is what a tape gives where the others' keys and values are constants") {
  const Model model = transformer(9);
  const Tensor features = test::random_features(1, kRegions, kFeatures, 8);
  const std::vector<std::vector<int>> target{{5}};  // one word, so that one glimpse is one part
  const PackedCaptions caption = pack_targets(target, kSpecial.bos);
  const RegionGradients paths =
      region_gradients(*model.decoder, model.store.views(), features.view(), caption);
  for (const HeadGradients& part : paths.parts) {
    if (part.head < 0) continue;
    for (const std::size_t path : {0, 1}) {  // keys, values
      test::TestTape tape(model.store.views());
      const Var seen = tape.variable(features.view());
      AttentionMemory memory = model.decoder->prepare(tape, tape.constant(features.view()), 1);
      const std::size_t place = static_cast<std::size_t>(2 * (2 * part.layer + part.head)) + path;
      memory.parts[place] = model.decoder->prepare(tape, seen, 1).parts[place];
      const Real one = 1;
      tape.backward(std::vector<Var>{model.decoder->sequence(tape, caption, memory, {}).nll},
                    std::vector<ConstView>{ConstView(&one, {1})});
      const Tensor& norms = path == 0 ? part.score : part.direct;
      INFO("layer " << part.layer << ", head " << part.head << ", path " << path);
      double largest = 0;
      for (Index l = 0; l < kRegions; ++l) {
        const double expected = norm(tape.grad(seen).data + l * kFeatures);
        CHECK(std::abs(double{norms[l]} - expected) < 1e-13);
        largest = std::max(largest, expected);
      }
      CHECK(largest > 1e-7);
    }
    // Its weights are those of its own layer: as a value, the gradient is proportional to them.
    for (Index l = 1; l < kRegions; ++l)
      CHECK(std::abs(double{part.direct[l]} * double{part.weights[0]} -
                     double{part.direct[0]} * double{part.weights[l]}) < 1e-13);
  }
}

TEST_CASE("attention without keys and values of regions is refused") {
  AttentionConfig config;
  config.score = "none";
  Model model(3, config);
  const Tensor features = test::random_features(2, kRegions, kFeatures, 2);
  CHECK_THROWS_AS(region_gradients(*model.decoder, model.store.views(),
                                   test::rows_of(features, 0, 1).view(), one_caption({5})),
                  ShapeError);
  Model soft(3);
  CHECK_THROWS_AS(
      region_gradients(*soft.decoder, soft.store.views(), features.view(), one_caption({5})),
      ShapeError);
}

}  // namespace
}  // namespace saccade::region_gradients_test
