#include "captioning/learning/config/experiment_config.h"

#include <algorithm>

#include "captioning/data/data_sets.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/config/fields.h"
#include "core/config/idle.h"
#include "core/config/traits.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {

namespace {

// The section `objective`, in which the supervision stands that the model knows, too.
struct ObjectiveSection {
  ObjectiveConfig& objective;
  SupervisionConfig& supervision;

  void fields(Section& v) { objective.fields(v, supervision); }
};

}  // namespace

void CompareConfig::fields(Section& v) {
  v.field("arms", arms, "named sets of values to compare, each in every combination of the axes");
  v.field("axes", axes, "values to compare, in all combinations");
  v.field("seeds", seeds, "seeds of each arm", {.min = 0, .not_empty = true});
  v.field("against", against, "the arm that the others are tested against; empty = the first");
  v.field("primary", primary,
          "the metric that is declared before the runs are seen, so that the verdict is corrected "
          "for no other; empty = all headlines");
  v.field("margins", margins,
          "differences that would not matter, as METRIC=VALUE; the verdict says whether arms are "
          "equal within them");
  v.field("tune", tune,
          "values to try for each arm first, in all combinations; the arm keeps those whose run "
          "validates best");
  v.field("tune_stop", tune_stop, "when a run of `tune` ends; null = as in the arms")
      .unless("compare.tune", "{}");
}

void ExperimentConfig::fields(Section& v) {
  v.field("name", name, "name of the experiment", not_empty())
      .is(Trait::kMayChange)
      .is(Trait::kNoResult)
      .is(Trait::kAllArms);
  v.field("seed", seed, "seed of everything random except the scenes", at_least(0));
  v.field("threads", threads,
          "worker threads; 0 = all cores, or what a CPU quota allows; never changes a result",
          between(0, 1024))
      .is(Trait::kMayChange)
      .is(Trait::kNoResult)
      .is(Trait::kAllArms);
  v.field("precision", precision, "what matrix products and convolutions multiply")
      .is(Trait::kInputs);
  v.section("data", data, "images and captions").is(Trait::kInputs);
  v.section("encoder", encoder, "from an image to a grid of features");
  v.section("attention", attention, "how the decoder attends to the image")
      .only_with("decoder.image", ImageEntry::kAttention, ImageEntry::kAttentionAndPooled);
  v.section("decoder", decoder, "from features to words");
  ObjectiveSection whole_objective{objective, supervision};
  v.section("objective", whole_objective, "what is minimised");
  v.section("optimizer", optimizer, "how it is minimised");
  v.section("train", train, "the training loop");
  v.section("search", search, "decoding of captions").is(Trait::kMayChange);
  v.retired("maps.step", "0");
  v.section("compare", compare, "read by `saccade compare`")
      .is(Trait::kMayChange)
      .is(Trait::kNoResult)
      .is(Trait::kAllArms);
}

bool starts_from_weights(const ExperimentConfig& config) {
  return !config.decoder.weights.empty() || !config.train.init_from.empty();
}

ImageFolders image_folders(const ExperimentConfig& config) {
  return encoder_registry().at(config.encoder.type).traits.reads_features ? ImageFolders::kMayLack
                                                                          : ImageFolders::kNeeded;
}

std::string deciding_changes(const ExperimentConfig& before, const ExperimentConfig& now) {
  const auto in_both = [&](const auto& paths_of) {
    const std::vector<std::string> first = paths_of(before), second = paths_of(now);
    return [=](const std::string& path) {
      return std::find(first.begin(), first.end(), path) != first.end() &&
             std::find(second.begin(), second.end(), path) != second.end();
    };
  };
  const auto unread = in_both([](const ExperimentConfig& one) { return unread_options(one); });
  const auto free =
      in_both([](const ExperimentConfig& one) { return paths_with(one, Trait::kMayChange); });
  std::string changes;
  for (const Difference& d : config_differences(before, now))
    if (!unread(d.path) && !free(d.path))
      changes += "\n  " + d.path + " was " + d.first + ", is " + d.second;
  for (const Difference& d : share_differences(before.data, now.data))
    changes += "\n  " + d.path + " was " + d.first + ", is " + d.second;
  return changes;
}

}  // namespace saccade
