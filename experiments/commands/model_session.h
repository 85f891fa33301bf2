// What evaluate, caption and overlay share: one or several models from checkpoints, the input
// pipelines that feed them, and the options that choose them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/model/decoding/ensemble.h"
#include "captioning/model/maps/caption_record.h"
#include "captioning/study/grounding/configured_boxes.h"
#include "captioning/study/inspection/model_heads.h"
#include "experiments/commands/command.h"

namespace saccade {

struct ModelArgs {
  std::string checkpoint{};  // a file, a run directory or a name; several with commas between them
  std::vector<std::string> set{};   // `search.beam=5`
  std::vector<std::string> data{};  // `images=/new/place`: keys below `data`
  std::optional<Index> beam{};
  std::string mode{};       // of the search; empty for the config's
  std::string regime{};     // empty for the default
  std::string must{};       // what captions have to say: "cat, rug"
  std::string must_from{};  // of evaluate: JSON of what captions of single images have to say
  std::string word_vectors{};
  std::string features{};  // a file or folder with the features of the pictures that are named
  bool name_objects = false;
  // Names of heads that the model does without (inspection/model_heads.h), some with commas.
  std::vector<std::string> without{};
};

// Whether --regime names one regime, or may also be all, which is then its default.
enum class RegimeNames { kOne, kOneOrAll };

// Declares checkpoint, --set, --data, --beam, --mode, --must, --word-vectors, --regime and
// --without.
void add_model_options(Options& options, ModelArgs& args, RegimeNames regimes = RegimeNames::kOne);

// Declares --features, of commands that caption pictures which are named.
void add_features_option(Options& options, ModelArgs& args);

class ModelSession {
 public:
  // Throws CheckpointError, UsageError, and DataError where a frozen encoder's file is missing or
  // gives another grid than the one the model was trained on.
  explicit ModelSession(const ModelArgs& args);

  // One model, or the members of an ensemble, each with the name by which it was given.
  const std::vector<LoadedModel>& members() const { return members_; }
  const Ensemble& models() const { return *models_; }

  // Those of the first member, whose data set all members use.
  const ExperimentConfig& config() const { return members_[0].config; }
  const DataIdentity& data() const { return members_[0].data; }
  const CaptionModel& model() const { return *members_[0].model; }
  const InputPipeline& pipeline() const { return *members_[0].pipeline; }
  // Whether --data or --set named the boxes of this key and path.
  bool names_boxes(const std::string& key) const;
  // Throws UsageError where there are several members; `what` needs a single one.
  void require_one(const std::string& what) const;

  // The heads of --without, each by its whole name. Throws UsageError for an ensemble, and for
  // names of no heads or of heads that cannot be removed.
  std::vector<std::string> heads_without() const;
  // Makes the model do without them from now on.
  void remove_heads();

  // The search of the config in one regime: the named one or, where the name is empty, the models'
  // own. Throws UsageError where its values do not go together.
  SearchOptions search(const std::string& regime) const;
  // The regime of a name; for `all` or an empty name all regimes that every member has. Throws
  // UsageError on a name that is not among them.
  std::vector<Regime> regimes(const std::string& name) const;
  CaptionSource source(Regime regime) const;

 private:
  void read_features();
  std::vector<HeadName> named_heads() const;

  std::vector<LoadedModel> members_;
  std::vector<std::string> without_;  // as they were given
  std::vector<std::string> given_;    // the values that --data and --set gave, KEY=VALUE
  bool named_objects_ = false;        // whether --name-objects was given
  std::optional<Ensemble> models_;
};

// The data set of the first model's config. Where its files are missing, the error says how to name
// other places, since nobody can edit the config of a checkpoint.
LoadedData load_data(const ModelSession& session);

// Which boxes the user of a session named. The session must outlive it.
IsNamed named_in(const ModelSession& session);

// Refuses what is given with --set and --data and changes nothing where a trained model captions
// pictures that are named: values that only training or the reading of a data set takes.
void refuse_without_effect(const ModelArgs& args);

// Refuses values of --set that only training reads, where a trained model is measured on a data
// set.
void refuse_training_values(const ModelArgs& args);

// "B was trained on another data set: scenes" or "B was trained on another version of the data set
// scenes"; empty where it was trained on the data of this name and digest.
std::string data_remark(const std::string& model, const DataIdentity& trained,
                        const std::string& name, const std::string& digest);

}  // namespace saccade
