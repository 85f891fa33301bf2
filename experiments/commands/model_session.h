// What evaluate, caption and overlay share: a model from a checkpoint, the pipeline that feeds it,
// and the options by which a person chooses both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/evaluation/caption_json.h"
#include "captioning/inputs.h"
#include "captioning/training/checkpoint_content.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "experiments/command.h"

namespace saccade {

struct ModelArgs {
  std::string checkpoint{};         // a file, or a run directory
  std::vector<std::string> set{};   // `search.beam=5`
  std::vector<std::string> data{};  // `images=/new/place`: the same below data
  std::optional<Index> beam{};
  std::string mode{};    // of the search; empty for the config's
  std::string regime{};  // empty for the default
};

// Declares checkpoint, --set, --data, --beam, --mode and --regime.
void add_model_options(Options& options, ModelArgs& args);

class ModelSession {
 public:
  // Throws CheckpointError, UsageError, and DataError where a frozen encoder's file is missing or
  // gives another grid than the one the model was trained on.
  explicit ModelSession(const ModelArgs& args);

  const ExperimentConfig& config() const { return loaded_.config; }
  const DataIdentity& data() const { return loaded_.data; }
  const Captioner& model() const { return *loaded_.model; }
  const InputPipeline& pipeline() const { return *pipeline_; }
  bool has_attention() const { return config().attention.score != ScoreKind::kNone; }

  // The search of the config in one regime: the named one, or the model's own.
  SearchOptions search(const std::string& regime) const;
  // The regimes of a name: `all` or nothing for those that suit the model. Throws UsageError.
  std::vector<Regime> regimes(const std::string& name) const;
  CaptionSource source(Regime regime) const;

 private:
  LoadedModel loaded_;
  std::optional<InputPipeline> pipeline_;
};

// The enumerator of a name a person gave; throws UsageError naming the option and all choices.
template <NamedEnum E>
E choice(const std::string& name, const std::string& option) {
  if (const auto value = enum_value<E>(name)) return *value;
  const std::vector<std::string> names = enum_all_names<E>();
  std::string all;
  for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
  throw UsageError(
      str(option, ": no '", name, "'", did_you_mean(name, names), "; choose from ", all));
}

}  // namespace saccade
