// The maps of regions and words among themselves, as a page has them, against those that the model
// computes.
#include "experiments/report/self_attention.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/model/maps/layer_maps.h"
#include "captioning/model/maps/map_views.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "tests/experiments/small_run.h"
#include "tests/support/base64_bytes.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Json = nlohmann::ordered_json;

// Requires that a map of the JSON is these weights, up to half a step of its rows.
void check_map(const Json& json, ConstView weights) {
  REQUIRE(json.at("rows") == weights.rows());
  REQUIRE(json.at("cols") == weights.cols());
  const std::vector<int> bytes = bytes_of(json.at("weights"));
  REQUIRE(static_cast<Index>(bytes.size()) == weights.size());
  double most = 0;
  for (Index r = 0; r < weights.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const double low = json.at("low")[row], high = json.at("high")[row];
    for (Index c = 0; c < weights.cols(); ++c) {
      const int byte = bytes[static_cast<std::size_t>(r * weights.cols() + c)];
      const double apart = low + (high - low) * byte / 255 - static_cast<double>(weights.row(r)[c]);
      most = std::max(most, std::abs(apart) - (high - low) / 510);
    }
  }
  CHECK(most < 1e-6);
}

struct Decoded {
  Experiment experiment;
  InputBatch input;
  DecodedCaption caption;

  explicit Decoded(const ExperimentConfig& config)
      : experiment(config),
        input(experiment.inputs.batch(images())),
        caption(decode_images(experiment.model, experiment.inputs, images(), search(), {})[0]) {}

  std::vector<Index> images() const {
    return evaluation_images(experiment.data.dataset, Split::kVal, 1);
  }
  SearchOptions search() const {
    SearchOptions search = experiment.request().search;
    search.recording.words = true;
    return search;
  }
  Json json() const { return self_attention_json(experiment.model, input.view(), caption); }
  EncoderMaps maps() const { return encoder_maps(experiment.model, input.view()); }
};

TEST_CASE("a page has the maps of encoder, refinement and words, and the rollout") {
  ExperimentConfig config = small_transformer();
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 8, .layers = 2, .heads = 2, .patch = 8, .registers = 1};
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 2;
  const Decoded decoded(config);
  const Json json = decoded.json();
  const EncoderMaps maps = decoded.maps();
  CHECK(json.at("class_token") == true);
  REQUIRE(maps.placeless == 2);
  const Json& regions = json.at("regions");
  REQUIRE(regions.size() == 1 + 2 * 2 + 2);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(regions[1 + i].at("of") == "encoder");
    CHECK(regions[1 + i].at("layer") == i / 2);
    CHECK(regions[1 + i].at("head") == i % 2);
    check_map(regions[1 + i], maps.tokens[i].weights.view());
  }
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(regions[5 + i].at("of") == "refinement");
    check_map(regions[5 + i], maps.regions[i].weights.view());
  }
  CHECK(regions[0].at("of") == "rollout");
  CHECK(regions[0].at("layer").is_null());
  const Tensor rollout = region_rollout(maps, 0);
  const Index count = rollout.shape()[0], columns = rollout.shape()[1];
  Tensor expected({count + 1, columns});
  const AttentionMap token = class_token_views(maps, 0).back()[0];
  expected[0] = static_cast<Real>(token.elsewhere.value());
  std::copy(token.weights.begin(), token.weights.end(), expected.data() + maps.placeless);
  std::copy_n(rollout.data(), rollout.size(), expected.data() + columns);
  check_map(regions[0], expected.view());
  const std::vector<LayerMap> words = word_maps(decoded.caption);
  REQUIRE(!words.empty());
  REQUIRE(json.at("words").size() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(json.at("words")[i].at("layer") == words[i].layer);
    CHECK(json.at("words")[i].at("head") == words[i].head);
    check_map(json.at("words")[i], words[i].weights.view());
  }
}

TEST_CASE("what is no map of regions is left out") {
  CHECK(Decoded(small_experiment()).json().is_null());
  // Mixtures are no regions.
  ExperimentConfig config = small_experiment();
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 1;
  config.encoder.refine.type = "linformer";
  CHECK(Decoded(config).json().is_null());
  // Weights below 0 are no shares, so they cannot be rolled out, but they are maps.
  config.encoder.refine.type = "differential";
  const Decoded differential(config);
  const Json json = differential.json();
  REQUIRE(json.at("regions").size() == 1);
  CHECK(json.at("class_token") == false);
  CHECK(json.at("words").empty());
  check_map(json.at("regions")[0], differential.maps().regions.at(0).weights.view());
}

}  // namespace
}  // namespace saccade::test
