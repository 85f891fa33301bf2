// The section `train`: the training loop.
#pragma once

#include <cstdint>
#include <string>

#include "captioning/data/captions_per_epoch.h"
#include "core/config/stop.h"
#include "core/optim/optimizer_config.h"

namespace saccade {

class Section;

struct EarlyStopConfig {
  std::string metric = "Bleu_4";
  std::int64_t patience = 0;

  void fields(Section& v);
};

struct TrainConfig {
  std::int64_t batch = 64;
  std::int64_t shard = 16;
  std::int64_t gradient_groups = 8;
  Stop stop = epochs(20);
  Stop validate_every = epochs(1);
  Stop checkpoint_every = epochs(1);
  std::int64_t keep = 2;
  std::string best_metric = "Bleu_4";
  std::int64_t validate_images = 0;
  bool watch_maps = true;
  std::int64_t watch_images = 100;
  std::int64_t prefetch = 4;
  std::int64_t bucket = 20;
  CaptionsPerEpoch captions = CaptionsPerEpoch::kAll;
  std::string init_from;
  EarlyStopConfig early_stop;

  void fields(Section& v);
};

}  // namespace saccade
