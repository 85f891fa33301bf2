// The config of an experiment: plain structs with defaults, each field documented once. What a
// value means beyond its range is checked by the part that uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/axes.h"
#include "core/config/choices.h"
#include "core/config/config.h"
#include "core/config/named_arms.h"
#include "core/config/refinement_config.h"
#include "core/config/self_critical_config.h"

namespace saccade {

struct ScenesConfig {
  std::int64_t train = 4000;
  std::int64_t val = 300;
  std::int64_t test = 500;
  std::int64_t size = 64;
  std::int64_t objects_max = 3;
  UnseenKind unseen = UnseenKind::kTexture;
  std::int64_t seed = 1;

  template <class V>
  void fields(V& v) {
    v.field("train", train, "scenes to train on", between(1, 1e7));
    v.field("val", val, "scenes to validate on", between(1, 1e7));
    v.field("test", test, "scenes of unseen combinations", between(1, 1e7));
    v.field("size", size, "side of a scene in pixels", between(32, 1024));
    v.field("objects_max", objects_max, "most objects in a scene", between(1, 3));
    v.field("unseen", unseen, "which combinations only test scenes show");
    v.field("seed", seed, "draws the scenes; that of the run draws weights and batches",
            at_least(0));
  }
};

struct DataConfig {
  DataKind type = DataKind::kScenes;
  std::string annotations, images, tokens, splits, val_annotations, val_images;
  std::int64_t min_count = 5;
  std::int64_t max_length = 20;
  std::int64_t captions_per_image = 5;
  BadImage on_bad_image = BadImage::kFail;
  std::int64_t limit_train = 0;
  std::int64_t limit_val = 0;
  ScenesConfig scenes;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the data set");
    v.field("annotations", annotations, "captions JSON (karpathy, coco) or CSV (folder)");
    v.field("images", images, "folder of the images");
    v.field("tokens", tokens, "Flickr8k.token.txt (flickr8k)");
    v.field("splits", splits, "folder of Flickr_8k.*Images.txt (flickr8k)");
    v.field("val_annotations", val_annotations, "captions JSON of the validation set (coco)");
    v.field("val_images", val_images, "folder of the validation images (coco)");
    v.field("min_count", min_count, "words seen less often in training become <unk>",
            between(1, 1e6));
    v.field("max_length", max_length, "words a caption; longer ones are cut and counted",
            between(1, 1000));
    v.field("captions_per_image", captions_per_image, "captions kept an image; 0 = all",
            between(0, 1000));
    v.field("on_bad_image", on_bad_image, "what to do with an image that cannot be read");
    v.field("limit_train", limit_train, "use only so many training images; 0 = all", at_least(0));
    v.field("limit_val", limit_val, "use only so many validation images; 0 = all", at_least(0));
    v.section("scenes", scenes, "the built-in data set");
  }
};

struct AugmentConfig {
  bool flip = false;
  std::int64_t shift = 0;
  double color = 0;

  template <class V>
  void fields(V& v) {
    v.field("flip", flip, "mirror half of the images; wrong where captions say left or right");
    v.field("shift", shift, "largest shift in pixels of the network's input", between(0, 128));
    v.field("color", color, "largest relative change of brightness and contrast", between(0, 1));
  }
};

struct EncoderConfig {
  EncoderKind type = EncoderKind::kCnn;
  std::vector<std::int64_t> channels = {32, 64, 96, 128};
  std::int64_t image_size = 64;
  ResizeKind resize = ResizeKind::kSquash;
  std::string model, layer, cache;
  bool half = false;
  PositionKind positions = PositionKind::kNone;
  double input_mean = 127.5;
  double input_scale = 127.5;
  AugmentConfig augment;
  RefinementConfig refine;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the image encoder");
    v.field("channels", channels, "width of each stage; the first three halve the image (cnn)",
            {.min = 1, .max = 4096, .not_empty = true});
    v.field("image_size", image_size, "side of the network's square input in pixels",
            between(8, 2048));
    v.field("resize", resize, "how an image becomes that square");
    v.field("model", model, "path of the .onnx file (onnx)");
    v.field("layer", layer, "name of the layer whose output is the grid (onnx)");
    v.field("cache", cache, "folder for cached features (onnx); empty = no cache");
    v.field("half", half, "keep the cache in 16-bit floats: half the space, 3 digits");
    v.field("positions", positions, "what tells a region where it is");
    v.field("input_mean", input_mean, "the network sees (pixel - input_mean) / input_scale");
    v.field("input_scale", input_scale, "see input_mean", above(0));
    v.section("augment", augment, "random changes of training images (cnn)");
    v.section("refine", refine, "attention among the regions of the grid");
  }
};

// Where a profile is chosen, it gives the values that are null here: resolved(HardConfig).
struct HardConfig {
  HardProfile profile = HardProfile::kSatPaper;
  HardLikelihood likelihood = HardLikelihood::kChoice;
  std::optional<Ramp> lambda_r, lambda_e, expectation_share;
  std::optional<double> baseline_decay;
  std::optional<BaselineKind> baseline;
  std::optional<CoinKind> coin;
  std::optional<RewardKind> reward;
  std::int64_t samples = 4;

  template <class V>
  void fields(V& v) {
    v.field("profile", profile, "gives every value below that is null");
    v.field("likelihood", likelihood, "what a word's probability is, given the map");
    v.field("lambda_r", lambda_r, "weight of the REINFORCE term", at_least(0));
    v.field("lambda_e", lambda_e, "weight of the entropy bonus", at_least(0));
    v.field("expectation_share", expectation_share, "probability of the soft pass instead",
            between(0, 1));
    v.field("baseline", baseline, "what is subtracted from the reward");
    v.field("baseline_decay", baseline_decay, "decay of the moving averages (ema, ema_per_length)",
            between_open_end(0, 1));
    v.field("samples", samples, "draws of each caption (baseline leave_one_out)", between(2, 256));
    v.field("coin", coin, "who decides between sample and expectation");
    v.field("reward", reward, "the reward of a caption");
  }
};

struct AttentionConfig {
  MechanismKind mechanism = MechanismKind::kComposed;
  ScoreKind score = ScoreKind::kAdditive;
  ScopeKind scope = ScopeKind::kGlobal;
  NormalizerKind normalizer = NormalizerKind::kSoftmax;
  double temperature = 1;
  SelectionKind selection = SelectionKind::kSoft;
  std::int64_t k = 5;
  Ramp gumbel_temperature = Ramp::constant(1);
  std::int64_t heads = 1;
  GateKind gate = GateKind::kScalar;
  bool sentinel = false;
  std::int64_t hidden = 512;
  std::int64_t radius = 2;
  double pace = 1;
  std::int64_t globals = 1;
  double noise = 1;
  std::int64_t projected = 16;
  HardConfig hard;

  template <class V>
  void fields(V& v) {
    v.field("mechanism", mechanism, "the axes below, or a mechanism that does not factor");
    v.field("score", score, "how a region is scored against the decoder's state");
    v.field("scope", scope, "the regions that are looked at");
    v.field("normalizer", normalizer, "how scores become weights");
    v.field("temperature", temperature, "divides the scores",
            {.min = 0, .max = 1000, .min_open = true});
    v.field("selection", selection, "how weights become a context");
    v.field("k", k, "regions that are kept (selection top_k)", between(1, 65536));
    v.field("gumbel_temperature", gumbel_temperature,
            "of the relaxation that gives the gradient (selection gumbel_st)",
            {.min = 0, .max = 1000, .min_open = true});
    v.field("heads", heads, "maps a word, each over its own share of the widths", between(1, 256));
    v.field("gate", gate, "how much of the context the decoder takes");
    v.field("sentinel", sentinel,
            "one more thing to attend to: what the decoder knows without looking (Lu et al. 2017)");
    v.field("hidden", hidden, "width of the attention space, all heads together",
            between(1, 65536));
    v.field("radius", radius, "cells from the centre (scopes local_m, local_p, window)",
            between(0, 1024));
    v.field("pace", pace, "cells the centre moves a word (scopes local_m, window)", at_least(0));
    v.field("globals", globals, "first regions that every word sees (scope window)", at_least(0));
    v.field("noise", noise, "deviation of the noise on training scores (scope monotonic)",
            at_least(0));
    v.field("projected", projected, "mixtures of regions (mechanism linformer)", between(1, 65536));
    v.section("hard", hard, "estimator of hard attention");
  }
};

struct DecoderConfig {
  DecoderKind type = DecoderKind::kLstm;
  std::int64_t hidden = 512;
  std::int64_t embedding = 512;
  double dropout = 0.5;
  std::int64_t init_hidden = 512;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the word decoder");
    v.field("hidden", hidden, "width of the recurrent state", between(1, 65536));
    v.field("embedding", embedding, "width of a word's embedding", between(1, 65536));
    v.field("dropout", dropout, "share of units dropped in training", between_open_end(0, 1));
    v.field("init_hidden", init_hidden, "hidden width of the networks that start the state",
            between(1, 65536));
  }
};

struct ObjectiveConfig {
  ObjectiveKind type = ObjectiveKind::kCrossEntropy;
  double doubly_stochastic = 1;
  SelfCriticalConfig self_critical;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the training loss");
    v.field("doubly_stochastic", doubly_stochastic,
            "weight of sum_i (1 - sum_t alpha_ti)^2 an image; 0 = off", at_least(0));
    v.section("self_critical", self_critical,
              "a second stage: captions are drawn and rewarded (Rennie et al. 2017)");
  }
};

struct OptimizerConfig {
  OptimizerKind type = OptimizerKind::kAdam;
  double lr = 4e-4;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double rho = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double clip_norm = 0;
  double clip_value = 0;
  ScheduleKind schedule = ScheduleKind::kConstant;
  std::int64_t warmup = 0;
  Stop decay_every = epochs(10);
  double decay_factor = 0.5;
  double final_lr = 0;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the optimizer");
    v.field("lr", lr, "learning rate", above(0));
    v.field("momentum", momentum, "momentum (sgd)", between_open_end(0, 1));
    v.field("beta1", beta1, "decay of the first moment (adam, adamw)", between_open_end(0, 1));
    v.field("beta2", beta2, "decay of the second moment (adam, adamw)", between_open_end(0, 1));
    v.field("rho", rho, "decay of the squared gradient (rmsprop)", between_open_end(0, 1));
    v.field("epsilon", epsilon, "added to the denominator (rmsprop, adam, adamw)", above(0));
    v.field("weight_decay", weight_decay, "L2 decay; decoupled for adamw", at_least(0));
    v.field("clip_norm", clip_norm, "largest norm of the whole gradient; 0 = off", at_least(0));
    v.field("clip_value", clip_value, "largest gradient element; 0 = off", at_least(0));
    v.field("schedule", schedule, "how the learning rate changes");
    v.field("warmup", warmup, "updates of linear rise at the start; 0 = none", at_least(0));
    v.field("decay_every", decay_every, "when the rate drops (step)");
    v.field("decay_factor", decay_factor, "what it is multiplied with (step)",
            {.min = 0, .max = 1, .min_open = true});
    v.field("final_lr", final_lr, "learning rate at the end (cosine)", at_least(0));
  }
};

struct EarlyStopConfig {
  std::string metric = "Bleu_4";
  std::int64_t patience = 0;

  template <class V>
  void fields(V& v) {
    v.field("metric", metric, "the validation metric that has to improve", not_empty());
    v.field("patience", patience, "validations without a better value; 0 = never stop early",
            at_least(0));
  }
};

struct TrainConfig {
  std::int64_t batch = 64;
  std::int64_t shard = 16;
  Stop stop = epochs(20);
  Stop validate_every = epochs(1);
  Stop checkpoint_every = epochs(1);
  std::int64_t keep = 2;
  std::string best_metric = "Bleu_4";
  std::int64_t validate_images = 0;
  std::int64_t prefetch = 4;
  std::int64_t bucket = 20;
  CaptionsPerEpoch captions = CaptionsPerEpoch::kAll;
  std::string init_from;
  EarlyStopConfig early_stop;

  template <class V>
  void fields(V& v) {
    v.field("batch", batch, "captions an update; images in self-critical training",
            between(1, 65536));
    v.field("shard", shard, "captions a shard, the unit of parallel work", between(1, 65536));
    v.field("stop", stop, "when training ends");
    v.field("validate_every", validate_every, "time between validations");
    v.field("checkpoint_every", checkpoint_every, "time between checkpoints");
    v.field("keep", keep, "latest checkpoints kept, besides the best", between(1, 10000));
    v.field("best_metric", best_metric, "the metric that chooses the best checkpoint", not_empty());
    v.field("validate_images", validate_images, "images a validation; 0 = all", at_least(0));
    v.field("prefetch", prefetch, "batches prepared ahead", between(1, 64));
    v.field("bucket", bucket,
            "batches' worth of captions sorted by length together; 1 = mixed lengths",
            between(1, 100000));
    v.field("captions", captions, "the captions of an epoch");
    v.field("init_from", init_from,
            "checkpoint or run whose weights are the first ones; empty = random ones");
    v.section("early_stop", early_stop, "ends a run that no longer improves");
  }
};

struct SearchConfig {
  SearchMode mode = SearchMode::kBeam;
  std::int64_t beam = 3;
  std::int64_t max_length = 20;
  double length_normalization = 0;
  double temperature = 1;

  template <class V>
  void fields(V& v) {
    v.field("mode", mode, "how captions are decoded");
    v.field("beam", beam, "hypotheses kept (beam)", between(1, 1000));
    v.field("max_length", max_length, "longest caption in words", between(1, 1000));
    v.field("length_normalization", length_normalization,
            "log p is divided by length^this; 0 = off", between(0, 10));
    v.field("temperature", temperature, "divides the logits (sample)",
            {.min = 0, .max = 1000, .min_open = true});
  }
};

struct CompareConfig {
  NamedArms arms;
  Axes axes;
  std::vector<std::int64_t> seeds = {1};

  template <class V>
  void fields(V& v) {
    v.field("arms", arms, "named sets of values to compare, each in every combination of the axes");
    v.field("axes", axes, "values to compare, all combinations");
    v.field("seeds", seeds, "seeds of each arm", {.min = 0, .not_empty = true});
  }
};

struct ExperimentConfig {
  std::string name = "experiment";
  std::int64_t seed = 1;
  std::int64_t threads = 0;
  DataConfig data;
  EncoderConfig encoder;
  AttentionConfig attention;
  DecoderConfig decoder;
  ObjectiveConfig objective;
  OptimizerConfig optimizer;
  TrainConfig train;
  SearchConfig search;
  CompareConfig compare;

  template <class V>
  void fields(V& v) {
    v.field("name", name, "name of the experiment", not_empty());
    v.field("seed", seed, "seed of everything random but the scenes", at_least(0));
    v.field("threads", threads, "worker threads; 0 = all cores; never changes a result",
            between(0, 1024));
    v.section("data", data, "images and captions");
    v.section("encoder", encoder, "from an image to a grid of features");
    v.section("attention", attention, "where the decoder looks");
    v.section("decoder", decoder, "from features to words");
    v.section("objective", objective, "what is minimised");
    v.section("optimizer", optimizer, "how it is minimised");
    v.section("train", train, "the training loop");
    v.section("search", search, "decoding of captions");
    v.section("compare", compare, "read by `saccade compare`");
  }
};

// Compiled once, in experiment_config.cpp.
extern template Section bind(ExperimentConfig& config);

using LoadedConfig = Loaded<ExperimentConfig>;

// The estimator with the profile's values where the user gave none. Throws UsageError when the
// profile is `custom` and a value is missing.
struct HardValues {
  Ramp lambda_r, lambda_e, expectation_share;
  double baseline_decay;
  BaselineKind baseline;
  CoinKind coin;
  RewardKind reward;
};
HardValues resolved(const HardConfig& config);

}  // namespace saccade
