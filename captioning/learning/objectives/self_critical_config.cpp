#include "captioning/learning/objectives/self_critical_config.h"

#include "core/config/fields.h"

namespace saccade {

void RewardConfig::fields(Section& v) {
  v.field("CIDEr_D", cider_d, "weight of CIDEr-D, which scores call CIDEr (0 to 10)", at_least(0));
  v.field("CIDEr", cider,
          "weight of plain CIDEr, without the clipping and the length penalty of CIDEr-D: not what "
          "scores call CIDEr, but CIDEr_plain (0 to 10)",
          at_least(0));
  v.field("Bleu_4", bleu_4, "weight of BLEU-4 of each caption by itself (0 to 1)", at_least(0));
  v.field("own", own,
          "weight of the reward that the program which trains computes (in Python: "
          "saccade.train(..., reward=))",
          at_least(0));
}

void SelfCriticalConfig::fields(Section& v) {
  v.field("start", start,
          "when it replaces the loss of the references: 10e, 5000u or 0u; null = never",
          at_least(0));
  v.field("lr", lr, "learning rate of this stage", above(0));
  v.field("final_lr", final_lr,
          "learning rate at the end of the run, reached on half a cosine; null = it stays the same",
          at_least(0));
  v.field("baseline", baseline, "what is subtracted from a caption's reward");
  v.field("samples", samples, "captions drawn for each of the train.batch images of an update",
          between(1, 1000));
  v.field("temperature", temperature,
          "temperature of the policy that is drawn from and learned; below 1, draws are nearer "
          "to the best caption",
          above(0));
  v.field("dropout", dropout,
          "dropout while drawn captions are learned; never while they are drawn");
  v.section("reward", reward, "weights of the metrics that a caption's reward is the sum of");
}

}  // namespace saccade
