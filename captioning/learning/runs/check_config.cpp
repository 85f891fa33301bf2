#include "captioning/learning/runs/check_config.h"

#include <algorithm>

#include "captioning/data/data_sets.h"
#include "captioning/data/load_data.h"
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/config/learning_rates.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/training/choosing_metric.h"
#include "captioning/learning/training/stages.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/model/decoders/decoder_parts.h"
#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "core/attention/make_attention.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

void check_self_critical(const SelfCriticalConfig& config, const AttentionConfig& attention) {
  if (!config.start) return;
  if (attention.selection == "gumbel_st")
    throw UsageError(
        "objective.self_critical cannot be combined with attention.selection gumbel_st: its "
        "captions are "
        "drawn without the relaxation, so attention would learn nothing; choose soft or hard");
  if (attention.mixes_regions())
    throw UsageError(
        "objective.self_critical needs attention.hard.likelihood choice: it draws captions "
        "together with their regions");
  if (config.baseline == SelfCriticalBaseline::kLeaveOneOut && config.samples < 2)
    throw UsageError(
        "objective.self_critical.baseline leave_one_out needs objective.self_critical.samples of "
        "at least 2: the baseline of a sample is the mean of the others; draw 2, or choose the "
        "baseline greedy");
  if (!config.reward.any())
    throw UsageError(
        "objective.self_critical.reward: all weights are 0; give at least one metric a weight, "
        "such as CIDEr_D: 1");
}

// Checks the distribution from which the regions are drawn that hard attention learns from.
void check_proposal(const ExperimentConfig& config) {
  const HardConfig& hard = config.attention.hard;
  if (!draws_regions(config.attention.selection) || hard.proposal != ProposalKind::kLocalizer)
    return;
  const auto need = [](const std::string& what, const std::string& why) {
    throw UsageError(str("attention.hard.proposal localizer needs ", what, ": ", why));
  };
  const SupervisionConfig& supervision = config.supervision;
  if (supervision.localizer.weight == 0)
    need("objective.supervision.localizer.weight above 0",
         "without it there is no localizer to draw regions from, and attention would not learn to "
         "attend to the regions that are drawn");
  if (config.attention.heads > 1) need("attention.heads 1", "the localizer has one map per word");
  if (config.attention.scope == "monotonic")
    need("an attention.scope other than monotonic",
         "the region that it draws may lie before the last one");
  if (hard.likelihood == HardLikelihood::kMarginal)
    need("attention.hard.likelihood choice",
         "a marginal likelihood weighs all regions for each word and draws none");
}

// Checks the values of the first stage's loss.
void check_objective(const ExperimentConfig& config) {
  const ObjectiveConfig& objective = config.objective;
  const bool smooths = objective.label_smoothing > 0,
             samples = objective.scheduled_sampling != Ramp::constant(0);
  if (smooths && config.attention.mixes_regions())
    throw UsageError(
        "objective.label_smoothing needs attention.hard.likelihood choice: a marginal likelihood "
        "computes the mixture over regions for the true word alone, and smoothing needs it for "
        "every word");
  const SupervisionConfig& supervision = config.supervision;
  const auto& mechanism = config.attention.mechanism;
  if ((supervision.boxes > 0 || supervision.localizer.weight > 0) &&
      (mechanism == "differential" || mechanism == "linformer"))
    throw UsageError(
        str("objective.supervision", supervision.boxes > 0 ? ".boxes" : ".localizer.weight",
            " needs weights that are shares of one, and those of attention.mechanism ", mechanism,
            " have no bound: training would make them grow for ever; choose another mechanism, or "
            "leave the supervision out"));
  const std::optional<Stop>& start = objective.self_critical.start;
  if (supervision.any() && start && start->count == 0)
    throw UsageError(
        "objective.supervision has no effect: self-critical training starts at the first update "
        "(objective.self_critical.start) and does not use it; set its weights to 0, or start "
        "later");
  if ((smooths || samples) && start && start->count == 0)
    throw UsageError(str("objective.", smooths ? "label_smoothing" : "scheduled_sampling",
                         " has no effect: self-critical training starts at the first update "
                         "(objective.self_critical.start), and it draws and rewards captions "
                         "instead of reading references; leave it out, or start later"));
}

// A published decoder and its tokens belong together.
void check_published(const ExperimentConfig& config) {
  const bool published = config.data.vocabulary == VocabularyKind::kPublished;
  if (!config.decoder.weights.empty() && !config.train.init_from.empty())
    throw UsageError(
        "decoder.weights has no effect: train.init_from has the weights of the decoder, too; leave "
        "one of them out");
  if (published) require_origin_of_tokens(config);
  if (!published && !config.decoder.weights.empty())
    throw UsageError(
        "decoder.weights needs data.vocabulary published: the decoder writes the tokens of its own "
        "tokenizer");
}

// What is frozen needs weights that were trained somewhere.
void check_frozen(const ExperimentConfig& config) {
  const EncoderConfig& encoder = config.encoder;
  if (encoder.frozen_stages > 0 && !encoder_traits(encoder).reads_onnx_file &&
      encoder.weights.empty() && config.train.init_from.empty())
    throw UsageError(str("encoder.frozen_stages ", encoder.frozen_stages,
                         " would freeze random weights; set encoder.weights to a file of "
                         "pretrained weights, or train.init_from to a run"));
  const FrozenDecoder frozen = config.decoder.frozen;
  if (frozen == FrozenDecoder::kNone) return;
  if (!starts_from_weights(config))
    throw UsageError(str("decoder.frozen ", enum_name(frozen),
                         " would freeze random weights; set decoder.weights or train.init_from"));
  if (frozen == FrozenDecoder::kAll && is_frozen(encoder))
    throw UsageError(
        "decoder.frozen all leaves nothing to learn, because the encoder is frozen, too; choose "
        "language or none");
}

// Checks that the learning rates fit the length of training. How many updates an epoch has is known
// here only of images and texts that are made by the program, if it trains on one caption of each.
void check_length(const ExperimentConfig& config) {
  const DataConfig& data = config.data;
  const bool texts = data.type == DataKind::kSequences;
  const bool made = texts || (data.type == DataKind::kScenes &&
                              config.train.captions == CaptionsPerEpoch::kOnePerImage);
  if (!made) {
    constexpr Index kEpoch = 1'000'000;  // updates; more than an epoch of any data has
    Stages(config, kEpoch, kEpoch);
    return;
  }
  const Index all = texts ? data.sequences.train : data.scenes.train;
  std::vector<PlanItem> items;
  for (Index i = 0; i < (data.limit_train > 0 ? std::min(data.limit_train, all) : all); ++i)
    items.push_back({.image = i, .caption = 0, .length = 1});
  stages_of(config, items);
}

// Checks that a decoder can take all words that it may have to write or read, and <eos>. With a
// vocabulary of pieces the lengths of the captions are known only once they are read.
void check_longest(const ExperimentConfig& config) {
  const Index most = decoder_traits(config.decoder).most_words;
  if (most == 0) return;
  const std::int64_t decoded = config.search.max_length,
                     read = config.data.vocabulary == VocabularyKind::kWords
                                ? config.data.max_length
                                : 0;
  const std::int64_t needed = std::max(decoded, read) + 1;
  if (most < needed)
    throw UsageError(str("decoder.longest ", most, " is too short for ",
                         decoded >= read ? "search.max_length " : "data.max_length ", needed - 1,
                         " and <eos>; raise it to ", needed, ", or lower ",
                         decoded >= read ? "search.max_length" : "data.max_length"));
}

// Checks that the sizes and the weights of a vision transformer are each given in one place only.
void check_vit(const EncoderConfig& encoder) {
  if (!encoder_traits(encoder).has_tokens) return;
  const VitConfig& vit = encoder.vit;
  if (vit.size != VitConfig().size && vit.width && vit.layers && vit.heads)
    throw UsageError(str("encoder.vit.size ", enum_name(vit.size),
                         " has no effect: encoder.vit.width, layers and heads are all given; leave "
                         "encoder.vit.size out"));
  if (vit.start != VitConfig().start && !encoder.weights.empty() && encoder.weights_strict)
    throw UsageError(str("encoder.vit.start ", enum_name(vit.start),
                         " has no effect: all weights come from encoder.weights; leave one of the "
                         "two out"));
}

// Checks that the encoder can read the data: pictures, or texts that fit into its grid.
void check_inputs(const ExperimentConfig& config) {
  const bool texts = config.data.type == DataKind::kSequences;
  if (texts != encoder_traits(config.encoder).reads_text)
    throw UsageError(
        str("data.type ", enum_name(config.data.type), " consists of ",
            texts ? "texts" : "pictures", ", and encoder.type ", config.encoder.type, " reads ",
            texts ? "pictures" : "texts", "; choose encoder.type ",
            encoders_with(texts ? [](const EncoderTraits& one) { return one.reads_text; }
                                : [](const EncoderTraits& one) { return !one.reads_text; })));
  if (!texts) return;
  const auto need = [](const char* key, std::int64_t value, std::int64_t needed, const char* what) {
    if (value < needed)
      throw UsageError(str(key, " is ", value, ", and the longest ", what,
                           " of data.sequences has ", needed, "; raise it to ", needed));
  };
  need("encoder.text.length", config.encoder.text.length, config.data.sequences.most_tokens(),
       "text");
  const std::int64_t words = config.data.sequences.most_words();
  need("data.max_length", config.data.max_length, words, "result");
  if (config.data.vocabulary == VocabularyKind::kWords)
    need("search.max_length", config.search.max_length, words, "result");
}

}  // namespace

// Most rules are checked by the parts that they belong to.
void check_config(const ExperimentConfig& config) {
  resolved(config.attention.hard);
  check_attention(config.attention);
  check_decoder(config.decoder, config.attention);
  CaptionModel::check(config);
  if (!is_frozen(config.encoder))
    set_learning_rates(config, CaptionModel::declared(config, Vocabulary(), {}).parameters());
  InputPipeline::check(config.encoder);
  check_length(config);
  check_search(config.search, config.data, Draws::kByMode);
  check_choosing_metrics(config.train);
  if (const auto groups = config.train.gradient_groups; (groups & (groups - 1)) != 0)
    throw UsageError(str("train.gradient_groups is ", groups,
                         "; give a power of two, because sums of groups meet in pairs"));
  check_longest(config);
  check_inputs(config);
  if (config.data.type == DataKind::kJoined) joined_sets(config.data);
  check_published(config);
  check_frozen(config);
  check_vit(config.encoder);
  if (config.data.vocabulary != VocabularyKind::kWords &&
      config.decoder.embeddings.source == EmbeddingSource::kFile)
    throw UsageError(
        "decoder.embeddings.source file needs data.vocabulary words: the file's vectors are of "
        "whole words; decoder.embeddings.source tfidf makes vectors for pieces, too");
  check_objective(config);
  check_proposal(config);
  check_self_critical(config.objective.self_critical, config.attention);
}

void check_with_data(const ExperimentConfig& config, const LoadedData& data) {
  require_validation(data);
  check_stages(config, data);
}

void refuse_idle(const std::vector<IdleOption>& idle, const DataConfig& data) {
  std::string lines = join(idle, "\n", [&](const IdleOption& option) {
    const std::string own = key_in_set(data, option.path);
    return option.text + (own.empty() ? "" : "; a set has its own, such as " + own);
  });
  if (!lines.empty()) throw UsageError(lines);
}

void refuse_unread(std::span<const std::string> overrides, const ExperimentConfig& config,
                   const std::string& option, const std::string& section) {
  const std::vector<std::string> unread = unread_options(config);
  for (const std::string& assignment : overrides) {
    const std::string path = section + assignment.substr(0, assignment.find('='));
    if (std::find(unread.begin(), unread.end(), path) == unread.end()) continue;
    const std::string own = key_in_set(config.data, path);
    throw UsageError(str(
        option, path.substr(section.size()),
        " has no effect: with the other choices of the checkpoint's config nothing reads it "
        "(saccade "
        "list config shows what reads it)",
        own.empty() ? ""
                    : str("; a set has its own, such as ", option, own.substr(section.size()))));
  }
}

void settle_alone(LoadedConfig& loaded, bool of_a_run) {
  std::vector<IdleOption> idle = settle(loaded);
  const CompareConfig& compare = loaded.config.compare;
  if (of_a_run || !compare.arms.empty() || !compare.axes.empty())
    std::erase_if(idle, [&](const IdleOption& option) {
      if (option.newest) return false;
      reset_option(loaded, option.path);
      return true;
    });
  refuse_idle(idle, loaded.config.data);
}

}  // namespace saccade
