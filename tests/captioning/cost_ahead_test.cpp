// Work that takes long is announced with what makes it so.
#include "captioning/learning/training/cost_ahead.h"

#include "captioning/learning/config/experiment_config.h"
#include "tests/support/catch.h"

namespace saccade {

using Catch::Matchers::Contains;

TEST_CASE("drawing many images is announced, with the key that asks for most") {
  DataConfig config;
  CHECK(drawing_cost(config).empty());
  config.scenes.test = 1'000'000;
  CHECK_THAT(drawing_cost(config), Contains("making 1004300 scenes takes about 4000 MB and 30 s") &&
                                       Contains("lower data.scenes.test (1000000)"));
  config.scenes.test = 0;
  config.scenes.train = 300'000;
  CHECK_THAT(drawing_cost(config), Contains("lower data.scenes.train (300000)"));
  config.limit_train = 100;  // nothing beyond it is drawn
  CHECK(drawing_cost(config).empty());
  config.type = DataKind::kSequences;
  config.sequences.test = 200'000;
  CHECK_THAT(drawing_cost(config), Contains("texts") && Contains("lower data.sequences.test"));
  config.type = DataKind::kFolder;
  CHECK(drawing_cost(config).empty());
}

TEST_CASE("attention among many regions is announced") {
  ExperimentConfig config;
  config.train.batch = 8;
  GridShape grid;
  grid.rows = grid.cols = 62;
  RefinementConfig& refine = config.encoder.refine;
  refine.layers = 1;
  const auto cost = [&](const std::string& type, NeighbourKind neighbours) {
    refine.type = type;
    refine.neighbours = neighbours;
    return refinement_cost(config, grid);
  };
  using enum NeighbourKind;
  CHECK_THAT(cost("graph", kCosine), Contains("62 x 62 regions, and encoder.refine.type graph") &&
                                         Contains("100 million pairs in an update"));
  CHECK_FALSE(cost("graph", kEuclidean).empty());
  CHECK_FALSE(cost("self_attention", kEight).empty());
  CHECK(cost("graph", kEight).empty());
  CHECK(cost("window", kEight).empty());
  grid.rows = grid.cols = 14;
  CHECK(cost("self_attention", kEight).empty());
  grid.rows = grid.cols = 62;
  refine.layers = 0;
  CHECK(cost("self_attention", kEight).empty());
}

}  // namespace saccade
