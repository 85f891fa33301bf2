#include "captioning/runs/first_weights.h"

#include <algorithm>

#include "captioning/config/experiment_config.h"
#include "captioning/text/word_vectors.h"
#include "core/base/error.h"

namespace saccade {

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

}  // namespace

std::string start_encoder(const EncoderConfig& config, CaptionModel& model) {
  const TorchWeightReport report =
      load_encoder_weights(config, *model.encoder(), model.parameters());
  if (report.complete()) return "";
  return str(config.weights, ": ", report.text(),
             "; what is missing keeps its first numbers, what is unexpected is left out "
             "(encoder.weights_strict is false)");
}

std::string start_embedding(const ExperimentConfig& config, const TrainingSet& set,
                            CaptionModel& model) {
  const EmbeddingsConfig& from = config.decoder.embeddings;
  if (from.source == EmbeddingSource::kRandom) return "";
  const WordVectors vectors = vectors_of(config, set, model.vocabulary());
  ParameterStore& parameters = model.parameters();
  const View table = parameters.value(model.decoder().word_parameters().embedding);
  for (std::size_t word = 0; word < vectors.found.size(); ++word) {
    if (!vectors.found[word]) continue;
    std::copy_n(vectors.values.begin() + static_cast<Index>(word) * vectors.width, vectors.width,
                table.row(static_cast<Index>(word)));
  }
  return str("embedding: ", vectors.count(), " of ", vectors.words(), " words have a vector ",
             from.source == EmbeddingSource::kFile ? "in " + from.file : "by TF-IDF",
             "; the others keep random ones");
}

}  // namespace saccade
