#include "captioning/learning/config/train_config.h"

#include "core/config/fields.h"

namespace saccade {

void EarlyStopConfig::fields(Section& v) {
  v.field("metric", metric, "the validation metric that must improve", not_empty())
      .unless("train.early_stop.patience", "0");
  v.field("patience", patience,
          "validations without a better value before training stops; 0 = never stop early",
          at_least(0));
}

void TrainConfig::fields(Section& v) {
  v.field("batch", batch,
          "captions per update; images per update in self-critical training; with train.captions "
          "whole_images, the nearest number of whole images",
          between(1, 65536));
  v.field("shard", shard,
          "captions per shard, the unit of parallel work; with whole_images about as many",
          between(1, 65536));
  v.field("gradient_groups", gradient_groups,
          "groups of shards whose gradients are added up in a fixed tree; a power of two, and the "
          "largest number of ranks (mpirun) that can share a batch; a resumed run keeps its own",
          between(1, 1024))
      .is(Trait::kMayChange);
  v.field("stop", stop, "when training ends")
      // A cosine is drawn over the whole run: with another end, updates past and to come do not
      // fit. One that ends where self-critical training starts does not mind.
      .is(Trait::kMayChange, unless("optimizer.schedule", ScheduleKind::kCosine)
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
      .only_with("decoder.image", "attention", "attention_and_pooled")
      .is(Trait::kMayChange);
  v.field("watch_images", watch_images,
          "number of images that a validation captions again with shuffled maps, and whose "
          "references are grounded where boxes are known; 0 = none",
          between(0, 1e7))
      .unless("attention.score", "none")
      .only_with("decoder.image", "attention", "attention_and_pooled")
      .only_with("train.watch_maps", "true")
      .is(Trait::kMayChange);
  v.field("prefetch", prefetch, "number of batches that are prepared ahead", between(1, 64))
      .is(Trait::kMayChange);
  v.field("bucket", bucket,
          "number of batches whose captions are sorted by length together; 1 = mixed lengths",
          between(1, 100000));
  v.field("captions", captions, "the captions of an epoch");
  v.field("init_from", init_from,
          "checkpoint, directory of a run, name of a model, or folder of a published captioner, "
          "whose weights a new run starts with; its shapes must be those of the new run (saccade "
          "new --from writes such a "
          "config), except that words that it does not know start anew, and that its encoder may "
          "be the same network, frozen; a frozen encoder without a file takes the network that "
          "the checkpoint holds; optimizer and updates start anew; empty = pretrained weights "
          "where encoder.weights or encoder.model has some, and random ones for the rest")
      .is(Trait::kFile);
  v.section("early_stop", early_stop, "ends a run that no longer improves").is(Trait::kMayChange);
}

}  // namespace saccade
