// Keys and values from different layers of an encoder, and both projected to another width.
#include "captioning/model/region_parts.h"

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/training/training_set.h"
#include "core/io/checkpoint.h"
#include "core/optim/optimizer.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"

namespace saccade {

using Catch::Matchers::Contains;
using test::TempFolder;

namespace {

// Layers of 8 and 16 channels. The first layer has four times as many rows and columns.
// `frozen_stages` is -1 for a network whose grid is an input of the model.
ExperimentConfig two_layers(const TempFolder& folder, std::int64_t frozen_stages) {
  test::save_small_onnx(folder / "small.onnx");
  ExperimentConfig config = test::small_experiment();
  config.encoder.type = "onnx_native";
  config.encoder.frozen_stages = frozen_stages;
  config.encoder.model = (folder / "small.onnx").string();
  config.encoder.layers = {"last", "first_relu"};
  return config;
}

struct Encoded {
  Tensor features, keys, pooled;
};

Tensor copy(ConstView x) { return x.data ? Tensor(x.shape, x.span()) : Tensor(); }

Encoded encode(const CaptionModel& model, const InputView& input) {
  test::TestTape tape(model.parameters().views(), test::Recording::kNo);
  const EncodedValues values = model.encode(tape, input).values();
  return {copy(values.features), copy(values.keys), copy(values.pooled)};
}

InputBatch some_images(const test::Experiment& experiment) {
  return experiment.inputs.batch(std::vector<Index>{0, 1});
}

bool same_columns(const Tensor& part, const Tensor& all, Index first) {
  const Index width = part.shape()[2];
  for (Index r = 0; r < part.size() / width; ++r)
    for (Index d = 0; d < width; ++d)
      if (part[r * width + d] != all[r * all.shape()[2] + first + d]) return false;
  return true;
}

}  // namespace

TEST_CASE("keys and values are the channels of the layers that they name") {
  const TempFolder folder("region-parts");
  for (const std::int64_t frozen_stages : {-1, 0}) {
    ExperimentConfig config = two_layers(folder, frozen_stages);
    config.encoder.positions = PositionKind::kCoordinates;
    const test::Experiment whole(config);
    const InputBatch input = some_images(whole);
    const Encoded all = encode(whole.model, input.view());
    REQUIRE(all.features.shape() == Shape{2, 256, 26});
    CHECK(all.keys.size() == 0);

    config.encoder.keys = {"first_relu"};
    config.encoder.values = {"last"};
    const test::Experiment split(config);
    const Encoded parts = encode(split.model, input.view());
    // Both know where they are: the channels that positions append belong to no layer.
    REQUIRE(parts.keys.shape() == Shape{2, 256, 10});
    REQUIRE(parts.features.shape() == Shape{2, 256, 18});
    CHECK(split.model.grid().features == 18);
    CHECK(same_columns(parts.keys, all.features, 16));
    for (Index r = 0; r < 512; ++r)
      for (Index d = 0; d < 18; ++d)
        REQUIRE(parts.features[r * 18 + d] == all.features[r * 26 + (d < 16 ? d : d + 8)]);

    config.encoder.keys = {"last"};
    const test::Experiment alike(config);
    CHECK(encode(alike.model, input.view()).keys.size() == 0);
    config.encoder.values = {};
    CHECK(encode(test::Experiment(config).model, input.view()).features.shape()[2] == 26);
  }
}

TEST_CASE("a trained network joins the layers of padded pictures as the same frozen one does") {
  const TempFolder folder("region-padding");
  // The scenes are squares, so that eight columns of pixels at each side are padding.
  const auto joined = [&](std::int64_t frozen_stages, ResizeMode resize) {
    ExperimentConfig config = two_layers(folder, frozen_stages);
    config.encoder.image_width = 48;
    config.encoder.resize = resize;
    const LoadedData data = load_data(config.data);
    const InputPipeline pipeline(config.encoder);
    const DatasetInputs inputs(data, pipeline, config.encoder, {});
    const CaptionModel model(config, training_vocabulary(data, config.data),
                             pipeline.frozen_grid());
    const InputBatch input = inputs.batch(std::vector<Index>{0, 1});
    const std::vector<std::uint8_t> mask = model.mask(input.view());
    CHECK(std::count(mask.begin(), mask.end(), 0) == (resize == ResizeMode::kPad ? 2 * 128 : 0));
    return std::pair(encode(model, input.view()), mask);
  };
  for (const ResizeMode resize : {ResizeMode::kPad, ResizeMode::kSquash}) {
    const auto [frozen, mask] = joined(-1, resize);
    const auto [trained, same] = joined(0, resize);
    REQUIRE(mask == same);
    REQUIRE(frozen.features.shape() == Shape{2, 16 * 24, 24});
    for (Index r = 0; r < 2 * 16 * 24; ++r)
      for (Index d = 0; d < 24; ++d)
        if (mask.empty() || mask[static_cast<std::size_t>(r)] != 0)
          REQUIRE(frozen.features[r * 24 + d] ==
                  Approx(trained.features[r * 24 + d]).epsilon(1e-4).margin(1e-5));
  }
}

TEST_CASE(
    "values are projected before attention, and so is what it scores where no layers are chosen") {
  const TempFolder folder("region-projection");
  ExperimentConfig config = two_layers(folder, -1);
  config.encoder.values = {"last"};
  config.encoder.project = 5;
  const test::Experiment experiment(config);
  const ParameterStore& store = experiment.model.parameters();
  const auto shape = [&](const std::string& name) { return store.info(store.find(name)).shape; };
  CHECK(shape("project.values.weight") == Shape{16, 5});
  CHECK(store.find("project.keys.weight") < 0);
  CHECK(shape("decoder.attention.score.key.weight") == Shape{24, 8});
  const InputBatch input = some_images(experiment);
  const Encoded images = encode(experiment.model, input.view());
  REQUIRE(images.features.shape() == Shape{2, 256, 5});
  REQUIRE(images.keys.shape() == Shape{2, 256, 24});
  const ConstView weight = store.value(store.find("project.values.weight")),
                  bias = store.value(store.find("project.values.bias"));
  const std::span<const Real> grid = input.view().values.span();  // [2, 256, 24]
  for (const Index r : {0, 100, 511})
    for (Index d = 0; d < 5; ++d) {
      double sum = static_cast<double>(bias[d]);
      for (Index i = 0; i < 16; ++i)
        sum += static_cast<double>(grid[static_cast<std::size_t>(r * 24 + i)]) *
               static_cast<double>(weight[i * 5 + d]);
      CHECK(static_cast<double>(images.features[r * 5 + d]) == Approx(sum).margin(1e-4));
    }

  config.encoder.values = {};
  CHECK(encode(test::Experiment(config).model, input.view()).keys.size() == 0);
  config.encoder.keys = {"first_relu", "last"};  // all layers, as they were
  CHECK(encode(test::Experiment(config).model, input.view()).keys.shape() == Shape{2, 256, 24});
  config.encoder.keys = {};
  config.encoder.values = {"last"};

  // Refinement changes what contexts are made from.
  config.encoder.project = 8;
  config.encoder.refine.layers = 1;
  const test::Experiment refined(config);
  config.encoder.refine.layers = 0;
  const test::Experiment plain(config);
  const Encoded a = encode(refined.model, input.view()), b = encode(plain.model, input.view());
  REQUIRE(a.keys.size() == b.keys.size());
  CHECK(std::equal(a.keys.span().begin(), a.keys.span().end(), b.keys.span().begin()));
  CHECK_FALSE(
      std::equal(a.features.span().begin(), a.features.span().end(), b.features.span().begin()));
}

// The grid is frozen, so only the decoder and the projection can learn. The model is saved, and
// loaded without the file.
TEST_CASE("a projection of a frozen grid learns and is stored with the widths of its layers") {
  const TempFolder folder("region-training");
  ExperimentConfig config = two_layers(folder, -1);
  config.encoder.keys = {"first_relu"};
  config.encoder.values = {"last"};
  config.encoder.project = 6;
  const LoadedData data = load_data(config.data);
  const InputPipeline pipeline(config.encoder);
  const DatasetInputs inputs(data, pipeline, config.encoder, {});
  CaptionModel model(config, training_vocabulary(data, config.data), pipeline.frozen_grid());
  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  const TrainingSet set(data, config.data, model.vocabulary(), {});
  const TrainBatch batch = make_batch(
      plan_epoch(set.items(),
                 {.batch = 30, .shard = 15, .captions = CaptionsPerEpoch::kOnePerImage}, 0)
          .at(0),
      set, inputs, 1, 0);
  TrainStep step(model, *optimizer, config, 1);
  const ParameterStore& store = model.parameters();
  const auto numbers = [&](const std::string& name) {
    const std::span<const Real> values = store.value(store.find(name)).span();
    return std::vector<Real>(values.begin(), values.end());
  };
  const std::vector<Real> values = numbers("project.values.weight");
  const double first = step.run(batch, 1, 3e-3).nll_per_word;
  double last = first;
  for (Index update = 2; update <= 20; ++update) last = step.run(batch, update, 3e-3).nll_per_word;
  CHECK(last < 0.9 * first);
  CHECK(numbers("project.values.weight") != values);

  save_archive(folder / "checkpoint", checkpoint_archive(config, model, pipeline.frozen_grid(), {},
                                                         *optimizer, TrainingState{}));
  std::filesystem::remove(folder / "small.onnx");
  const LoadedModel loaded = load_model(folder / "checkpoint");
  CHECK(loaded.frozen_grid == pipeline.frozen_grid());
  const InputBatch input = inputs.batch(std::vector<Index>{0, 1});
  const Encoded a = encode(model, input.view()), b = encode(*loaded.model, input.view());
  CHECK(std::equal(a.keys.span().begin(), a.keys.span().end(), b.keys.span().begin()));
  CHECK(std::equal(a.features.span().begin(), a.features.span().end(), b.features.span().begin()));
}

TEST_CASE("keys and values that name no layers, or that nothing reads, are refused") {
  const TempFolder folder("region-refusals");
  const auto refusal = [&](auto change) {
    ExperimentConfig config = two_layers(folder, 0);
    change(config);
    return test::message_of<UsageError>([&] { CaptionModel::check(config); });
  };
  CHECK_THAT(refusal([](ExperimentConfig& c) { c.encoder.keys = {"first_rleu"}; }),
             Contains("encoder.keys: 'first_rleu' is none of encoder.layers (did you mean "
                      "'first_relu'?)"));
  CHECK_THAT(refusal([](ExperimentConfig& c) { c.encoder.values = {"sum"}; }),
             Contains("encoder.values: 'sum' is none of encoder.layers"));
  CHECK_THAT(refusal([](ExperimentConfig& c) {
               c.encoder.keys = {"last"};
               c.attention.score = "none";
             }),
             Contains("encoder.keys needs an attention.score other than none"));
}

}  // namespace saccade
