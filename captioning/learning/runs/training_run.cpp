#include "captioning/learning/runs/training_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "captioning/learning/config/learning_rates.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/training/attention_targets.h"
#include "captioning/learning/training/choosing_metric.h"
#include "captioning/learning/training/cost_ahead.h"
#include "captioning/learning/training/run_data.h"
#include "captioning/learning/training/word_labels.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/study/evaluation/dead_signs.h"
#include "captioning/study/evaluation/map_watch.h"
#include "captioning/study/grounding/configured_boxes.h"
#include "captioning/study/grounding/noun_boxes.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "core/parallel/ranks/ranks.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// The boxes of scenes, or those of the training photos that data.boxes names; none where the config
// asks for no supervision by boxes. All arguments must outlive this object.
class BoxTargets {
 public:
  // The listener receives the number of nouns that have boxes. Throws UsageError where the config
  // needs boxes and names none, and what read_photo_boxes throws.
  BoxTargets(const ExperimentConfig& config, const RunData& data, const TrainingSet& set,
             const GridSize& grid, const MessageListener& listener);

  const AttentionTargets* get() const { return targets_ ? &*targets_ : nullptr; }

 private:
  std::unique_ptr<PhotoBoxes> photos_;
  std::optional<AttentionTargets> targets_;
};

BoxTargets::BoxTargets(const ExperimentConfig& config, const RunData& data, const TrainingSet& set,
                       const GridSize& grid, const MessageListener& listener) {
  if (config.supervision.boxes == 0) return;
  const LoadedData& loaded = data.loaded();
  NounSource source{.scenes = loaded.scenes ? &*loaded.scenes : nullptr, .photos = nullptr};
  if (!loaded.scenes) {
    photos_ = needed_boxes(config.data, loaded, images_of(loaded.dataset, Split::kTrain));
    if (!photos_)
      throw UsageError(
          str("objective.supervision.boxes needs boxes of the training photos; name their file in ",
              loaded.sets.empty() ? "data.boxes" : "data.sets.NAME.boxes of a data set",
              ", or set objective.supervision.boxes to 0"));
    source.photos = photos_.get();
  }
  targets_.emplace(set, data.inputs(), source, grid);
  inform(listener,
         str("attention is supervised with the boxes of ", targets_->nouns(), " nouns of ",
             targets_->images(), " training images (", source.description(), ")"));
}

EvaluationRequest validation_request(const TrainingRequest& request, const Vocabulary& vocabulary) {
  const ExperimentConfig& config = *request.config;
  return {.split = request.validation,
          .most_images = config.train.validate_images,
          .search = search_options(config, config.search, vocabulary),
          .regimes = {evaluation_regimes(config).front()},
          .extent = Extent::kCaptions,
          .meteor = request.meteor};
}

bool watches_maps(const ExperimentConfig& config) {
  return config.train.watch_maps && config.has_attention();
}

MapWatchRequest watch_request(const TrainingRequest& request, const Vocabulary& vocabulary) {
  return {.images = request.config->train.watch_images,
          .search = search_options(*request.config, request.config->search, vocabulary),
          .boxes = request.data->boxes()};
}

void check_own_reward(const SelfCriticalConfig& config, bool given) {
  if (config.start && config.reward.own > 0 && !given)
    throw UsageError(
        "objective.self_critical.reward.own weighs a reward that the program which trains "
        "computes, "
        "and this one has none; give it (in Python: saccade.train(..., reward=)), or set the "
        "weight "
        "to 0");
}

// Checks before training, and not only at the first validation, that validations of this run will
// measure the metrics by which it chooses and stops.
void check_metrics(const TrainingRequest& request, const CaptionModel& model) {
  const ExperimentConfig& config = *request.config;
  check_choosing_metrics(config.train);
  EvaluationRequest trial = validation_request(request, model.vocabulary());
  trial.most_images = 1;
  trial.search.mode = SearchMode::kGreedy;
  trial.search.max_length = 2;
  trial.search.rules = {};
  const Metrics found =
      first_scores(evaluate(model, request.data->loaded(), request.data->inputs(), trial));
  std::vector<std::string> known;
  for (const auto& [name, value] : found) known.push_back(name);
  // The trial's short caption may name no object, and then nothing of its nouns is measured.
  // Whether a region is taken for a noun, only the trial can tell.
  if (request.data->loaded().scenes && config.has_attention())
    for (const MetricInfo& info : all_metrics())
      if (info.group == MetricGroup::kGrounding &&
          (info.measured_by & kMeasuredByValidation) != 0 && info.name != kPointingChosenAccuracy &&
          info.name != kAlignmentAccuracy)
        known.push_back(info.name);
  if (request.data->loaded().sequences && config.has_attention())
    known.emplace_back(kAlignmentAccuracy);
  if (watches_maps(config)) {
    const LoadedData& loaded = request.data->loaded();
    const NounSource source{.scenes = loaded.scenes ? &*loaded.scenes : nullptr,
                            .photos = request.data->boxes()};
    for (std::string& name : watched_names(watch_request(request, model.vocabulary()), source))
      known.push_back(std::move(name));
  }
  const auto check = [&](const char* key, const std::string& chosen) {
    if (std::find(known.begin(), known.end(), chosen) != known.end()) return;
    std::string all;
    for (const std::string& name : in_table_order(known))
      if (metric(name).better != Better::kNeither) all += (all.empty() ? "" : ", ") + name;
    throw UsageError(
        str(key, ": validations of this run do not measure ", chosen, "; it can choose by ", all));
  };
  check("train.best_metric", config.train.best_metric);
  check("train.early_stop.metric", config.train.early_stop.metric);
}

// The numbers of a validation, and what its maps show.
struct Validated {
  Metrics metrics;
  std::optional<MapWatch> watch;  // where the run watches its maps
};

Validated validate(const TrainingRequest& request, const RunStart& start, const CaptionModel& model,
                   Index update) {
  const auto show = [&](Index done, Index total) {
    request.observer->on_work("validating", done, total);
  };
  EvaluationRequest validation = validation_request(request, model.vocabulary());
  validation.progress = show;
  const LoadedData& loaded = request.data->loaded();
  const DatasetInputs& inputs = request.data->inputs();
  const EvaluationReport report = evaluate(model, loaded, inputs, validation);
  request.observer->on_captions(start, model, report, update);
  Validated out{.metrics = first_scores(report), .watch = {}};
  if (watches_maps(*request.config)) {
    MapWatchRequest watch = watch_request(request, model.vocabulary());
    watch.progress = show;
    out.watch = watch_maps(model, loaded, inputs, report, watch);
    for (const auto& [name, value] : out.watch->scores()) out.metrics[name] = value;
  }
  // A metric that cannot be measured, because no caption has a noun or no word has a map, gets the
  // worst value.
  for (const std::string& chosen :
       {request.config->train.best_metric, request.config->train.early_stop.metric})
    out.metrics.try_emplace(chosen, unmeasured_value(chosen));
  return out;
}

// Warns of signs of dying attention.
class DyingWatch {
 public:
  // Warns of each sign once (once more after a resume), where the validation before showed it, too:
  // of many validations, one is low by chance. The first validation does not count: a model that
  // has hardly begun to learn shows the same signs.
  void warn_of(const MapWatch& watch, Index update, const MessageListener& listener) {
    std::set<DeadKind> shown;
    for (const DeadSign& sign : warning_signs(watch.attention)) {
      shown.insert(sign.kind);
      if (!before_.contains(sign.kind) || !warned_.insert(sign.kind).second) continue;
      const std::string where =
          sign.kind == DeadKind::kNeedless ? str(" (measured on ", watch.images, " images)") : "";
      warn(listener, str("attention is dying at update ", update, ": ", sign.text, where));
    }
    before_ = std::move(shown);
  }

 private:
  std::set<DeadKind> before_, warned_;
};

// Lets a finished run continue where its end was moved.
void reopen_if_longer(const Archive& archive, const ExperimentConfig& config,
                      TrainingState& state) {
  const ExperimentConfig before = stored_config(archive, config.attention.registry);
  const bool same = before.train.stop == config.train.stop &&
                    before.train.early_stop.patience == config.train.early_stop.patience &&
                    before.train.early_stop.metric == config.train.early_stop.metric;
  if (!same) state.finished = false;
}

fs::path best_link(const RunDirectory& directory, const std::string& metric) {
  const fs::path link = checkpoint_folder(directory.path()) / ("best-" + metric);
  std::error_code error;
  return fs::exists(link, error) ? link : fs::path();
}

// Points the link best-<metric> to the newest checkpoint where a kill, between saving that
// checkpoint and pointing to it, left the link at an older one.
void mend_best_link(RunDirectory& directory, const ExperimentConfig& config,
                    const TrainingState& state, const fs::path& newest) {
  const std::string& metric = config.train.best_metric;
  const fs::path link = best_link(directory, metric);
  const auto best = state.best.find(metric);
  if (link.empty() || best == state.best.end()) return;
  const std::map<std::string, double> linked =
      load_model(link, {}, config.attention.registry).state.best;
  if (linked.contains(metric) && linked.at(metric) != best->second)
    directory.mark_best(metric, newest);
}

// The newest checkpoint of a run. Over ranks, all read the one that the first rank finds.
std::optional<Archive> newest_checkpoint(const RunDirectory* directory,
                                         const MessageListener& listener) {
  std::optional<Archive> archive;
  if (directory) archive = directory->newest_checkpoint(listener);
  const std::string path = parallel::of_first_rank(archive ? archive->source() : "");
  if (!archive && !path.empty()) archive = load_archive(path);
  return archive;
}

}  // namespace

void check_ranks(const ExperimentConfig& config) {
  const parallel::Ranks* const ranks = parallel::ranks();
  const Index groups = config.train.gradient_groups;
  if (ranks && groups % ranks->count() != 0)
    throw UsageError(
        str("train.gradient_groups of the run is ", groups, ", which ", ranks->count(),
            " ranks cannot share; start one process, or 2, 4, ... ranks, at most so many"));
}

TrainingResult run_training(const TrainingRequest& request) {
  check_own_reward(request.config->objective.self_critical, static_cast<bool>(request.reward));
  const RunData& data = *request.data;
  ExperimentConfig config = with_source_words(*request.config, data.loaded());
  if (data.pipeline().reads_features())
    config.encoder.graph = data.pipeline().features().form().text();
  RunDirectory* const directory = request.directory;
  RunObserver& observer = *request.observer;
  const MessageListener listener = [&](Severity severity, const std::string& text) {
    observer.on_message(severity, text);
  };
  const Dataset& dataset = data.loaded().dataset;
  const FrozenEncoder* frozen = data.pipeline().frozen();
  const Meteor meteor(request.meteor);
  const DataIdentity identity{.name = dataset.name,
                              .digest = dataset.digest,
                              .encoder = frozen ? frozen->digest() : "",
                              .paraphrases = meteor.paraphrases()};
  const GridShape frozen_grid = data.pipeline().frozen_grid();

  const TrainingSet set(data.loaded(), config.data, data.vocabulary(), data.inputs().bad_images());
  CaptionModel model(config, data.vocabulary(), frozen_grid);
  set_learning_rates(config, model.parameters());
  check_metrics(request, model);
  std::optional<Archive> archive;
  if (request.resume) archive = newest_checkpoint(directory, listener);
  if (archive && keep_groups(*archive, config))
    listener(Severity::kInfo, str("train.gradient_groups is ", config.train.gradient_groups,
                                  ", as at the beginning of the run"));
  check_ranks(config);

  const BoxTargets boxes(config, data, set, model.grid(), listener);
  RunStart start{.config = &config,
                 .data = &data,
                 .model = &model,
                 .directory = directory ? directory->path() : fs::path(),
                 .meteor_tables = meteor.tables(),
                 .restarted = request.resume && !archive && directory && directory->has_run()};
  fs::path last;
  DyingWatch dying;
  Trainer trainer(
      {.config = &config,
       .set = &set,
       .inputs = &data.inputs(),
       .targets = boxes.get(),
       .model = &model,
       .observer = &observer,
       .validate =
           [&](const CaptionModel& captioner) {
             const TrainingState& state = trainer.state();
             Validated validated = validate(request, start, captioner, state.update);
             if (validated.watch && !state.best.empty())
               dying.warn_of(*validated.watch, state.update, listener);
             return std::move(validated.metrics);
           },
       .save =
           [&](const Optimizer& optimizer, const TrainingState& state) {
             std::string path;
             if (directory) {
               const Archive checkpoint =
                   checkpoint_archive(config, model, frozen_grid, identity, optimizer, state);
               path =
                   directory->save_checkpoint(checkpoint, state.update, config.train.keep).string();
             }
             last = parallel::of_first_rank(path);
             return last;
           },
       .mark_best =
           [&](const std::string& metric, const fs::path& checkpoint) {
             if (directory) directory->mark_best(metric, checkpoint);
           },
       .reward = request.reward});
  if (archive) {
    restore_run(*archive, config, identity, model, trainer);
    reopen_if_longer(*archive, config, trainer.state());
    last = archive->source();
    if (directory) {
      mend_best_link(*directory, config, trainer.state(), last);
      directory->mark_last(last, config.train.keep);
    }
    start.resumed_update = trainer.state().update;
    start.checkpoint = last;
    start.finished = trainer.state().finished;
  } else {
    if (model.encoder() != nullptr && !config.encoder.weights.empty())
      start_encoder(config.encoder, model, listener);
    start_embedding(config, set, model, listener);
    if (model.localizer())
      model.localizer()->set_shares(model.parameters(),
                                    word_shares(set, model.vocabulary().size()));
    start.weights = take_first_weights(config, identity, model, request.models, listener);
  }
  start.warnings = length_warnings(set, config.data, config.search);
  if (std::string cost = refinement_cost(config, model.grid()); !cost.empty())
    start.warnings.push_back(std::move(cost));
  observer.on_start(start);
  if (directory) directory->write_text("config.yaml", print_config(config));
  TrainingResult result;
  try {
    result.reason = trainer.run(request.stop);
  } catch (const DivergedError& error) {
    observer.on_diverged(error.what());
    throw DivergedError(std::string(error.what()) +
                        (last.empty() ? "; there is no checkpoint yet"
                                      : "; the last good checkpoint is " + last.string()));
  }
  result.state = trainer.state();
  result.parameters = model.parameters().number_count();
  result.last = last;
  result.signal = trainer.signal();
  if (directory) result.best = best_link(*directory, config.train.best_metric);
  observer.on_end(result);
  return result;
}

}  // namespace saccade
