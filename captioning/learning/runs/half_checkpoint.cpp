#include "captioning/learning/runs/half_checkpoint.h"

#include <algorithm>
#include <cmath>

#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/learning/runs/stored_state.h"
#include "captioning/model/inputs.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "core/io/half.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/image_classifier.h"
#include "vision/encoders/stored_network.h"

namespace saccade {

namespace {

constexpr const char* kParameters = "parameters/";
// Of the frozen encoder's network.
constexpr const char *kDefinition = "network/definition", *kWeights = "network/weights",
                     *kVectors = "network/vectors", *kDigest = "network/digest";
// Of its classifier: the features; the rows of the classes, one after the other, eight 8-bit
// numbers in each of 64 bits, the lowest first, with zeros behind the last; what the row of each
// class is multiplied by; and the bias.
constexpr const char *kClassFeatures = "network/class_features", *kClassRows = "network/class_rows",
                     *kClassScales = "network/class_scales", *kClassBias = "network/class_bias";
constexpr std::size_t kRowsTogether = 8;

void add_weights(Archive& archive, const std::string& name, const NumberArray<float>& array) {
  if (!keeps_32_bits(array.shape())) return archive.add_halves(name, array.shape(), array.values());
  const std::span<const float> values = array.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw CheckpointError(str(archive.source(), ": entry '", name, "': number ", i, " is ",
                                values[i], ", with which no model captions anything"));
  archive.add_floats(name, array.shape(), {values.begin(), values.end()});
}

void add_classifier(Archive& archive, const ImageClassifier& classifier) {
  const std::span<const std::int8_t> rows = classifier.rows();
  std::vector<std::int64_t> packed((rows.size() + kRowsTogether - 1) / kRowsTogether);
  for (std::size_t i = 0; i < rows.size(); ++i)
    packed[i / kRowsTogether] |=
        static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint8_t>(rows[i]))
                                  << (8 * (i % kRowsTogether)));
  const auto add = [&](const char* name, std::span<const float> numbers) {
    archive.add_floats(name, {static_cast<Index>(numbers.size())},
                       {numbers.begin(), numbers.end()});
  };
  archive.add_uint64(kClassFeatures, static_cast<std::uint64_t>(classifier.features()));
  archive.add_int64s(kClassRows, {static_cast<Index>(packed.size())}, packed);
  add(kClassScales, classifier.scales());
  add(kClassBias, classifier.bias());
}

std::shared_ptr<const ImageClassifier> read_classifier(const Archive& archive) {
  if (!archive.contains(kClassRows)) return nullptr;
  const std::span<const std::int64_t> packed = archive.int64s(kClassRows).values();
  const std::span<const float> scales = archive.floats(kClassScales).values(),
                               bias = archive.floats(kClassBias).values();
  std::vector<std::int8_t> rows;
  for (const std::int64_t number : packed)
    for (std::size_t i = 0; i < kRowsTogether; ++i)
      rows.push_back(static_cast<std::int8_t>(static_cast<std::uint64_t>(number) >> (8 * i)));
  const std::uint64_t features = archive.uint64(kClassFeatures);
  const std::size_t count = rows.size() < kRowsTogether ? 0 : rows.size() - kRowsTogether + 1;
  if (features >= 1 && features <= rows.size() && features * bias.size() >= count &&
      features * bias.size() <= rows.size())
    rows.resize(features * bias.size());
  try {
    return std::make_shared<const ImageClassifier>(static_cast<Index>(features), std::move(rows),
                                                   std::vector<float>(scales.begin(), scales.end()),
                                                   std::vector<float>(bias.begin(), bias.end()));
  } catch (const DataError& error) {
    throw CheckpointError(str(archive.source(), ": entry '", kClassRows, "': ", error.what(),
                              "; use another checkpoint"));
  }
}

// Adds all of a network but its digest.
void add_numbers(Archive& archive, const StoredNetwork& network) {
  archive.add_string(kDefinition, network.definition);
  add_weights(archive, kVectors, {{static_cast<Index>(network.vectors.size())}, network.vectors});
  archive.add_halves(kWeights, {static_cast<Index>(network.weights.size())}, network.weights);
  if (network.classifier) add_classifier(archive, *network.classifier);
}

void add_rounded(Archive& archive, const StoredNetwork& network, EncoderConfig encoder) {
  auto rounded = std::make_shared<StoredNetwork>(network);
  add_numbers(archive, *rounded);
  const std::span<const float> halves = archive.floats(kWeights).values();
  rounded->weights.assign(halves.begin(), halves.end());
  // The encoder of the rounded numbers: with another layer or another preprocessing it differs.
  encoder.network = rounded;
  archive.add_string(kDigest, InputPipeline(encoder).frozen()->digest());
}

// Whether two networks have the same numbers, but for their rounding to 16 bits.
bool are_near(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr float kHalf = 1.0F / 1024;
  float largest = 0;
  for (const float x : a) largest = std::max(largest, std::abs(x));
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](float x, float y) {
    return std::abs(x - y) <= kHalf * std::abs(x) + 1e-5F * largest;
  });
}

// The classifier of a file with the network `own`.
std::shared_ptr<const ImageClassifier> classifier_of(const std::string& file,
                                                     const StoredNetwork& own,
                                                     EncoderConfig encoder) {
  encoder.network = nullptr;
  encoder.model = file;
  const InputPipeline pipeline(encoder);
  const StoredNetwork theirs = pipeline.frozen()->stored();
  if (theirs.definition != own.definition || theirs.weights.size() != own.weights.size() ||
      theirs.vectors.size() != own.vectors.size() || !are_near(theirs.weights, own.weights) ||
      !are_near(theirs.vectors, own.vectors))
    throw DataError(str(file,
                        ": this is not the network that the checkpoint holds; name the file "
                        "that it was trained with"));
  if (!theirs.classifier)
    throw DataError(str(file,
                        ": has no classifier behind the last layer of the grid: a mean over "
                        "all cells and a linear layer; name a file that has one"));
  return theirs.classifier;
}

}  // namespace

Archive half_checkpoint(const std::filesystem::path& checkpoint,
                        std::span<const std::string> overrides, const MessageListener& listener,
                        const std::string& classifier) {
  const LoadedModel loaded = load_model(checkpoint, overrides);
  refuse_unread(overrides, loaded.config, "--set ");
  const Archive whole =
      loaded.published.empty() ? load_archive(checkpoint) : published_archive(loaded);
  Archive archive(whole.source());
  archive.add_uint64(kWeightsOnly, 1);
  archive.add_string("config", print_config(loaded.config));
  for (const char* name : {"content_version", "data/name", "data/digest", "encoder_digest",
                           "encoder_graph", "encoder_words", "frozen_grid", "frozen_widths",
                           "frozen_given", "meteor_paraphrases", "vocabulary", "published_tokens"})
    if (whole.contains(name)) archive.add(name, whole.entries().at(name));
  const ParameterStore& store = loaded.model->parameters();
  for (const std::string& name : whole.names(kParameters)) {
    const int parameter = store.find(name.substr(std::string_view(kParameters).size()));
    if (store.info(parameter).use != ParameterUse::kSupervision)
      add_weights(archive, name, whole.floats(name));
  }
  add_trained(archive, loaded.state);
  const std::unique_ptr<InputPipeline> pipeline = pipeline_of(loaded, listener, "--set ");
  const FrozenEncoder* frozen = pipeline->reads_features() ? nullptr : pipeline->frozen();
  const EncoderConfig& encoder = loaded.config.encoder;
  if (!classifier.empty() && (!frozen || !encoder_traits(encoder).reads_onnx_file))
    throw UsageError(
        "--classifier is for models whose encoder is a frozen network of an ONNX file "
        "(encoder.type onnx_native); leave it out");
  if (frozen) {
    StoredNetwork network = frozen->stored();
    if (!classifier.empty()) network.classifier = classifier_of(classifier, network, encoder);
    add_rounded(archive, network, encoder);
  }
  return archive;
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
  network->classifier = read_classifier(archive);
  network->digest = archive.string(kDigest);
  return network;
}

void add_network(Archive& archive, const StoredNetwork& network) {
  add_numbers(archive, network);
  archive.add_string(kDigest, network.digest);
}

std::string network_digest(const Archive& archive) {
  return archive.contains(kDigest) ? archive.string(kDigest) : "";
}

void leave_supervision(ExperimentConfig& config) { config.supervision.localizer.weight = 0; }

}  // namespace saccade
