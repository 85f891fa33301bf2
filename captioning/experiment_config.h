// The config of an experiment: plain structs with defaults, whose fields are documented once. A
// value's meaning beyond its range is checked by the part that uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "captioning/data/data_config.h"
#include "captioning/decoders/decoder_config.h"
#include "captioning/maps/maps_config.h"
#include "captioning/objectives/objective_config.h"
#include "captioning/search/search_config.h"
#include "captioning/training/train_config.h"
#include "core/attention/attention_config.h"
#include "core/config/axes.h"
#include "core/config/config.h"
#include "core/config/named_arms.h"
#include "core/config/stop.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

struct CompareConfig {
  NamedArms arms;
  Axes axes;
  std::vector<std::int64_t> seeds = {1};
  std::string against;
  Axes tune;
  std::optional<Stop> tune_stop;

  template <class V>
  void fields(V& v) {
    v.field("arms", arms, "named sets of values to compare, each in every combination of the axes");
    v.field("axes", axes, "values to compare, in all combinations");
    v.field("seeds", seeds, "seeds of each arm", {.min = 0, .not_empty = true});
    v.field("against", against, "the arm that the others are tested against; empty = the first");
    v.field("tune", tune,
            "values to try for each arm first, in all combinations; the arm keeps those whose run "
            "validates best");
    v.field("tune_stop", tune_stop, "when a run of `tune` ends; null = as in the arms")
        .unless("compare.tune", "{}");
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
  MapsConfig maps;
  CompareConfig compare;

  // False where words do not choose among regions: there is then no map to evaluate or draw.
  bool has_attention() const { return decoder.attends() && attention.score != ScoreKind::kNone; }

  template <class V>
  void fields(V& v) {
    v.field("name", name, "name of the experiment", not_empty())
        .is(Trait::kMayChange)
        .is(Trait::kNoResult)
        .is(Trait::kAllArms);
    v.field("seed", seed, "seed of everything random except the scenes", at_least(0));
    v.field("threads", threads, "worker threads; 0 = all cores; never changes a result",
            between(0, 1024))
        .is(Trait::kMayChange)
        .is(Trait::kNoResult)
        .is(Trait::kAllArms);
    v.section("data", data, "images and captions").is(Trait::kInputs);
    v.section("encoder", encoder, "from an image to a grid of features");
    v.section("attention", attention, "how the decoder attends to the image")
        .only_with("decoder.image", ImageEntry::kAttention);
    v.section("decoder", decoder, "from features to words");
    v.section("objective", objective, "what is minimised");
    v.section("optimizer", optimizer, "how it is minimised");
    v.section("train", train, "the training loop");
    v.section("search", search, "decoding of captions").is(Trait::kMayChange);
    v.section("maps", maps, "which map is shown for a word").is(Trait::kMayChange);
    v.section("compare", compare, "read by `saccade compare`")
        .is(Trait::kMayChange)
        .is(Trait::kNoResult)
        .is(Trait::kAllArms);
  }
};

// Compiled once, in experiment_config.cpp.
extern template Section bind(ExperimentConfig& config);

using LoadedConfig = Loaded<ExperimentConfig>;

}  // namespace saccade
