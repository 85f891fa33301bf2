#include "captioning/runs/half_checkpoint.h"

#include <cmath>

#include "captioning/model/inputs.h"
#include "captioning/runs/check_config.h"
#include "captioning/runs/checkpoint_content.h"
#include "captioning/runs/loaded_pipeline.h"
#include "captioning/runs/stored_state.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "core/io/coded_matrix.h"
#include "core/io/half.h"
#include "vision/encoders/stored_network.h"

namespace saccade {

namespace {

constexpr const char* kParameters = "parameters/";
// Of the frozen encoder's network. Its matrices (core/io/coded_matrix.h): rows, columns and the
// size of the table of each, 0 where rows have steps; then the codes and the values of all. A
// version before kept 16-bit floats instead.
constexpr const char *kDefinition = "network/definition", *kMatrices = "network/matrices",
                     *kCodes = "network/codes", *kValues = "network/values",
                     *kHalves = "network/weights", *kVectors = "network/vectors",
                     *kDigest = "network/digest";

void add_weights(Archive& archive, const std::string& name, const NumberArray<float>& array) {
  if (!keeps_32_bits(array.shape())) return archive.add_halves(name, array.shape(), array.values());
  const std::span<const float> values = array.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw CheckpointError(str(archive.source(), ": entry '", name, "': number ", i, " is ",
                                values[i], ", with which no model captions anything"));
  archive.add_floats(name, array.shape(), {values.begin(), values.end()});
}

// Adds the matrices of a network, and rounds them to what the archive has.
void add_matrices(Archive& archive, StoredNetwork& network) {
  std::vector<std::int16_t> codes;
  std::vector<float> values;
  std::vector<std::int64_t> extents;
  std::span<float> weights = network.weights;
  for (const auto& [rows, columns] : network.matrices) {
    const std::span<float> matrix = weights.first(static_cast<std::size_t>(rows * columns));
    weights = weights.subspan(matrix.size());
    CodedMatrix coded;
    try {
      coded = code_matrix(matrix, rows);
    } catch (const DataError& e) {
      throw CheckpointError(str(archive.source(), ": matrix ", extents.size() / 3,
                                " of the encoder's network: ", e.what(),
                                ", with which no network encodes anything"));
    }
    decode_matrix(coded.codes, coded.values, coded.has_table, matrix);
    codes.insert(codes.end(), coded.codes.begin(), coded.codes.end());
    values.insert(values.end(), coded.values.begin(), coded.values.end());
    extents.insert(extents.end(),
                   {rows, columns, coded.has_table ? static_cast<Index>(coded.values.size()) : 0});
  }
  const std::vector<Index> matrix_shape{static_cast<Index>(network.matrices.size()), 3},
      code_shape{static_cast<Index>(codes.size())}, value_shape{static_cast<Index>(values.size())};
  archive.add_int64s(kMatrices, matrix_shape, std::move(extents));
  archive.add_int16s(kCodes, code_shape, std::move(codes));
  archive.add_floats(kValues, value_shape, std::move(values));
}

// The inverse.
void read_matrices(const Archive& archive, StoredNetwork& network) {
  const std::span<const std::int64_t> extents = archive.int64s(kMatrices).values();
  std::span<const std::int16_t> codes = archive.int16s(kCodes).values();
  std::span<const float> values = archive.floats(kValues).values();
  network.weights.resize(codes.size());
  std::span<float> weights = network.weights;
  const auto refuse = [&] {
    throw CheckpointError(archive.source() + ": the matrices of the encoder's network are " +
                          "not of their extents; convert the checkpoint again");
  };
  if (extents.size() % 3 != 0) refuse();
  for (std::size_t i = 0; i < extents.size(); i += 3) {
    const Index rows = extents[i], columns = extents[i + 1], table = extents[i + 2];
    const Index taken = table > 0 ? table : rows, most = static_cast<Index>(codes.size());
    if (rows < 1 || columns < 1 || table < 0 || rows > most || columns > most / rows ||
        taken > static_cast<Index>(values.size()))
      refuse();
    const auto count = static_cast<std::size_t>(rows * columns);
    const auto own = values.first(static_cast<std::size_t>(taken));
    if (!fits_codes(codes.first(count), own, table > 0)) refuse();
    decode_matrix(codes.first(count), own, table > 0, weights.first(count));
    codes = codes.subspan(count), weights = weights.subspan(count);
    values = values.subspan(own.size());
    network.matrices.push_back({rows, columns});
  }
  if (!codes.empty() || !values.empty()) refuse();
}

// Adds all of a network but its digest, and rounds its matrices to what the archive has.
void add_numbers(Archive& archive, StoredNetwork& network) {
  archive.add_string(kDefinition, network.definition);
  add_weights(archive, kVectors, {{static_cast<Index>(network.vectors.size())}, network.vectors});
  add_matrices(archive, network);
}

void add_rounded(Archive& archive, const StoredNetwork& network, EncoderConfig encoder) {
  auto rounded = std::make_shared<StoredNetwork>(network);
  add_numbers(archive, *rounded);
  // The encoder of the rounded numbers: with another layer or another preprocessing it differs.
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
  for (const char* name :
       {"content_version", "data/name", "data/digest", "encoder_digest", "encoder_graph",
        "encoder_words", "frozen_grid", "frozen_widths", "vocabulary"})
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
    add_rounded(archive, frozen->stored(), loaded.config.encoder);
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
  if (archive.contains(kHalves))
    copy(kHalves, network->weights);
  else
    read_matrices(archive, *network);
  copy(kVectors, network->vectors);
  network->digest = archive.string(kDigest);
  return network;
}

void add_network(Archive& archive, const StoredNetwork& network) {
  StoredNetwork copy = network;  // which rounding leaves as it is
  add_numbers(archive, copy);
  archive.add_string(kDigest, network.digest);
}

std::string network_digest(const Archive& archive) {
  return archive.contains(kDigest) ? archive.string(kDigest) : "";
}

void leave_supervision(ExperimentConfig& config) {
  config.objective.supervision.localizer.weight = 0;
}

}  // namespace saccade
