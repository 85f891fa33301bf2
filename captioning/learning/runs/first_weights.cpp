#include "captioning/learning/runs/first_weights.h"

#include <algorithm>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/runs/run_directory.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "core/base/error.h"
#include "core/io/checkpoint.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

std::vector<std::vector<Index>> captions_of(const TrainingSet& set) {
  std::vector<std::vector<Index>> captions;
  for (const PlanItem& item : set.items()) {
    const std::vector<int>& words = set.words(item);
    captions.emplace_back(words.begin(), words.end());
  }
  return captions;
}

WordVectors vectors_of(const ExperimentConfig& config, const TrainingSet& set,
                       const Vocabulary& vocabulary) {
  const EmbeddingsConfig& from = config.decoder.embeddings;
  if (from.source == EmbeddingSource::kTfidf)
    return tfidf_vectors(captions_of(set), vocabulary, config.decoder.embedding,
                         static_cast<std::uint64_t>(config.seed));
  if (from.file.empty())
    throw UsageError(
        "decoder.embeddings.source file needs decoder.embeddings.file; set it in the config");
  return read_word_vectors(from.file, vocabulary, config.decoder.embedding);
}

// The config of a run's encoder, if it were frozen as the encoder of `before` was. None where that
// one was not frozen, where this one is frozen itself, or where they are encoders of two kinds.
std::optional<EncoderConfig> frozen_as_before(const EncoderConfig& now, EncoderConfig before) {
  const bool same_kind = now.type == before.type || (encoder_traits(now).reads_onnx_file &&
                                                     encoder_traits(before).reads_onnx_file);
  if (!is_frozen(before) || is_frozen(now) || !same_kind) return std::nullopt;
  EncoderConfig frozen = now;
  frozen.type = before.type;
  frozen.frozen_stages = before.frozen_stages;
  frozen.augment = before.augment;
  return frozen;
}

}  // namespace

void start_encoder(const EncoderConfig& config, CaptionModel& model,
                   const MessageListener& listener) {
  const TorchWeightReport report =
      load_encoder_weights(config, *model.encoder(), model.parameters());
  if (!report.prefix.empty()) inform(listener, config.weights + ": " + report.prefix_text());
  if (report.complete()) return;
  warn(listener, str(config.weights, ": ", report.text(),
                     "; what is missing keeps its first numbers, what is unexpected is left out "
                     "(encoder.weights_strict is false)"));
}

void start_embedding(const ExperimentConfig& config, const TrainingSet& set, CaptionModel& model,
                     const MessageListener& listener) {
  const EmbeddingsConfig& from = config.decoder.embeddings;
  if (from.source == EmbeddingSource::kRandom) return;
  const WordVectors vectors = vectors_of(config, set, model.vocabulary());
  ParameterStore& parameters = model.parameters();
  const View table = parameters.value(model.decoder().word_parameters().embedding);
  for (std::size_t word = 0; word < vectors.found.size(); ++word) {
    if (!vectors.found[word]) continue;
    std::copy_n(vectors.values.begin() + static_cast<Index>(word) * vectors.width, vectors.width,
                table.row(static_cast<Index>(word)));
  }
  const bool file = from.source == EmbeddingSource::kFile;
  const std::string text = str("embedding: ", vectors.count(), " of ", vectors.words(),
                               " words have a vector ", file ? "in " + from.file : "by TF-IDF",
                               vectors.case_remark(), "; the others keep random ones");
  if (file && vectors.are_few())
    warn(listener, text + "; the file is of little use here");
  else
    inform(listener, text);
}

bool takes_network(const ExperimentConfig& config) {
  const EncoderConfig& encoder = config.encoder;
  if (encoder_registry().at(encoder.type).traits.reads_features) return false;
  const std::string& file =
      encoder_traits(encoder).reads_onnx_file ? encoder.model : encoder.weights;
  return is_frozen(encoder) && file.empty() && !config.train.init_from.empty();
}

void take_network(ExperimentConfig& config, const fs::path& run, std::span<const fs::path> models,
                  const MessageListener& listener) {
  if (!takes_network(config)) return;
  const fs::path own = run.empty() ? run : checkpoint_folder(run) / "last";
  std::error_code error;
  if (fs::exists(own, error)) {
    try {
      config.encoder.network = read_network(load_archive(own));
    } catch (const CheckpointError&) {  // a damaged one, before which there may be others
    }
  }
  if (config.encoder.network) return;
  const fs::path from = find_checkpoint(config.train.init_from, models, listener);
  config.encoder.network = read_network(load_archive(from));
  if (!config.encoder.network)
    throw CheckpointError(str(from.string(),
                              ": does not hold the network of its encoder, and the config names no "
                              "file of it; set encoder.",
                              encoder_traits(config.encoder).reads_onnx_file ? "model" : "weights",
                              " to the file that it was trained with"));
}

std::optional<WeightsOrigin> take_first_weights(const ExperimentConfig& config, DataIdentity data,
                                                CaptionModel& model,
                                                std::span<const fs::path> models,
                                                const MessageListener& listener) {
  if (config.train.init_from.empty()) return std::nullopt;
  const Archive archive = load_archive(find_checkpoint(config.train.init_from, models, listener));
  const ExperimentConfig before = stored_config(archive, config.attention.registry);
  const auto frozen = frozen_as_before(config.encoder, before.encoder);
  if (frozen) data.encoder = InputPipeline(*frozen).frozen()->digest();
  const std::optional<SharedWords> words = take_weights(
      archive, data, model, frozen ? EncoderWeights::kOwn : EncoderWeights::kCheckpoint,
      config.attention.registry);
  if (words)
    inform(listener,
           str("train.init_from: ", words->known(), " of ", words->words(), " words are known to ",
               config.train.init_from, "; what belongs to the others starts anew"));
  return WeightsOrigin{.file = archive.source(),
                       .update = updates_of(archive),
                       .digest = archive_digest(archive.source())};
}

}  // namespace saccade
