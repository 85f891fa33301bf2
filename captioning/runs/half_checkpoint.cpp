#include "captioning/runs/half_checkpoint.h"

#include <array>
#include <cmath>

#include "captioning/model/inputs.h"
#include "captioning/runs/check_config.h"
#include "captioning/runs/checkpoint_content.h"
#include "captioning/runs/loaded_pipeline.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "core/io/half.h"
#include "vision/encoders/stored_network.h"

namespace saccade {

namespace {

constexpr const char* kParameters = "parameters/";
// Of the training: [updates, epoch], seconds, and the best scores.
constexpr const char *kUpdates = "trained/updates", *kSeconds = "trained/seconds",
                     *kScores = "trained/scores", *kScoreNames = "trained/score_names";
// Of the frozen encoder's network.
constexpr const char *kDefinition = "network/definition", *kWeights = "network/weights",
                     *kVectors = "network/vectors", *kDigest = "network/digest";

void add_weights(Archive& archive, const std::string& name, const NumberArray<float>& array) {
  if (!keeps_32_bits(array.shape())) return archive.add_halves(name, array.shape(), array.values());
  const std::span<const float> values = array.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw CheckpointError(str(archive.source(), ": entry '", name, "': number ", i, " is ",
                                values[i], ", with which no model captions anything"));
  archive.add_floats(name, array.shape(), {values.begin(), values.end()});
}

void add_trained(Archive& archive, const TrainingState& state) {
  archive.add_int64s(kUpdates, {2}, {state.update, state.epoch});
  archive.add_doubles(kSeconds, {1}, {state.seconds});
  std::vector<std::string> names;
  std::vector<double> scores;
  for (const auto& [name, score] : state.best) names.push_back(name), scores.push_back(score);
  const auto count = static_cast<Index>(scores.size());
  archive.add_strings(kScoreNames, std::move(names));
  archive.add_doubles(kScores, {count}, std::move(scores));
}

void add_network(Archive& archive, const StoredNetwork& network, EncoderConfig encoder) {
  const auto shape = [](const std::vector<float>& numbers) {
    return std::vector<Index>{static_cast<Index>(numbers.size())};
  };
  archive.add_string(kDefinition, network.definition);
  archive.add_halves(kWeights, shape(network.weights), network.weights);
  add_weights(archive, kVectors, {shape(network.vectors), network.vectors});
  // The encoder of the rounded numbers: with another layer or another preprocessing it differs.
  auto rounded = std::make_shared<StoredNetwork>(network);
  const std::span<const float> weights = archive.floats(kWeights).values();
  rounded->weights.assign(weights.begin(), weights.end());
  encoder.network = rounded;
  archive.add_string(kDigest, InputPipeline(encoder).frozen()->digest());
}

}  // namespace

Archive half_checkpoint(const std::filesystem::path& checkpoint,
                        std::span<const std::string> overrides, const MessageListener& listener) {
  const LoadedModel loaded = load_model(checkpoint, overrides);
  refuse_unread(overrides, loaded.config, "--set ");
  const Archive whole = load_archive(checkpoint);
  Archive archive(whole.source());
  archive.add_uint64(kWeightsOnly, 1);
  archive.add_string("config", print_config(loaded.config));
  for (const char* name : {"content_version", "data/name", "data/digest", "encoder_digest",
                           "encoder_graph", "frozen_grid", "frozen_widths", "vocabulary"})
    if (whole.contains(name)) archive.add(name, whole.entries().at(name));
  const ParameterStore& store = loaded.model->parameters();
  for (const std::string& name : whole.names(kParameters)) {
    const int parameter = store.find(name.substr(std::string_view(kParameters).size()));
    if (store.info(parameter).use == ParameterUse::kModel)
      add_weights(archive, name, whole.floats(name));
  }
  add_trained(archive, loaded.state);
  const std::unique_ptr<InputPipeline> pipeline = pipeline_of(loaded, listener, "--set ");
  if (const FrozenEncoder* frozen = pipeline->frozen())
    add_network(archive, frozen->stored(), loaded.config.encoder);
  return archive;
}

TrainingState read_trained(const Archive& archive) {
  TrainingState state;
  const auto updates = archive.int64s(kUpdates, std::array<Index, 1>{2});
  state.update = updates[0], state.epoch = updates[1];
  state.seconds = archive.doubles(kSeconds, std::array<Index, 1>{1})[0];
  const auto& names = archive.strings(kScoreNames);
  const auto scores =
      archive.doubles(kScores, std::array<Index, 1>{static_cast<Index>(names.size())});
  for (std::size_t i = 0; i < names.size(); ++i) state.best[names[i]] = scores[i];
  return state;
}

std::shared_ptr<const StoredNetwork> read_network(const Archive& archive) {
  if (!archive.contains(kDefinition)) return nullptr;
  auto network = std::make_shared<StoredNetwork>();
  const auto copy = [&](const char* name, std::vector<float>& to) {
    const std::span<const float> numbers = archive.floats(name).values();
    to.assign(numbers.begin(), numbers.end());
  };
  network->definition = archive.string(kDefinition);
  copy(kWeights, network->weights);
  copy(kVectors, network->vectors);
  network->digest = archive.string(kDigest);
  return network;
}

void leave_supervision(ExperimentConfig& config) {
  SupervisionConfig& supervision = config.objective.supervision;
  supervision.localizer.weight = 0;
  supervision.prophet = 0;
  supervision.cyclical = 0;
}

}  // namespace saccade
