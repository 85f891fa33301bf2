// The config of an experiment: plain structs with defaults, whose fields are documented once. A
// value's meaning beyond its range is checked by the part that uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "captioning/config/train_config.h"
#include "captioning/data/data_config.h"
#include "captioning/decoders/decoder_config.h"
#include "captioning/objectives/objective_config.h"
#include "captioning/search/search_config.h"
#include "core/attention/attention_config.h"
#include "core/config/axes.h"
#include "core/config/named_values.h"
#include "core/config/stop.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

class Section;
template <class T>
struct Loaded;  // core/config/config.h

struct CompareConfig {
  NamedValuesList arms;
  Axes axes;
  std::vector<std::int64_t> seeds = {1};
  std::string against, primary;
  std::vector<std::string> margins;  // "CIDEr=0.02"
  Axes tune;
  std::optional<Stop> tune_stop;

  void fields(Section& v);
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

  // False where words do not choose among regions: there is then no map to evaluate or draw.
  bool has_attention() const;

  void fields(Section& v);
};

using LoadedConfig = Loaded<ExperimentConfig>;

}  // namespace saccade
