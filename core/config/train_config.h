// The sections `optimizer` and `train`: how the objective is minimised.
#pragma once

#include <cstdint>
#include <string>

#include "core/config/choices.h"
#include "core/config/constraint.h"
#include "core/config/fields.h"
#include "core/config/rate_groups.h"
#include "core/config/stop.h"

namespace saccade {

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
  double ema = 0;
  ScheduleKind schedule = ScheduleKind::kConstant;
  std::int64_t warmup = 0;
  Stop decay_every = epochs(10);
  double decay_factor = 0.5;
  double final_lr = 0;
  RateGroups groups = {};

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the optimizer");
    v.field("lr", lr, "learning rate", above(0));
    v.field("groups", groups,
            "factors of the learning rate by prefix of the parameters' names, such as "
            "{decoder.attention: 5}; the longest prefix of a name counts",
            between(0, 1e6));
    v.field("momentum", momentum, "share of the last step that goes into the next",
            between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kSgd);
    v.field("beta1", beta1, "decay of the first moment", between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kAdam, OptimizerKind::kAdamw);
    v.field("beta2", beta2, "decay of the second moment", between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kAdam, OptimizerKind::kAdamw);
    v.field("rho", rho, "decay of the squared gradient", between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kRmsprop);
    v.field("epsilon", epsilon, "added to the denominator", above(0))
        .unless("optimizer.type", OptimizerKind::kSgd);
    v.field("weight_decay", weight_decay, "L2 decay; decoupled for adamw", at_least(0));
    v.field("clip_norm", clip_norm, "largest norm of the whole gradient; 0 = off", at_least(0));
    v.field("clip_value", clip_value, "largest gradient element; 0 = off", at_least(0));
    v.field("ema", ema,
            "decay of the moving average of the weights; this average is validated, saved as the "
            "best model and used for captions; 0 = none",
            between_open_end(0, 1));
    v.field("schedule", schedule, "how the learning rate changes");
    v.field("warmup", warmup, "updates of linear rise at the start; 0 = none", at_least(0));
    v.field("decay_every", decay_every, "amount of training between drops of the learning rate")
        .only_with("optimizer.schedule", ScheduleKind::kStep);
    v.field("decay_factor", decay_factor, "factor of the learning rate at each drop",
            {.min = 0, .max = 1, .min_open = true})
        .only_with("optimizer.schedule", ScheduleKind::kStep);
    v.field("final_lr", final_lr, "learning rate at the end", at_least(0))
        .only_with("optimizer.schedule", ScheduleKind::kCosine, ScheduleKind::kWarmupCosine);
  }
};

struct EarlyStopConfig {
  std::string metric = "Bleu_4";
  std::int64_t patience = 0;

  template <class V>
  void fields(V& v) {
    v.field("metric", metric, "the validation metric that must improve", not_empty())
        .unless("train.early_stop.patience", "0");
    v.field("patience", patience,
            "validations without a better value before training stops; 0 = never stop early",
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
  bool watch_maps = true;
  std::int64_t watch_images = 100;
  std::int64_t prefetch = 4;
  std::int64_t bucket = 20;
  CaptionsPerEpoch captions = CaptionsPerEpoch::kAll;
  std::string init_from;
  EarlyStopConfig early_stop;

  template <class V>
  void fields(V& v) {
    v.field("batch", batch,
            "captions per update; images per update in self-critical training; with train.captions "
            "whole_images, the nearest number of whole images",
            between(1, 65536));
    v.field("shard", shard,
            "captions per shard, the unit of parallel work; with whole_images about as many",
            between(1, 65536));
    v.field("stop", stop, "when training ends")
        // A cosine is drawn over the whole run: with another end, updates past and to come do not
        // fit. One that ends where self-critical training starts does not mind.
        .is(Trait::kMayChange,
            unless("optimizer.schedule", ScheduleKind::kCosine, ScheduleKind::kWarmupCosine)
                .or_unless("objective.self_critical.start", "null"));
    v.field("validate_every", validate_every, "time between validations");
    v.field("checkpoint_every", checkpoint_every, "time between checkpoints").is(Trait::kMayChange);
    v.field("keep", keep, "latest checkpoints kept, besides the best", between(1, 10000))
        .is(Trait::kMayChange);
    v.field("best_metric", best_metric, "the metric that chooses the best checkpoint", not_empty());
    v.field("validate_images", validate_images, "images per validation; 0 = all", at_least(0));
    v.field("watch_maps", watch_maps,
            "validations also judge the maps, and training warns where attention is dying")
        .unless("attention.score", "none")
        .only_with("decoder.image", "attention")
        .is(Trait::kMayChange);
    v.field("watch_images", watch_images,
            "number of images that a validation captions again with shuffled maps, and whose "
            "references are grounded where boxes are known; 0 = none",
            between(0, 1e7))
        .unless("attention.score", "none")
        .only_with("decoder.image", "attention")
        .only_with("train.watch_maps", "true")
        .is(Trait::kMayChange);
    v.field("prefetch", prefetch, "number of batches that are prepared ahead", between(1, 64))
        .is(Trait::kMayChange);
    v.field("bucket", bucket,
            "number of batches whose captions are sorted by length together; 1 = mixed lengths",
            between(1, 100000));
    v.field("captions", captions, "the captions of an epoch");
    v.field(
         "init_from", init_from,
         "checkpoint, or directory of a run, whose weights a new run starts with; its vocabulary "
         "and shapes must be those of the new run, except that its encoder may be the same "
         "network, frozen; optimizer and updates start anew; empty = pretrained weights where "
         "encoder.weights or encoder.model has some, and random ones for the rest")
        .is(Trait::kFile);
    v.section("early_stop", early_stop, "ends a run that no longer improves").is(Trait::kMayChange);
  }
};

}  // namespace saccade
