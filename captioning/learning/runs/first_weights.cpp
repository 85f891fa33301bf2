#include "captioning/learning/runs/first_weights.h"

#include <algorithm>
#include <array>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/checkpoint_summary.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/learning/runs/run_directory.h"
#include "captioning/learning/runs/stored_vocabulary.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/model.h"
#include "captioning/model/published/published_captioner.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "core/io/archive.h"
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
  if (!is_frozen(before) || is_frozen(now) || now.type != before.type) return std::nullopt;
  EncoderConfig frozen = now;
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

namespace {

// What a run starts from: a checkpoint, or a published captioner as one.
struct Origin {
  std::unique_ptr<LoadedModel> published;  // whose numbers the archive borrows
  Archive archive;
};

Origin origin_of(const fs::path& path, std::shared_ptr<const AttentionRegistry> added) {
  if (!is_published_captioner(path)) return {.published = nullptr, .archive = load_archive(path)};
  auto model = std::make_unique<LoadedModel>(load_model(path, {}, std::move(added)));
  Archive archive = published_archive(*model);
  return {.published = std::move(model), .archive = std::move(archive)};
}

WeightsOrigin described(const Origin& origin) {
  const Archive& archive = origin.archive;
  return {.file = archive.source(),
          .update = updates_of(archive),
          .digest = origin.published ? numbers_digest(archive, "parameters/")
                                     : archive_digest(archive.source())};
}

// The newest checkpoint of a run; none where it has none that can be read.
std::optional<Archive> own_checkpoint(const fs::path& run) {
  const fs::path own = run.empty() ? run : checkpoint_folder(run) / "last";
  std::error_code error;
  if (!fs::exists(own, error)) return std::nullopt;
  try {
    return load_archive(own);
  } catch (const CheckpointError&) {  // a damaged one, before which there may be others
    return std::nullopt;
  }
}

// The key that names where the decoder's weights come from, and its value.
std::pair<std::string, std::string> decoder_origin(const ExperimentConfig& config) {
  return config.train.init_from.empty() ? std::pair("decoder.weights", config.decoder.weights)
                                        : std::pair("train.init_from", config.train.init_from);
}

std::shared_ptr<const Vocabulary> tokens_of(const fs::path& path, const std::string& key) {
  Vocabulary tokens = is_published_captioner(path) ? read_published(path).vocabulary
                                                   : read_vocabulary(load_archive(path));
  if (!tokens.published())
    throw UsageError(str("data.vocabulary published: ", path.string(), " (", key,
                         ") has words of its own captions and no published tokens; set "
                         "data.vocabulary words"));
  return std::make_shared<const Vocabulary>(std::move(tokens));
}

// Throws UsageError where the decoder of `now` computes something else than that of `before`, whose
// weights it is to have; it names each key with both values. `key` is the one that names
// `source`, where these are.
void refuse_other_decoder(const ExperimentConfig& before, const ExperimentConfig& now,
                          const std::string& key, const std::string& source) {
  // What changes nothing of what the weights compute when captions are made.
  constexpr std::array kFree = {"decoder.weights",     "decoder.frozen",
                                "decoder.dropout",     "decoder.init_hidden",
                                "decoder.first_state", "decoder.image_dropout"};
  const std::vector<std::string> unread = unread_options(before);
  std::vector<Difference> differences = config_differences(before, now);
  std::erase_if(differences, [&](const Difference& one) {
    return !one.path.starts_with("decoder.") || one.path.starts_with("decoder.embeddings.") ||
           std::ranges::find(kFree, one.path) != kFree.end() ||
           std::ranges::find(unread, one.path) != unread.end();
  });
  if (differences.empty()) return;
  throw UsageError(str(key, " ", source, ": its decoder is another than the config's: set ",
                       join(differences, ", ",
                            [](const Difference& one) {
                              return str(one.path, " to ", one.first, " instead of ", one.second);
                            }),
                       "; saccade new --from writes a config that fits"));
}

// What was taken of a decoder that was trained elsewhere.
struct TakenDecoder {
  Index arrays = 0;  // that have the archive's values
  Index anew = 0;    // of the attention to the image, which do not fit and stay as they are
};

// Gives the decoder of a model the weights of an archive (checkpoint_content.h). Arrays of the
// attention to the image (reads_image) may be missing or have other extents. Throws CheckpointError
// where others do, and where the archive's vocabulary is not that of the model.
TakenDecoder take_decoder(const Archive& archive, CaptionModel& model) {
  if (read_vocabulary(archive).digest() != model.vocabulary().digest())
    throw CheckpointError(str(archive.source(),
                              ": its tokens are not those of the run (decoder.weights); take a "
                              "published captioner, or a checkpoint that was made of one"));
  ParameterStore& store = model.parameters();
  TakenDecoder taken;
  std::vector<std::string> misfits;
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ParameterInfo& info = store.info(static_cast<int>(p));
    if (!info.name.starts_with("decoder.")) continue;
    const std::string entry = "parameters/" + info.name;
    std::vector<Index> extents;
    for (int a = 0; a < info.shape.rank(); ++a) extents.push_back(info.shape[a]);
    if (archive.contains(entry) && archive.floats(entry).shape() == extents) {
      const std::span<const float> values = archive.floats(entry).values();
      std::copy(values.begin(), values.end(), store.value(static_cast<int>(p)).data);
      ++taken.arrays;
    } else if (reads_image(info.name)) {
      ++taken.anew;
    } else {
      misfits.push_back(info.name);
    }
  }
  if (!misfits.empty())
    throw CheckpointError(str(archive.source(), ": does not fit the decoder (decoder.weights): ",
                              first_names(misfits), misfits.size() == 1 ? " has" : " have",
                              " other extents or are missing; saccade new --from writes a config "
                              "that fits"));
  return taken;
}

std::optional<WeightsOrigin> take_decoder_weights(const ExperimentConfig& config,
                                                  CaptionModel& model,
                                                  std::span<const fs::path> models,
                                                  const MessageListener& listener) {
  const std::string& given = config.decoder.weights;
  const Origin origin =
      origin_of(find_checkpoint(given, models, listener), config.attention.registry);
  refuse_other_decoder(stored_config(origin.archive, config.attention.registry), config,
                       "decoder.weights", given);
  const TakenDecoder taken = take_decoder(origin.archive, model);
  inform(listener,
         str("decoder.weights: ", counted(taken.arrays, "array"), " of the decoder from ", given,
             taken.anew == 0
                 ? ""
                 : str("; ", counted(taken.anew, "array"),
                       " of its attention to the image start anew, because another encoder or "
                       "attention was there")));
  return described(origin);
}

}  // namespace

void require_origin_of_tokens(const ExperimentConfig& config) {
  if (config.data.vocabulary == VocabularyKind::kPublished && !starts_from_weights(config))
    throw UsageError(
        "data.vocabulary published needs decoder.weights or train.init_from, which names the "
        "captioner whose tokens are meant");
}

void take_first_parts(ExperimentConfig& config, const fs::path& run,
                      std::span<const fs::path> models, const MessageListener& listener) {
  const bool network = takes_network(config) && !config.encoder.network,
             tokens = config.data.vocabulary == VocabularyKind::kPublished && !config.tokens;
  if (!network && !tokens) return;
  if (const std::optional<Archive> own = own_checkpoint(run)) {
    if (network) config.encoder.network = read_network(*own);
    if (tokens) config.tokens = std::make_shared<const Vocabulary>(read_vocabulary(*own));
  }
  if (tokens && !config.tokens) {
    require_origin_of_tokens(config);
    const auto [key, given] = decoder_origin(config);
    config.tokens = tokens_of(find_checkpoint(given, models, listener), key);
  }
  if (!network || config.encoder.network) return;
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
  if (!config.decoder.weights.empty()) return take_decoder_weights(config, model, models, listener);
  if (config.train.init_from.empty()) return std::nullopt;
  const Origin origin = origin_of(find_checkpoint(config.train.init_from, models, listener),
                                  config.attention.registry);
  const Archive& archive = origin.archive;
  const ExperimentConfig before = stored_config(archive, config.attention.registry);
  if (config.tokens)
    refuse_other_decoder(before, config, "train.init_from", config.train.init_from);
  const auto frozen = frozen_as_before(config.encoder, before.encoder);
  if (frozen) data.encoder = InputPipeline(*frozen).frozen()->digest();
  const std::optional<SharedWords> words = take_weights(
      archive, data, model, frozen ? EncoderWeights::kOwn : EncoderWeights::kCheckpoint,
      config.attention.registry);
  if (words)
    inform(listener,
           str("train.init_from: ", words->known(), " of ", words->words(), " words are known to ",
               config.train.init_from, "; what belongs to the others starts anew"));
  return described(origin);
}

}  // namespace saccade
