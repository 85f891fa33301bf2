// A network from an ONNX file as a part of the model: it learns, and its checkpoint needs no file.
#include "captioning/learning/config/learning_rates.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/training/training_set.h"
#include "core/io/checkpoint.h"
#include "core/optim/optimizer.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using test::TempFolder;

ExperimentConfig small(const std::filesystem::path& model) {
  ExperimentConfig config = test::small_experiment();
  config.data.scenes.train = 96;
  config.encoder.type = "onnx_native";
  config.encoder.model = model.string();
  config.encoder.layer = "last";
  config.encoder.lr = 3e-4;
  config.optimizer.lr = 3e-3;
  config.optimizer.clip_norm = 5;
  return config;
}

// Training on one batch of all images.
struct Training {
  explicit Training(const ExperimentConfig& c)
      : config(c),
        data(load_data(c.data)),
        pipeline(c.encoder),
        inputs(data, pipeline, c.encoder, {}),
        model(c, training_vocabulary(data, c.data), pipeline.frozen_grid()),
        optimizer(make_optimizer(c.optimizer, model.parameters())) {
    set_learning_rates(config, model.parameters());
  }

  // The loss per word before the last of `updates` updates.
  double run(Index updates) {
    const TrainingSet set(data, config.data, model.vocabulary(), {});
    const TrainBatch batch = make_batch(
        plan_epoch(set.items(),
                   {.batch = 96, .shard = 48, .captions = CaptionsPerEpoch::kOnePerImage}, 0)
            .at(0),
        set, inputs, 1, 0);
    TrainStep step(model, *optimizer, config, 1);
    double last = 0;
    for (Index update = 1; update <= updates; ++update)
      last = step.run(batch, update, config.optimizer.lr).nll_per_word;
    return last;
  }

  ExperimentConfig config;
  LoadedData data;
  InputPipeline pipeline;
  DatasetInputs inputs;
  CaptionModel model;
  std::unique_ptr<Optimizer> optimizer;
};

std::vector<Real> numbers_of(const ParameterStore& store, const std::string& name) {
  const ConstView value = store.value(store.find(name));
  return {value.span().begin(), value.span().end()};
}

}  // namespace

TEST_CASE("fine-tuning an imported network lowers the loss below the frozen one's") {
  const TempFolder folder("onnx-finetuned");
  test::save_small_onnx(folder / "small.onnx");
  ExperimentConfig config = small(folder / "small.onnx");
  Training tuned(config);
  config.encoder.frozen_stages = -1;
  Training frozen(config);
  REQUIRE(frozen.model.encoder() == nullptr);
  const double start = tuned.run(1);
  CHECK(frozen.run(1) == Approx(start).epsilon(1e-4));  // with the same weights and features
  const double with = tuned.run(400), without = frozen.run(400);
  CAPTURE(start, with, without);
  CHECK(without < 0.6 * start);
  CHECK(with < 0.97 * without);
}

TEST_CASE("frozen stages of an imported network keep the file's numbers, the others learn") {
  const TempFolder folder("onnx-stages-trained");
  test::save_small_onnx(folder / "small.onnx");
  ExperimentConfig config = small(folder / "small.onnx");
  config.encoder.frozen_stages = 2;
  Training training(config);
  const ParameterStore& store = training.model.parameters();
  const auto all = [&] {
    std::vector<std::vector<Real>> values;
    for (const char* node : {"first", "second", "depthwise", "third"})
      values.push_back(numbers_of(store, str("encoder.backbone.", node, ".weight")));
    return values;
  };
  const auto before = all();
  training.run(3);
  const auto after = all();
  for (std::size_t i = 0; i < before.size(); ++i) CHECK((before[i] == after[i]) == (i < 3));
  config.encoder.frozen_stages = 4;
  CHECK_THROWS_WITH(CaptionModel(config, Vocabulary(), {}),
                    Catch::Contains("encoder.type onnx_native has 3 stages"));
}

TEST_CASE("a checkpoint of an imported network needs no ONNX file") {
  const TempFolder folder("onnx-checkpoint");
  test::save_small_onnx(folder / "small.onnx");
  const ExperimentConfig config = small(folder / "small.onnx");
  Training training(config);
  training.run(3);
  save_archive(folder / "checkpoint", checkpoint_archive(config, training.model, {}, {},
                                                         *training.optimizer, TrainingState{}));
  std::filesystem::remove(folder / "small.onnx");
  CHECK_THROWS_AS(CaptionModel(config, Vocabulary(), {}), DataError);
  const LoadedModel loaded = load_model(folder / "checkpoint");
  const std::span<const Real> saved = training.model.parameters().flat().span(),
                              got = loaded.model->parameters().flat().span();
  CHECK(std::equal(saved.begin(), saved.end(), got.begin(), got.end()));
  CHECK(loaded.model->encoder()->graph() == training.model.encoder()->graph());
  // Another layer is another network, which only the ONNX file has.
  const std::vector<std::string> other{"encoder.layer=sum"};
  CHECK_THROWS_WITH(load_model(folder / "checkpoint", other), Catch::Contains("small.onnx"));
}

TEST_CASE("a checkpoint whose stored network is damaged is refused by its name") {
  const TempFolder folder("onnx-damaged-graph");
  test::save_small_onnx(folder / "small.onnx");
  const ExperimentConfig config = small(folder / "small.onnx");
  Training training(config);
  const Archive good =
      checkpoint_archive(config, training.model, {}, {}, *training.optimizer, TrainingState{});
  const std::string graph = training.model.encoder()->graph();
  const auto refusal = [&](const std::string& stored) {
    Archive damaged;
    for (const auto& [name, entry] : good.entries())
      if (name != "encoder_graph") damaged.add(name, entry);
    damaged.add_string("encoder_graph", stored);
    save_archive(folder / "damaged", damaged);
    return test::message_of<CheckpointError>([&] { load_model(folder / "damaged"); });
  };
  CHECK(
      refusal(graph.substr(0, graph.size() / 2)) ==
      (folder / "damaged").string() +
          ": the stored graph of the ONNX network is damaged; take another checkpoint of the run");
  // This is valid JSON, but not a network.
  const std::size_t node = graph.find("\"depthwise\"");
  REQUIRE(node != std::string::npos);
  const std::size_t groups = graph.find("\"groups\":12", node);
  REQUIRE(groups != std::string::npos);
  CHECK_THAT(refusal(std::string(graph).replace(groups, 11, "\"groups\":5")),
             Catch::Contains("damaged: encoder.model: node 'depthwise' has weights for") &&
                 Catch::Contains("take another checkpoint of the run"));
}

TEST_CASE("a run continues if its ONNX file was moved, but not with another network") {
  const TempFolder folder("onnx-moved");
  ExperimentConfig before = small("old/place.onnx"), now = small("new/place.onnx");
  CHECK(deciding_changes(before, now).empty());
  now.encoder.layer = "sum";
  CHECK_THAT(deciding_changes(before, now), Catch::Contains("encoder.layer was last, is sum"));
  CHECK_THROWS_WITH(CaptionModel(before, Vocabulary(), {}),
                    Catch::Contains("old/place.onnx: no such ONNX model; if it was moved, name its "
                                    "place with encoder.model=PLACE"));
  before = now;
  now.encoder.weights = "new/place.safetensors";
  CHECK_THAT(deciding_changes(before, now), Catch::Contains("encoder.weights"));
  before.encoder.frozen_stages = now.encoder.frozen_stages = -1;  // its digest identifies it
  CHECK(deciding_changes(before, now).empty());
  CHECK_THROWS_WITH(InputPipeline(before.encoder), Catch::Contains("encoder.model=PLACE"));
}

}  // namespace saccade
