// Checkpoints for captioning alone: what they hold, and that captions need nothing else.
#include "captioning/learning/runs/half_checkpoint.h"

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/model/inputs.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "core/io/half.h"
#include "core/optim/optimizer.h"
#include "core/optim/weight_average.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::half_checkpoint_test {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

// Saves an untrained model as a run would. With `averages`, the optimizer's averages of the weights
// are other numbers than the weights.
void save_whole(const fs::path& path, Experiment& experiment, bool averages = false) {
  const auto optimizer = make_optimizer(experiment.config.optimizer, experiment.model.parameters());
  if (averages) {
    optimizer->set_updates(1);
    const std::span<const Real> weights = experiment.model.parameters().flat().span();
    std::ranges::transform(weights, optimizer->average()->values().data(),
                           [](Real weight) { return weight + Real{1} / 64; });
  }
  const FrozenEncoder* frozen = experiment.pipeline.frozen();
  TrainingState state;
  state.update = 70, state.epoch = 3, state.seconds = 12.5, state.best = {{"CIDEr", 0.5}};
  save_archive(path, checkpoint_archive(
                         experiment.config, experiment.model, experiment.pipeline.frozen_grid(),
                         {experiment.data.dataset.name, experiment.data.dataset.digest,
                          frozen ? frozen->digest() : ""},
                         *optimizer, state));
}

ExperimentConfig with_onnx(const fs::path& model) {
  ExperimentConfig config = small_experiment();
  config.encoder.type = "onnx_native";
  config.encoder.frozen_stages = -1;
  config.encoder.model = model.string();
  config.encoder.layer = "last";
  return config;
}

// The grid of a picture by a checkpoint alone.
std::vector<float> grid_of(const fs::path& checkpoint) {
  const LoadedModel loaded = load_model(checkpoint);
  const auto pipeline = pipeline_of(loaded, {});
  std::vector<float> grid(static_cast<std::size_t>(pipeline->shape().size()));
  Image picture(40, 50);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i)
    picture.rgb[i] = static_cast<std::uint8_t>(i * 7919 % 251);
  pipeline->run(picture, grid);
  return grid;
}

bool same_entry(const Archive& a, const Archive& b, const std::string& name) {
  Archive one, other;
  one.add(name, a.entries().at(name));
  other.add(name, b.entries().at(name));
  return same_entries(one, other);
}

TEST_CASE("a checkpoint for captioning alone has the nearest 16-bit weights and no training") {
  const TempFolder folder("half");
  Experiment experiment(small_experiment());
  save_whole(folder / "whole.h5", experiment);
  save_archive(folder / "half.h5", half_checkpoint(folder / "whole.h5"));
  const Archive whole = load_archive(folder / "whole.h5"), half = load_archive(folder / "half.h5");
  CHECK(is_weights_only(half));
  CHECK_FALSE(is_weights_only(whole));
  for (const char* left : {"optimizer/", "state/"}) {
    CHECK_FALSE(whole.names(left).empty());
    CHECK(half.names(left).empty());
  }
  CHECK(half.names("network/").empty());  // the encoder is a part of the model
  REQUIRE(half.names("parameters/") == whole.names("parameters/"));
  int matrices = 0, vectors = 0, wrong = 0;
  for (const std::string& name : whole.names("parameters/")) {
    const NumberArray<float>&before = whole.floats(name), &after = half.floats(name);
    const bool vector = keeps_32_bits(before.shape());
    ++(vector ? vectors : matrices);
    if (after.has_16_bits() == vector || after.shape() != before.shape()) ++wrong;
    for (std::size_t i = 0; i < before.values().size(); ++i) {
      const float exact = before.values()[i];
      if (after.values()[i] != (vector ? exact : float_from_half(half_from_float(exact)))) ++wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(matrices > 5);
  CHECK(vectors > 5);

  const LoadedModel loaded = load_model(folder / "half.h5");
  CHECK(loaded.weights_only);
  CHECK(print_config(loaded.config) == print_config(experiment.config));
  CHECK(loaded.data.digest == experiment.data.dataset.digest);
  CHECK(loaded.model->vocabulary().words() == experiment.model.vocabulary().words());
  CHECK(loaded.state.update == 70);
  CHECK(loaded.state.best.at("CIDEr") == 0.5);
  CHECK(updates_of(half) == 70);
  CHECK(updates_of(whole) == 70);
  // Converted once more, nothing changes.
  CHECK(same_entries(half, half_checkpoint(folder / "half.h5")) == true);
}

TEST_CASE("values of the config may change on the way") {
  const TempFolder folder("half-set");
  Experiment experiment(small_experiment());
  save_whole(folder / "whole.h5", experiment);
  const std::vector<std::string> set{"search.beam=5"}, idle{"attention.hard.samples=6"};
  save_archive(folder / "half.h5", half_checkpoint(folder / "whole.h5", set));
  CHECK(load_model(folder / "half.h5").config.search.beam == 5);
  CHECK_THROWS_WITH(half_checkpoint(folder / "whole.h5", idle), Contains("has no effect"));
}

TEST_CASE("where the weights were averaged, the averages are taken") {
  const TempFolder folder("half-averages");
  ExperimentConfig config = small_experiment();
  config.optimizer.ema = 0.9;
  Experiment experiment(config);
  save_whole(folder / "whole.h5", experiment, true);
  const Archive half = half_checkpoint(folder / "whole.h5");
  const ParameterStore& store = experiment.model.parameters();
  for (const char* name : {"decoder.embedding", "decoder.output.vocabulary_bias"}) {
    const ConstView raw = store.value(store.find(name));
    const float got = half.floats(std::string("parameters/") + name).values()[0];
    CHECK(got == Approx(raw.data[0] + 1.0F / 64).epsilon(1e-3));
    CHECK(got != Approx(raw.data[0]).epsilon(1e-3));
  }
}

TEST_CASE("what only supervises attention is left out, and the model does without it") {
  const TempFolder folder("half-localizer");
  ExperimentConfig config = small_experiment();
  config.supervision.localizer.weight = 1;
  Experiment experiment(config);
  REQUIRE(experiment.model.localizer() != nullptr);
  save_whole(folder / "whole.h5", experiment);
  save_archive(folder / "half.h5", half_checkpoint(folder / "whole.h5"));
  const Archive whole = load_archive(folder / "whole.h5"), half = load_archive(folder / "half.h5");
  CHECK_FALSE(whole.names("parameters/localizer.").empty());
  CHECK(half.names("parameters/localizer.").empty());
  const LoadedModel loaded = load_model(folder / "half.h5");
  CHECK(loaded.model->localizer() == nullptr);
  CHECK(loaded.config.supervision.localizer.weight == 1);  // how it was trained
}

TEST_CASE("a weight that 16 bits cannot hold is refused by its name") {
  const TempFolder folder("half-large");
  Experiment experiment(small_experiment());
  ParameterStore& store = experiment.model.parameters();
  const auto refusal = [&](const char* name, Real value) {
    Real& first = store.value(store.find(name)).data[0];
    const Real before = first;
    first = value;
    save_whole(folder / "whole.h5", experiment);
    first = before;
    return message_of<CheckpointError>([&] { half_checkpoint(folder / "whole.h5"); });
  };
  CHECK(refusal("decoder.embedding", 65000).empty());
  CHECK_THAT(refusal("decoder.embedding", 70000),
             Contains("whole.h5: entry 'parameters/decoder.embedding': number 0 is 70000"));
  CHECK_THAT(refusal("decoder.embedding", NAN), Contains("decoder.embedding': number 0 is nan"));
  // A vector keeps 32 bits, but a model needs finite numbers.
  CHECK(refusal("decoder.output.vocabulary_bias", 70000).empty());
  CHECK_THAT(refusal("decoder.output.vocabulary_bias", INFINITY), Contains("number 0 is inf"));
}

TEST_CASE("no run goes on from weights alone, but a new one starts from them") {
  const TempFolder folder("half-start");
  Experiment experiment(small_experiment());
  save_whole(folder / "whole.h5", experiment);
  const Archive half = half_checkpoint(folder / "whole.h5");
  const DataIdentity data{experiment.data.dataset.name, experiment.data.dataset.digest, ""};
  const TrainingSet set(experiment.data, experiment.config.data, experiment.model.vocabulary(), {});
  CaptionModel fresh(experiment.config, experiment.model.vocabulary(), {});
  Trainer trainer({.config = &experiment.config,
                   .set = &set,
                   .inputs = &experiment.inputs,
                   .model = &fresh,
                   .observer = nullptr,
                   .validate = {},
                   .save = {},
                   .mark_best = {}});
  CHECK_THROWS_WITH(restore_run(half, experiment.config, data, fresh, trainer),
                    Contains("weights for captioning alone") && Contains("train.init_from"));
  take_weights(half, data, fresh, EncoderWeights::kCheckpoint);
  const int p = fresh.parameters().find("decoder.embedding");
  CHECK(std::ranges::equal(fresh.parameters().value(p).span(),
                           half.floats("parameters/decoder.embedding").values()));
}

TEST_CASE("the network of a frozen encoder comes along") {
  const TempFolder folder("half-onnx");
  save_small_onnx(folder / "small.onnx");
  Experiment experiment(with_onnx(folder / "small.onnx"));
  save_whole(folder / "whole.h5", experiment);
  save_archive(folder / "half.h5", half_checkpoint(folder / "whole.h5"));
  const std::vector<float> before = grid_of(folder / "whole.h5");
  fs::rename(folder / "small.onnx", folder / "moved.onnx");
  CHECK_THROWS_AS(grid_of(folder / "whole.h5"), DataError);
  const std::vector<float> after = grid_of(folder / "half.h5");
  REQUIRE(after.size() == before.size());
  double differences = 0, numbers = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    differences += std::pow(static_cast<double>(after[i] - before[i]), 2);
    numbers += std::pow(static_cast<double>(before[i]), 2);
  }
  CHECK(differences > 0);
  CHECK(differences < 1e-4 * numbers);

  // Converted once more it is the same, also without the file. A run starts from it as from the
  // whole checkpoint, whose network it was trained with.
  const Archive half = load_archive(folder / "half.h5");
  CHECK(same_entries(half, half_checkpoint(folder / "half.h5")) == true);
  CaptionModel fresh(experiment.config, experiment.model.vocabulary(),
                     experiment.pipeline.frozen_grid());
  take_weights(half, {"", "", experiment.pipeline.frozen()->digest()}, fresh,
               EncoderWeights::kCheckpoint);

  // The network's own file takes its place where it is named.
  const std::vector<std::string> moved{"encoder.model=" + (folder / "moved.onnx").string()};
  const LoadedModel loaded = load_model(folder / "half.h5", moved);
  CHECK(loaded.config.encoder.network == nullptr);
  CHECK(pipeline_of(loaded, {})->frozen()->digest() == experiment.pipeline.frozen()->digest());
  // Another preprocessing is not what the model was trained with.
  const std::vector<std::string> crop{"encoder.resize=crop"};
  CHECK_THROWS_WITH(pipeline_of(load_model(folder / "half.h5", crop), {}),
                    Contains("not the network, layer or preprocessing"));
}

TEST_CASE("the classifier of a network comes along, and can be added from the network's file") {
  const TempFolder folder("half-classes");
  save_small_onnx(folder / "cut.onnx");
  save_small_onnx(folder / "whole.onnx", 7);
  const auto half_of = [&](const char* model, const std::string& classifier = "") {
    Experiment experiment(with_onnx(folder / model));
    save_whole(folder / "checkpoint.h5", experiment);
    return half_checkpoint(folder / "checkpoint.h5", {}, {}, classifier);
  };
  const Archive without = half_of("cut.onnx"), with = half_of("whole.onnx"),
                added = half_of("cut.onnx", (folder / "whole.onnx").string());
  std::vector<std::string> names = with.names("network/class_");
  CHECK(names.size() == 4);
  CHECK(without.names("network/class_").empty());
  CHECK(added.names("network/class_") == names);
  CHECK(added.names("").size() == without.names("").size() + names.size());
  for (const std::string& name : without.names("network/")) CHECK(same_entry(added, without, name));
  for (const std::string& name : names) CHECK(same_entry(added, with, name));

  // As a checkpoint that has it, and twice converted.
  save_archive(folder / "half.h5", without);
  const Archive late =
      half_checkpoint(folder / "half.h5", {}, {}, (folder / "whole.onnx").string());
  CHECK(same_entries(late, added) == true);
  save_archive(folder / "late.h5", late);
  CHECK(same_entries(late, half_checkpoint(folder / "late.h5")) == true);
  const LoadedModel loaded = load_model(folder / "late.h5");
  CHECK(pipeline_of(loaded, {})->classes() == 7);
  CHECK(grid_of(folder / "late.h5") == grid_of(folder / "half.h5"));

  const auto refusal = [&](const fs::path& file) {
    return message_of<DataError>(
        [&] { half_checkpoint(folder / "half.h5", {}, {}, file.string()); });
  };
  CHECK_THAT(refusal(folder / "cut.onnx"), Contains("cut.onnx: has no classifier"));
  CHECK_THAT(refusal(folder / "missing.onnx"), Contains("missing.onnx"));
  Experiment trained(small_experiment());
  save_whole(folder / "trained.h5", trained);
  CHECK_THROWS_WITH(
      half_checkpoint(folder / "trained.h5", {}, {}, (folder / "whole.onnx").string()),
      Contains("--classifier is for models whose encoder is a frozen network"));
}

TEST_CASE("a run that names no file takes the network of its first checkpoint, and passes it on") {
  const TempFolder folder("half-network");
  save_small_onnx(folder / "small.onnx");
  Experiment first(with_onnx(folder / "small.onnx"));
  save_whole(folder / "whole.h5", first);
  save_archive(folder / "half.h5", half_checkpoint(folder / "whole.h5"));
  fs::remove(folder / "small.onnx");

  ExperimentConfig config = first.config;
  CHECK_FALSE(takes_network(config));
  config.encoder.model = "";
  CHECK_FALSE(takes_network(config));
  config.train.init_from = (folder / "half.h5").string();
  REQUIRE(takes_network(config));
  take_first_parts(config, folder / "run", {});
  REQUIRE(config.encoder.network);
  Experiment second(config);
  const Archive half = load_archive(folder / "half.h5");
  take_weights(half, {"", "", second.pipeline.frozen()->digest()}, second.model,
               EncoderWeights::kCheckpoint);
  save_whole(folder / "second.h5", second);
  CHECK(grid_of(folder / "second.h5") == grid_of(folder / "half.h5"));
  const Archive passed = load_archive(folder / "second.h5");
  REQUIRE_FALSE(half.names("network/").empty());
  for (const std::string& name : half.names("network/")) {
    INFO(name);
    REQUIRE(passed.contains(name));
    CHECK(same_entry(passed.entries().at(name), half.entries().at(name)));
  }

  // The run goes on without the checkpoint that it was started from.
  config.encoder.network = nullptr;
  config.train.init_from = (folder / "gone.h5").string();
  CHECK_THROWS_AS(take_first_parts(config, folder / "run", {}), CheckpointError);
  fs::create_directories(folder / "run" / "checkpoints");
  fs::copy_file(folder / "second.h5", folder / "run" / "checkpoints" / "last");
  take_first_parts(config, folder / "run", {});
  CHECK(config.encoder.network);

  // A checkpoint of a run that read the file does not hold it.
  config.encoder.network = nullptr;
  config.train.init_from = (folder / "whole.h5").string();
  CHECK_THROWS_WITH(take_first_parts(config, folder / "other", {}),
                    Contains("does not hold the network") && Contains("set encoder.model"));
}

}  // namespace
}  // namespace saccade::test::half_checkpoint_test
