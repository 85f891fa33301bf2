// Maps of layers and heads, their fusion and rollout: by hand, and against what a model's own steps
// record.
#include "captioning/model/maps/map_views.h"

#include "captioning/model/decoding/ensemble.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::test::map_views_test {
namespace {

using Kind = MapChoice::Kind;
using Rows = std::vector<std::vector<float>>;

LayerMap layer_map(Index layer, Index head, const Rows& rows) {
  LayerMap map{.layer = layer, .head = head, .weights = {}};
  map.weights = Tensor({static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size())});
  Real* out = map.weights.data();
  for (const std::vector<float>& row : rows) out = std::copy(row.begin(), row.end(), out);
  return map;
}

bool near(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return std::abs(x - y) < 1e-6F; });
}

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// One word with two layers of two heads each. Layer l took cell l, and its gate is (l + 1) / 4.
DecodedCaption two_by_two() {
  const Rows weights{{1, 0}, {0.5F, 0.5F}, {0.25F, 0.75F}, {0, 1}};
  DecodedCaption caption;
  DecodedWord& word = caption.words.emplace_back();
  for (int i = 0; i < 4; ++i)
    word.parts.push_back({.weights = weights[static_cast<std::size_t>(i)],
                          .layout = {{1, 2}},
                          .layer = {.number = i / 2, .count = 2},
                          .head = {.number = i % 2, .count = 2},
                          .gate = (i / 2 + 1) / 4.0,
                          .chosen = i / 2});
  return caption;
}

TEST_CASE("the view of a head has the cell that this head took, a mean that of all of them") {
  DecodedCaption caption = two_by_two();
  std::vector<AttentionMap>& parts = caption.words[0].parts;
  parts[2].chosen = 0;  // the heads of the last layer differ
  const MapChoice each{.kind = Kind::kEach};
  const auto heads = map_views(caption, {.head = each});
  REQUIRE(heads.size() == 2);
  CHECK(heads[0][0].chosen == 0);
  CHECK(heads[1][0].chosen == 1);
  CHECK(map_views(caption, {})[0][0].chosen == -1);
  parts[2].chosen = 1;
  CHECK(map_views(caption, {})[0][0].chosen == 1);
}

TEST_CASE("layers and heads are chosen, listed and fused, heads first") {
  const DecodedCaption caption = two_by_two();
  const auto last = map_views(caption, {});
  REQUIRE(last.size() == 1);
  CHECK(view_title(last[0][0]) == "layer 1, head mean");
  CHECK(near(last[0][0].weights, {0.125F, 0.875F}));
  CHECK(last[0][0].gate == 0.5);
  CHECK(last[0][0].chosen == 1);
  const MapChoice each{.kind = Kind::kEach}, max{.fusion = Fusion::kMax}, mean{};
  const auto all = map_views(caption, {.layer = each, .head = each});
  REQUIRE(all.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const AttentionMap &own = all[i][0], &part = caption.words[0].parts[i];
    CHECK(own.layer == part.layer);
    CHECK(own.head == part.head);
    CHECK(near(own.weights, part.weights));
    CHECK(own.gate == part.gate);
    CHECK(own.chosen == part.chosen);
  }
  const auto fused = map_views(caption, {.layer = mean, .head = max});
  REQUIRE(fused.size() == 1);
  CHECK(view_title(fused[0][0]) == "layer mean, head max");
  CHECK(near(fused[0][0].weights, {0.625F, 0.75F}));  // of {1, .5} and {.25, 1}
  CHECK_FALSE(fused[0][0].gate);
  CHECK(fused[0][0].chosen == -1);
  const auto one = map_views(caption, {.layer = MapChoice{.kind = Kind::kOne, .number = 0},
                                       .head = {.kind = Kind::kOne, .number = 1}});
  CHECK(near(one.at(0)[0].weights, {0.5F, 0.5F}));
  CHECK_THROWS_AS(map_views(caption, {.head = {.kind = Kind::kOne, .number = 2}}), ShapeError);
  CHECK(map_views({}, {.rollout = true}).empty());
}

TEST_CASE("a layer that was not recorded cannot be viewed") {
  DecodedCaption caption = two_by_two();
  std::vector<AttentionMap>& parts = caption.words[0].parts;
  parts.erase(parts.begin(), parts.begin() + 2);  // what search keeps unless it is asked for more
  const auto last = map_views(caption, {});
  CHECK(view_title(last.at(0)[0]) == "layer 1, head mean");
  CHECK(near(last[0][0].weights, {0.125F, 0.875F}));
  for (const MapChoice& choice :
       {MapChoice{.kind = Kind::kOne, .number = 0}, MapChoice{.kind = Kind::kEach}, MapChoice{}})
    CHECK_THROWS_AS(map_views(caption, {.layer = choice}), ShapeError);
}

TEST_CASE(
    "the rollout of a word's map equals one computed by hand, through tokens and a refinement") {
  const DecodedCaption caption = two_by_two();
  EncoderMaps maps;
  maps.layout = {{1, 2}};
  maps.placeless = 1;
  maps.class_token = true;
  // Tokens: the class token, then two regions. A / 2 + I / 2 is taken of the mean of two heads.
  maps.tokens.push_back(layer_map(0, 0, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
  maps.tokens.push_back(layer_map(0, 1, {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}}));
  const Tensor own = region_rollout(maps, 0);
  REQUIRE(own.shape() == Shape({2, 3}));
  const auto rows = own.span();
  CHECK(near({rows.begin(), rows.end()}, {0.25F, 0.75F, 0, 0, 0, 1}));
  const AttentionMap rolled = map_views(caption, {.rollout = true}, maps)[0][0];
  CHECK(near(rolled.weights, {0.125F * 0.75F, 0.875F}));
  CHECK(rolled.elsewhere.value() == Approx(0.125 * 0.25));
  CHECK(view_title(rolled) == "layer 1, head mean, rollout");
  CHECK(rolled.chosen == -1);
  CHECK(rolled.gate == 0.5);
  // On top there is a refinement, in which region 0 takes region 1, and region 1 takes itself.
  maps.regions.push_back(layer_map(0, 0, {{0, 1}, {0, 1}}));
  const AttentionMap both = map_views(caption, {.rollout = true}, maps)[0][0];
  CHECK(near(both.weights, {0.125F * 0.375F, 0.125F * 0.5F + 0.875F}));
  CHECK(both.elsewhere.value() == Approx(0.125 * 0.125));
  const auto token = class_token_views(maps, 0);
  REQUIRE(token.size() == 4);
  CHECK(near(token[0][0].weights, {1, 0}));
  CHECK(near(token[1][0].weights, {0, 1}));
  CHECK(token[2][0].head.name() == "mean");
  CHECK(near(token[2][0].weights, {0.5F, 0.5F}));
  CHECK(view_title(token[3][0]) == "rollout");
  CHECK(near(token[3][0].weights, {0.25F, 0.25F}));
  CHECK(token[3][0].elsewhere.value() == Approx(0.5));
  maps.class_token = false;
  CHECK(class_token_views(maps, 0).empty());
}

TEST_CASE("a title leaves out layer and head where there is only one") {
  const auto title = [](const MapPart& layer, const MapPart& head, bool rollout) {
    return view_title({.layer = layer, .head = head, .rollout = rollout});
  };
  const MapPart one, second{.number = 1, .count = 2}, mean{.count = 2, .fused = Fusion::kMean};
  CHECK(title(one, one, false).empty());
  CHECK(title(one, one, true) == "rollout");
  CHECK(title(second, one, false) == "layer 1");
  CHECK(title(one, mean, true) == "head mean, rollout");
  CHECK(title({.count = 0}, {.count = 0}, true) == "rollout");
}

ExperimentConfig transformers(const std::string& selection) {
  ExperimentConfig config = small_experiment(selection);
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 12, .layers = 2, .heads = 3, .patch = 8, .registers = 1};
  config.encoder.refine = {.layers = 1, .heads = 2};
  config.decoder.type = "transformer";
  config.decoder.layers = 2;
  config.decoder.heads = 3;
  config.attention.heads = selection == "soft" ? 2 : 1;
  config.search.mode = SearchMode::kGreedy;
  config.search.min_length = 3;
  return config;
}

// Weights for which six blocks do not make the features so large that a map cannot distinguish
// them.
struct Gentle : Experiment {
  explicit Gentle(const ExperimentConfig& c) : Experiment(c) {
    for (Real& value : model.parameters().flat().span()) value /= 2;
  }
};

Tensor first_input(const Experiment& experiment) {
  std::vector<Index> extents{1};
  const Shape one = experiment.inputs.shape();
  for (int axis = 0; axis < one.rank(); ++axis) extents.push_back(one[axis]);
  Tensor input(Shape::of(extents.data(), one.rank() + 1));
  experiment.inputs.load(images_of(experiment.data.dataset, Split::kVal)[0], input.span());
  return input;
}

// A caption that keeps all its maps.
DecodedCaption caption_of(const Experiment& experiment, const InputView& input) {
  SearchOptions search =
      search_options(experiment.config, experiment.config.search, experiment.model.vocabulary());
  search.recording = {.layers = true, .words = true};
  return EncodedPictures(experiment.model, {&input, 1}).caption(search, 0)[0];
}

TEST_CASE("maps of layers and heads are what search and teacher forcing record") {
  const Gentle experiment(transformers("soft"));
  const Tensor input = first_input(experiment);
  const DecodedCaption caption = caption_of(experiment, input.view());
  REQUIRE(caption.words.size() >= 3);
  const EncoderMaps maps = encoder_maps(experiment.model, input.view());
  REQUIRE(maps.tokens.size() == 6);
  REQUIRE(maps.regions.size() == 2);
  const auto last = map_views(caption, {});
  for (std::size_t w = 0; w < caption.words.size(); ++w) {
    REQUIRE(caption.words[w].parts.size() == 4);
    for (std::size_t l = 0; l < 16; ++l)
      CHECK(std::abs(last[0][w].weights[l] - caption.words[w].map.weights[l]) < 1e-5F);
  }
  // What a word takes from <bos> and the words before it sums to 1, and nothing from later ones.
  const std::vector<LayerMap> reads = word_maps(caption);
  REQUIRE(reads.size() == 6);
  for (const LayerMap& map : reads)
    for (Index t = 0; t < map.weights.shape()[0]; ++t) {
      const Real* row = map.weights.view().row(t);
      CHECK(std::abs(std::accumulate(row, row + t + 1, 0.0) - 1) < 1e-5);
      CHECK(std::all_of(row + t + 1, row + map.weights.shape()[1], [](Real x) { return x == 0; }));
    }
  // The mean of every layer, against one pass over the whole caption.
  std::vector<std::vector<int>> words(1);
  for (const DecodedWord& word : caption.words) words[0].push_back(word.id);
  TestTape tape(experiment.model.parameters().views(), Recording::kNo);
  const Decoder& decoder = experiment.model.decoder();
  const Var features = experiment.model.encode(tape, input.view()).features;
  const SequenceOutput whole =
      decoder.sequence(tape, pack_captions(words, 1, 2), decoder.prepare(tape, features, 1), {});
  const auto layers = map_views(caption, {.layer = MapChoice{.kind = Kind::kEach}});
  REQUIRE(layers.size() == whole.layers.size());
  double apart = 0, between = 0;
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t w = 0; w < caption.words.size(); ++w)
      for (std::size_t l = 0; l < 16; ++l) {
        const Real own = whole.layers[layer][w].value()[static_cast<Index>(l)];
        apart = std::max(apart, static_cast<double>(std::abs(layers[layer][w].weights[l] - own)));
        between =
            std::max(between, static_cast<double>(std::abs(layers[1 - layer][w].weights[l] - own)));
      }
  CHECK(apart < 1e-4);
  CHECK(between > 1e-3);
}

TEST_CASE("the words of a model keep their weight in rollout") {
  for (const std::string selection : {"soft", "hard"}) {
    const Gentle experiment(transformers(selection));
    const Tensor input = first_input(experiment);
    const DecodedCaption caption = caption_of(experiment, input.view());
    const EncoderMaps maps = encoder_maps(experiment.model, input.view());
    for (const double discard : {0.0, 0.5}) {
      const Tensor shares = region_rollout(maps, discard);
      REQUIRE(shares.shape() == Shape({16, 18}));
      for (Index l = 0; l < 16; ++l)
        CHECK(std::abs(std::accumulate(shares.view().row(l), shares.view().row(l) + 18, 0.0) - 1) <
              1e-5);
      const MapRequest request{.rollout = true, .discard = discard};
      for (const MapView& view : map_views(caption, request, maps))
        for (const AttentionMap& map : view) {
          CHECK(*map.elsewhere > 0);
          CHECK(std::abs(sum(map.weights) + *map.elsewhere - 1) < 1e-5);
        }
    }
    for (const MapView& view : class_token_views(maps, 0))
      CHECK(std::abs(sum(view[0].weights) + *view[0].elsewhere - 1) < 1e-5);
  }
}

// The place of region or token l, after regions 5 and 6 have changed places.
std::size_t moved(std::size_t region) { return region == 5 ? 6 : region == 6 ? 5 : region; }

TEST_CASE("exchanging patches exchanges their maps") {
  ExperimentConfig config = transformers("soft");
  config.encoder.refine.layers = 0;
  config.encoder.positions = PositionKind::kNone;
  const Gentle experiment(config);
  const Tensor input = first_input(experiment);
  Tensor other = input.clone();
  for (Index y = 8; y < 16; ++y)  // patches 5 and 6 of the 4 x 4 grid
    for (Index x = 8 * 3; x < 16 * 3; ++x)
      std::swap(other[y * 32 * 3 + x], other[y * 32 * 3 + x + 8 * 3]);
  const DecodedCaption before = caption_of(experiment, input.view());
  std::vector<int> ids;
  for (const DecodedWord& word : before.words) ids.push_back(word.id);
  const std::vector<std::vector<std::vector<int>>> given{{ids}};
  const InputView view = other.view();
  const DecodedCaption after = EncodedPictures(experiment.model, {&view, 1})
                                   .force_decode(given, {.recording = {.layers = true}}, 0)[0][0];
  const auto check = [](const std::vector<MapView>& a, const std::vector<MapView>& b) {
    REQUIRE(a.size() == b.size());
    double apart = 0, unmoved = 0;
    for (std::size_t v = 0; v < a.size(); ++v)
      for (std::size_t w = 0; w < a[v].size(); ++w)
        for (std::size_t l = 0; l < 16; ++l) {
          const float own = a[v][w].weights[l];
          apart = std::max(apart, static_cast<double>(std::abs(own - b[v][w].weights[moved(l)])));
          unmoved = std::max(unmoved, static_cast<double>(std::abs(own - b[v][w].weights[l])));
        }
    CHECK(apart < 1e-4);
    CHECK(unmoved > 1e-3);
  };
  const EncoderMaps tokens = encoder_maps(experiment.model, input.view()),
                    moved_tokens = encoder_maps(experiment.model, view);
  const MapChoice each{.kind = Kind::kEach};
  check(map_views(before, {.layer = each, .head = each}),
        map_views(after, {.layer = each, .head = each}));
  check(map_views(before, {.rollout = true}, tokens),
        map_views(after, {.rollout = true}, moved_tokens));
  check(class_token_views(tokens, 0), class_token_views(moved_tokens, 0));
}

}  // namespace
}  // namespace saccade::test::map_views_test
