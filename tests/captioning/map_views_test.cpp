// Maps of layers and heads, their fusion and rollout: by hand, and against what a model's own steps
// record.
#include "captioning/evaluation/map_views.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "captioning/ensemble.h"
#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
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

// Two layers with two heads each, and one word.
CaptionMaps two_by_two() {
  CaptionMaps maps;
  maps.cross.push_back(layer_map(0, 0, {{1, 0}}));
  maps.cross.push_back(layer_map(0, 1, {{0.5F, 0.5F}}));
  maps.cross.push_back(layer_map(1, 0, {{0.25F, 0.75F}}));
  maps.cross.push_back(layer_map(1, 1, {{0, 1}}));
  return maps;
}

TEST_CASE("layers and heads are chosen, listed and fused, heads first") {
  const CaptionMaps maps = two_by_two();
  const auto last = map_views(maps, {});
  REQUIRE(last.size() == 1);
  CHECK(view_title(last[0]) == "layer 1, head mean");
  CHECK(near(last[0].maps[0], {0.125F, 0.875F}));
  CHECK(last[0].last);
  CHECK(last[0].decoder_layer == 1);
  const MapChoice each{.kind = Kind::kEach}, max{.fusion = Fusion::kMax}, mean{};
  const auto all = map_views(maps, {.layer = each, .head = each});
  REQUIRE(all.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all[i].layer == str(i / 2));
    CHECK(all[i].head == str(i % 2));
    const auto own = maps.cross[i].weights.span();
    CHECK(near(all[i].maps[0], {own.begin(), own.end()}));
    CHECK(all[i].last == (i > 1));
  }
  const auto fused = map_views(maps, {.layer = mean, .head = max});
  REQUIRE(fused.size() == 1);
  CHECK(view_title(fused[0]) == "layer mean, head max");
  CHECK(near(fused[0].maps[0], {0.625F, 0.75F}));  // of {1, .5} and {.25, 1}
  CHECK_FALSE(fused[0].decoder_layer);
  const auto one = map_views(maps, {.layer = MapChoice{.kind = Kind::kOne, .number = 0},
                                    .head = {.kind = Kind::kOne, .number = 1}});
  CHECK(near(one.at(0).maps[0], {0.5F, 0.5F}));
  CHECK_THROWS_AS(map_views(maps, {.head = {.kind = Kind::kOne, .number = 2}}), ShapeError);
  CHECK(map_views({}, {.rollout = true}).empty());
}

TEST_CASE(
    "the rollout of a word's map equals one computed by hand, through tokens and a refinement") {
  CaptionMaps maps = two_by_two();
  maps.placeless = 1;
  maps.class_token = true;
  // Tokens: the class token, then two regions. A / 2 + I / 2 is taken of the mean of two heads.
  maps.tokens.push_back(layer_map(0, 0, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
  maps.tokens.push_back(layer_map(0, 1, {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}}));
  const Tensor own = region_rollout(maps, 0);
  REQUIRE(own.shape() == Shape({2, 3}));
  const auto rows = own.span();
  CHECK(near({rows.begin(), rows.end()}, {0.25F, 0.75F, 0, 0, 0, 1}));
  const auto rolled = map_views(maps, {.rollout = true});
  CHECK(near(rolled[0].maps[0], {0.125F * 0.75F, 0.875F}));
  CHECK(near(rolled[0].elsewhere, {0.125F * 0.25F}));
  CHECK(view_title(rolled[0]) == "layer 1, head mean, rollout");
  // On top there is a refinement, in which region 0 takes region 1, and region 1 takes itself.
  maps.regions.push_back(layer_map(0, 0, {{0, 1}, {0, 1}}));
  const auto both = map_views(maps, {.rollout = true});
  CHECK(near(both[0].maps[0], {0.125F * 0.375F, 0.125F * 0.5F + 0.875F}));
  CHECK(near(both[0].elsewhere, {0.125F * 0.125F}));
  const auto token = class_token_views(maps, 0);
  REQUIRE(token.size() == 4);
  CHECK(near(token[0].maps[0], {1, 0}));
  CHECK(near(token[1].maps[0], {0, 1}));
  CHECK(token[2].head == "mean");
  CHECK(near(token[2].maps[0], {0.5F, 0.5F}));
  CHECK(view_title(token[3]) == "rollout");
  CHECK(near(token[3].maps[0], {0.25F, 0.25F}));
  CHECK(near(token[3].elsewhere, {0.5F}));
  maps.class_token = false;
  CHECK(class_token_views(maps, 0).empty());
}

TEST_CASE("a title leaves out layer and head where there is only one") {
  CaptionMaps maps;
  maps.cross.push_back(layer_map(0, 0, {{1, 0}}));
  CHECK(view_title(map_views(maps, {})[0]).empty());
  CHECK(view_title(map_views(maps, {.rollout = true})[0]) == "rollout");
  maps.cross.push_back(layer_map(1, 0, {{1, 0}}));
  CHECK(view_title(map_views(maps, {})[0]) == "layer 1");
  maps.cross[1] = layer_map(0, 1, {{1, 0}});
  CHECK(view_title(map_views(maps, {.rollout = true})[0]) == "head mean, rollout");
  maps.class_token = true;
  maps.placeless = 1;
  maps.tokens.push_back(layer_map(0, 0, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
  maps.tokens.push_back(layer_map(1, 0, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
  CHECK(view_title(class_token_views(maps, 0)[0]) == "layer 0");
}

ExperimentConfig transformers(SelectionKind selection) {
  ExperimentConfig config = small_experiment(selection);
  config.encoder.type = EncoderKind::kVit;
  config.encoder.vit = {.width = 12, .layers = 2, .heads = 3, .patch = 8, .registers = 1};
  config.encoder.refine = {.layers = 1, .heads = 2};
  config.decoder.type = DecoderKind::kTransformer;
  config.decoder.layers = 2;
  config.decoder.heads = 3;
  config.attention.heads = selection == SelectionKind::kSoft ? 2 : 1;
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

DecodedCaption caption_of(const Experiment& experiment, const InputView& input) {
  return Ensemble(experiment.model)
      .caption({&input, 1}, search_options(experiment.config, experiment.model.vocabulary()), 0)[0];
}

TEST_CASE("maps of layers and heads are what search and teacher forcing record") {
  const Gentle experiment(transformers(SelectionKind::kSoft));
  const Tensor input = first_input(experiment);
  const DecodedCaption caption = caption_of(experiment, input.view());
  REQUIRE(caption.words.size() >= 3);
  const CaptionMaps maps = caption_maps(experiment.model, input.view(), caption);
  REQUIRE(maps.cross.size() == 4);
  REQUIRE(maps.words.size() == 6);
  REQUIRE(maps.tokens.size() == 6);
  REQUIRE(maps.regions.size() == 2);
  const auto last = map_views(maps, {});
  for (std::size_t w = 0; w < caption.words.size(); ++w) {
    for (std::size_t l = 0; l < 16; ++l) {
      CHECK(std::abs(last[0].maps[w][l] - caption.words[w].attention[l]) < 1e-5F);
      for (std::size_t h = 0; h < 2; ++h)
        CHECK(std::abs(maps.cross[2 + h].weights[static_cast<Index>(w * 16 + l)] -
                       caption.words[w].heads[h][l]) < 1e-5F);
    }
  }
  // The mean of every layer, against one pass over the whole caption.
  std::vector<std::vector<int>> words(1);
  for (const DecodedWord& word : caption.words) words[0].push_back(word.id);
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(experiment.model.parameters().views());
  const Decoder& decoder = experiment.model.decoder();
  const Var features = experiment.model.encode(tape, input.view()).features;
  const SequenceOutput whole =
      decoder.sequence(tape, pack_captions(words, 1, 2), decoder.prepare(tape, features, 1), {});
  const auto layers = map_views(maps, {.layer = MapChoice{.kind = Kind::kEach}});
  REQUIRE(layers.size() == whole.layers.size());
  double apart = 0, between = 0;
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t w = 0; w < caption.words.size(); ++w)
      for (std::size_t l = 0; l < 16; ++l) {
        const Real own = whole.layers[layer].weights[w].value()[static_cast<Index>(l)];
        apart = std::max(apart, static_cast<double>(std::abs(layers[layer].maps[w][l] - own)));
        between =
            std::max(between, static_cast<double>(std::abs(layers[1 - layer].maps[w][l] - own)));
      }
  CHECK(apart < 1e-4);
  CHECK(between > 1e-3);
}

TEST_CASE("later maps are the same in a caption and in the maps of layers and heads") {
  for (const SelectionKind selection : {SelectionKind::kSoft, SelectionKind::kHard}) {
    ExperimentConfig config = transformers(selection);
    const Gentle own(config);
    config.maps.step = 2;
    const Gentle experiment(config);
    const Tensor input = first_input(experiment);
    const DecodedCaption caption = caption_of(experiment, input.view()),
                         before = caption_of(own, input.view());
    REQUIRE(caption.words.size() >= 3);
    REQUIRE(caption.words.size() == before.words.size());
    CHECK(caption.map_step == 2);
    const MapView view = map_views(caption_maps(experiment.model, input.view(), caption), {})[0];
    for (std::size_t w = 0; w < caption.words.size(); ++w) {
      CHECK(caption.words[w].id == before.words[w].id);
      for (std::size_t l = 0; l < 16; ++l) {
        CHECK(std::abs(view.maps[w][l] - caption.words[w].attention[l]) < 1e-5F);
        if (w + 2 < caption.words.size())
          CHECK(std::abs(caption.words[w].attention[l] - before.words[w + 2].attention[l]) < 1e-5F);
      }
    }
  }
  CHECK(later_map_name(0).empty());
  CHECK(later_map_name(1) == "the map one step after the word's own");
  CHECK(later_map_name(2) == "the map 2 steps after the word's own");
}

TEST_CASE("the words of a model keep their weight in rollout") {
  for (const SelectionKind selection : {SelectionKind::kSoft, SelectionKind::kHard}) {
    const Gentle experiment(transformers(selection));
    const Tensor input = first_input(experiment);
    const DecodedCaption caption = caption_of(experiment, input.view());
    const CaptionMaps maps = caption_maps(experiment.model, input.view(), caption);
    for (const double discard : {0.0, 0.5}) {
      const Tensor shares = region_rollout(maps, discard);
      REQUIRE(shares.shape() == Shape({16, 18}));
      for (Index l = 0; l < 16; ++l)
        CHECK(std::abs(std::accumulate(shares.view().row(l), shares.view().row(l) + 18, 0.0) - 1) <
              1e-5);
      const MapRequest request{.rollout = true, .discard = discard};
      for (const MapView& view : map_views(maps, request))
        for (std::size_t w = 0; w < view.maps.size(); ++w) {
          const double share = static_cast<double>(view.elsewhere[w]);
          CHECK(share > 0);
          CHECK(std::abs(sum(view.maps[w]) + share - 1) < 1e-5);
        }
    }
    for (const MapView& view : class_token_views(maps, 0))
      CHECK(std::abs(sum(view.maps[0]) + static_cast<double>(view.elsewhere[0]) - 1) < 1e-5);
  }
}

// The place of region or token l, after regions 5 and 6 have changed places.
std::size_t moved(std::size_t region) { return region == 5 ? 6 : region == 6 ? 5 : region; }

TEST_CASE("exchanging patches exchanges their maps") {
  ExperimentConfig config = transformers(SelectionKind::kSoft);
  config.encoder.refine.layers = 0;
  config.encoder.positions = PositionKind::kNone;
  const Gentle experiment(config);
  const Tensor input = first_input(experiment);
  Tensor other = input.clone();
  for (Index y = 8; y < 16; ++y)  // patches 5 and 6 of the 4 x 4 grid
    for (Index x = 8 * 3; x < 16 * 3; ++x)
      std::swap(other[y * 32 * 3 + x], other[y * 32 * 3 + x + 8 * 3]);
  const DecodedCaption caption = caption_of(experiment, input.view());
  const CaptionMaps before = caption_maps(experiment.model, input.view(), caption);
  const CaptionMaps after = caption_maps(experiment.model, other.view(), caption);
  const auto check = [](const std::vector<MapView>& a, const std::vector<MapView>& b) {
    REQUIRE(a.size() == b.size());
    double apart = 0, unmoved = 0;
    for (std::size_t v = 0; v < a.size(); ++v)
      for (std::size_t w = 0; w < a[v].maps.size(); ++w)
        for (std::size_t l = 0; l < 16; ++l) {
          const float own = a[v].maps[w][l];
          apart = std::max(apart, static_cast<double>(std::abs(own - b[v].maps[w][moved(l)])));
          unmoved = std::max(unmoved, static_cast<double>(std::abs(own - b[v].maps[w][l])));
        }
    CHECK(apart < 1e-4);
    CHECK(unmoved > 1e-3);
  };
  const MapChoice each{.kind = Kind::kEach};
  check(map_views(before, {.layer = each, .head = each}),
        map_views(after, {.layer = each, .head = each}));
  check(map_views(before, {.rollout = true}), map_views(after, {.rollout = true}));
  check(class_token_views(before, 0), class_token_views(after, 0));
}

}  // namespace
}  // namespace saccade::test
