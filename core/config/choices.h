// The named choices of an experiment: each enum has one table that is used to parse, print, check
// and document it (core/base/enum_names.h).
#pragma once

#include "core/attention/hard_likelihood.h"
#include "core/base/enum_names.h"

namespace saccade {

enum class DataKind { kScenes, kKarpathy, kCoco, kFlickr8k, kFolder };
constexpr auto enum_table(DataKind) {
  using enum DataKind;
  return enum_rows<DataKind>({
      {kScenes, "scenes", "drawn scenes with known boxes and facts; needs no files"},
      {kKarpathy, "karpathy", "dataset_*.json with Karpathy's splits, and a folder of images"},
      {kCoco, "coco", "COCO captions JSON for training and validation"},
      {kFlickr8k, "flickr8k", "Flickr8k.token.txt and the folder of split lists"},
      {kFolder, "folder", "a folder of images with captions.csv"},
  });
}

enum class VocabularyKind { kWords, kBpe };
constexpr auto enum_table(VocabularyKind) {
  using enum VocabularyKind;
  return enum_rows<VocabularyKind>({
      {kWords, "words", "the words of the training captions; others are <unk>"},
      {kBpe, "bpe",
       "pieces of words, merged from the training captions by byte-pair encoding (Sennrich et al. "
       "2016); nothing is <unk>"},
  });
}

enum class UnseenKind { kTexture, kSize, kPair };
constexpr auto enum_table(UnseenKind) {
  using enum UnseenKind;
  return enum_rows<UnseenKind>({
      {kTexture, "texture",
       "combinations of texture, colour and shape; any two of them occur together in training"},
      {kSize, "size",
       "combinations of size, colour and shape; any two of them occur together in training; "
       "harder"},
      {kPair, "pair",
       "combinations of colour and shape, two words that training never joins; hardest"},
  });
}

enum class BadImage { kFail, kSkip };
constexpr auto enum_table(BadImage) {
  using enum BadImage;
  return enum_rows<BadImage>({
      {kFail, "fail", "stop at the first image that cannot be read"},
      {kSkip, "skip", "leave such images out and count them"},
  });
}

enum class PooledKind { kMean, kClassToken };
constexpr auto enum_table(PooledKind) {
  using enum PooledKind;
  return enum_rows<PooledKind>({
      {kMean, "mean", "the mean of the regions that count"},
      {kClassToken, "class_token", "the class token behind the last block (vit, hybrid)"},
  });
}

enum class PositionKind { kNone, kCoordinates, kSinusoidal, kLearned };
constexpr auto enum_table(PositionKind) {
  using enum PositionKind;
  return enum_rows<PositionKind>({
      {kNone, "none", "no information about places"},
      {kCoordinates, "coordinates", "row and column appended to the features"},
      {kSinusoidal, "sinusoidal", "2-D sines and cosines added to the features"},
      {kLearned, "learned", "one learned vector per region, added to the features"},
  });
}

// The axes of attention. Each line of their registries in core/attention, which have formulas and
// sources, gives one enumerator.
enum class ScoreKind {
#define SACCADE_SCORE(name, enumerator, ...) enumerator,
#include "core/attention/scores/scores.def"
#undef SACCADE_SCORE
  kNone
};
constexpr auto enum_table(ScoreKind) {
  using enum ScoreKind;
  return enum_rows<ScoreKind>({
#define SACCADE_SCORE(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/scores/scores.def"
#undef SACCADE_SCORE
      {kNone, "none", "no attention: the mean of all regions (plain CNN+RNN captioner)"},
  });
}

enum class ScopeKind {
#define SACCADE_SCOPE(name, enumerator, ...) enumerator,
#include "core/attention/scopes/scopes.def"
#undef SACCADE_SCOPE
};
constexpr auto enum_table(ScopeKind) {
  using enum ScopeKind;
  return enum_rows<ScopeKind>({
#define SACCADE_SCOPE(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/scopes/scopes.def"
#undef SACCADE_SCOPE
  });
}

enum class NormalizerKind {
#define SACCADE_NORMALIZER(name, enumerator, ...) enumerator,
#include "core/attention/normalizers.def"
#undef SACCADE_NORMALIZER
};
constexpr auto enum_table(NormalizerKind) {
  using enum NormalizerKind;
  return enum_rows<NormalizerKind>({
#define SACCADE_NORMALIZER(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/normalizers.def"
#undef SACCADE_NORMALIZER
  });
}

enum class SelectionKind {
#define SACCADE_SELECTION(name, enumerator, ...) enumerator,
#include "core/attention/selections.def"
#undef SACCADE_SELECTION
};
constexpr auto enum_table(SelectionKind) {
  using enum SelectionKind;
  return enum_rows<SelectionKind>({
#define SACCADE_SELECTION(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/selections.def"
#undef SACCADE_SELECTION
  });
}

enum class GateKind {
#define SACCADE_GATE(name, enumerator, ...) enumerator,
#include "core/attention/gates.def"
#undef SACCADE_GATE
};
constexpr auto enum_table(GateKind) {
  using enum GateKind;
  return enum_rows<GateKind>({
#define SACCADE_GATE(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/gates.def"
#undef SACCADE_GATE
  });
}

// `composed` takes the axes; the others do not factor.
enum class MechanismKind {
  kComposed,
#define SACCADE_MECHANISM(name, enumerator, ...) enumerator,
#include "core/attention/mechanisms/mechanisms.def"
#undef SACCADE_MECHANISM
};
constexpr auto enum_table(MechanismKind) {
  using enum MechanismKind;
  return enum_rows<MechanismKind>({
      {kComposed, "composed", "a choice on each axis: score, scope, normalizer, selection, ..."},
#define SACCADE_MECHANISM(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/mechanisms/mechanisms.def"
#undef SACCADE_MECHANISM
  });
}

enum class HardProfile { kSatPaper, kArctic, kCustom };
constexpr auto enum_table(HardProfile) {
  using enum HardProfile;
  return enum_rows<HardProfile>({
      {kSatPaper, "sat_paper", "Show, Attend and Tell as published: coin image, reward sum"},
      {kArctic, "arctic", "as in the authors' code: coin batch, reward mean"},
      {kCustom, "custom", "every value of the section must be given"},
  });
}

enum class BaselineKind { kNone, kEma, kEmaPerLength, kLearned, kGreedy, kLeaveOneOut };
constexpr auto enum_table(BaselineKind) {
  using enum BaselineKind;
  return enum_rows<BaselineKind>({
      {kNone, "none", "nothing"},
      {kEma, "ema", "the moving average of the reward, which starts with the first batch"},
      {kEmaPerLength, "ema_per_length",
       "one moving average for each number of words that the reward sums over"},
      {kLearned, "learned",
       "ema_per_length plus the output of a linear value head on the decoder's state"},
      {kGreedy, "greedy", "the reward of the same caption with the argmax region at every word"},
      {kLeaveOneOut, "leave_one_out", "the mean reward of the caption's other draws (samples)"},
  });
}

// What the regions that hard attention learns from are drawn from.
enum class ProposalKind { kAttention, kLocalizer };
constexpr auto enum_table(ProposalKind) {
  using enum ProposalKind;
  return enum_rows<ProposalKind>({
      {kAttention, "attention", "the attention's own weights (Xu et al. 2015)"},
      {kLocalizer, "localizer",
       "the localizer's map of the word, with a probability that is higher the more clearly the "
       "picture shows the word, and otherwise the attention's own weights; the attention learns to "
       "follow by objective.supervision.localizer (variational attention, Deng et al. 2018)"},
  });
}

enum class CoinKind { kImage, kBatch };
constexpr auto enum_table(CoinKind) {
  using enum CoinKind;
  return enum_rows<CoinKind>({
      {kImage, "image", "one decision per caption"},
      {kBatch, "batch", "one decision per batch"},
  });
}

enum class RewardKind { kSum, kMean, kToGo };
constexpr auto enum_table(RewardKind) {
  using enum RewardKind;
  return enum_rows<RewardKind>({
      {kSum, "sum", "log p of the caption, as in the paper's lower bound"},
      {kMean, "mean", "log p per word, as in the authors' code; biased"},
      {kToGo, "to_go",
       "log p of the words from the drawn region on, which are all that the draw can change"},
  });
}

// Each line of the registry of rewards gives one enumerator.
enum class RewardMetric {
#define SACCADE_REWARD(name, enumerator, weight, text) enumerator,
#include "captioning/objectives/rewards.def"
#undef SACCADE_REWARD
};
constexpr auto enum_table(RewardMetric) {
  using enum RewardMetric;
  return enum_rows<RewardMetric>({
#define SACCADE_REWARD(name, enumerator, weight, text) {enumerator, #name, text},
#include "captioning/objectives/rewards.def"
#undef SACCADE_REWARD
  });
}

enum class SelfCriticalBaseline { kLeaveOneOut, kGreedy };
constexpr auto enum_table(SelfCriticalBaseline) {
  using enum SelfCriticalBaseline;
  return enum_rows<SelfCriticalBaseline>({
      {kLeaveOneOut, "leave_one_out", "the mean reward of the image's other samples"},
      {kGreedy, "greedy", "the reward of the greedy caption, with the argmax region at every word"},
  });
}

enum class OptimizerKind { kSgd, kRmsprop, kAdam, kAdamw };
constexpr auto enum_table(OptimizerKind) {
  using enum OptimizerKind;
  return enum_rows<OptimizerKind>({
      {kSgd, "sgd", "gradient descent with momentum"},
      {kRmsprop, "rmsprop", "RMSProp (rho, epsilon)"},
      {kAdam, "adam", "Adam (beta1, beta2, epsilon)"},
      {kAdamw, "adamw", "Adam with decoupled weight decay"},
  });
}

enum class ScheduleKind { kConstant, kStep, kCosine, kWarmupCosine };
constexpr auto enum_table(ScheduleKind) {
  using enum ScheduleKind;
  return enum_rows<ScheduleKind>({
      {kConstant, "constant", "lr from the end of the warm-up on"},
      {kStep, "step", "lr times decay_factor after every decay_every"},
      {kCosine, "cosine", "half a cosine from lr to final_lr over the whole run"},
      {kWarmupCosine, "warmup_cosine", "a linear rise over `warmup`, then the half cosine"},
  });
}

enum class CaptionsPerEpoch { kAll, kOnePerImage, kWholeImages };
constexpr auto enum_table(CaptionsPerEpoch) {
  using enum CaptionsPerEpoch;
  return enum_rows<CaptionsPerEpoch>({
      {kAll, "all", "every caption once per epoch"},
      {kOnePerImage, "one_per_image",
       "one caption of every image per epoch; all of them are used before one is repeated"},
      {kWholeImages, "whole_images",
       "every caption once per epoch, those of an image together in one shard, so that the image "
       "is encoded once for all of them"},
  });
}

enum class SearchMode { kBeam, kGreedy, kSample };
constexpr auto enum_table(SearchMode) {
  using enum SearchMode;
  return enum_rows<SearchMode>({
      {kBeam, "beam", "beam search"},
      {kGreedy, "greedy", "the most probable word at every step"},
      {kSample, "sample", "words drawn from the model"},
  });
}

}  // namespace saccade
