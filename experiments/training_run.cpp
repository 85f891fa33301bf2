#include "experiments/training_run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "captioning/evaluation/dead_signs.h"
#include "captioning/evaluation/evaluate.h"
#include "captioning/evaluation/map_watch.h"
#include "captioning/training/checkpoint_content.h"
#include "captioning/training/first_weights.h"
#include "captioning/training/word_labels.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/io/checkpoint.h"
#include "experiments/box_targets.h"
#include "experiments/configured_boxes.h"
#include "experiments/manifest.h"
#include "experiments/progress.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

// The images of the splits that the request names, in the order of the data set.
std::vector<Index> wanted_images(const LoadedData& loaded, const RunData::Request& request) {
  std::vector<Index> needed;
  const auto add = [&](Split split, Index most) {
    const std::vector<Index> images = evaluation_images(loaded.dataset, split, most);
    needed.insert(needed.end(), images.begin(), images.end());
  };
  for (const Split split : request.splits)
    add(split, split == Split::kVal ? request.most_images : 0);
  if (request.evaluated_split) add(loaded.default_split(), 0);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

// Those and the training images.
std::vector<Index> needed_images(const LoadedData& loaded, const RunData::Request& request) {
  std::vector<Index> needed = wanted_images(loaded, request);
  const std::vector<Index> train = images_of(loaded.dataset, Split::kTrain);
  needed.insert(needed.end(), train.begin(), train.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

std::unique_ptr<DatasetInputs> load_inputs(const LoadedData& loaded, const InputPipeline& pipeline,
                                           const ExperimentConfig& config,
                                           const RunData::Request& request,
                                           const StopSignal& signal) {
  Progress bar(pipeline.frozen() ? "computing features" : "reading images");
  const auto progress = [&](Index done, Index total) {
    signal.check();
    bar.show(static_cast<double>(done) / static_cast<double>(std::max<Index>(total, 1)),
             std::to_string(done) + " of " + std::to_string(total) + " images");
  };
  return std::make_unique<DatasetInputs>(loaded, pipeline, config.encoder, progress,
                                         needed_images(loaded, request), Views::kOfTraining);
}

EvaluationRequest validation_request(const TrainingRequest& request, const Vocabulary& vocabulary) {
  const ExperimentConfig& config = *request.config;
  return {.split = request.validation,
          .most_images = config.train.validate_images,
          .search = search_options(config, vocabulary),
          .regimes = {evaluation_regimes(config).front()},
          .extent = Extent::kCaptions};
}

bool watches_maps(const ExperimentConfig& config) {
  return config.train.watch_maps && config.has_attention();
}

MapWatchRequest watch_request(const TrainingRequest& request, const Vocabulary& vocabulary) {
  return {.images = request.config->train.watch_images,
          .search = search_options(*request.config, vocabulary),
          .boxes = request.data->boxes()};
}

// Checks before training that the metrics exist by which the run chooses and stops, and not only at
// the first validation.
void check_metrics(const TrainingRequest& request, const CaptionModel& model) {
  const ExperimentConfig& config = *request.config;
  EvaluationRequest trial = validation_request(request, model.vocabulary());
  trial.most_images = 1;
  trial.search.mode = SearchMode::kGreedy;
  trial.search.max_length = 2;
  trial.search.rules = {};
  const Metrics found =
      first_scores(evaluate(model, request.data->loaded(), request.data->inputs(), trial));
  std::vector<std::string> known;
  for (const auto& [name, value] : found) known.push_back(name);
  // The trial's short caption may name no object, and then has no pointing accuracy.
  if (request.data->loaded().scenes && config.has_attention())
    for (const char* name : {"pointing_accuracy", "pointing_centre_accuracy"})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
  if (watches_maps(config)) {
    const LoadedData& loaded = request.data->loaded();
    const NounSource source{.scenes = loaded.scenes ? &*loaded.scenes : nullptr,
                            .photos = request.data->boxes()};
    for (std::string& name : watched_names(watch_request(request, model.vocabulary()), source))
      known.push_back(std::move(name));
  }
  const auto check = [&](const char* key, const std::string& metric) {
    if (std::find(known.begin(), known.end(), metric) != known.end()) return;
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    throw UsageError(std::string(key) + ": there is no metric '" + metric + "'" +
                     did_you_mean(metric, known) + "; the metrics of this run are " + all);
  };
  check("train.best_metric", config.train.best_metric);
  check("train.early_stop.metric", config.train.early_stop.metric);
}

// Adds to TensorBoard what a validation shows besides its numbers.
void show_maps(const TrainingRequest& request, const CaptionModel& model,
               const EvaluationReport& report, Index update, TensorBoardLog& tensorboard) {
  constexpr std::size_t kSheets = 2;
  constexpr Index kPanelWidth = 160;  // small, because every validation adds its sheets
  tensorboard.add_attention(update, report.regimes.front().captions);
  ModelSheets sheets(request.data->loaded(), report.images, kSheets);
  sheets.add(str("update ", update), model, request.data->inputs(), report);
  tensorboard.add_sheets(update, sheets.draw({.panel_width = kPanelWidth}));
}

// The numbers of a validation, and what its maps show.
struct Validated {
  Metrics metrics;
  std::optional<MapWatch> watch;  // where the run watches its maps
};

Validated validate(const TrainingRequest& request, const CaptionModel& model, Index update,
                   TensorBoardLog& tensorboard) {
  Progress progress(request.label + ", validating");
  const auto show = [&](Index done, Index total) {
    progress.show(static_cast<double>(done) / static_cast<double>(total),
                  std::to_string(done) + " of " + std::to_string(total) + " images");
  };
  EvaluationRequest validation = validation_request(request, model.vocabulary());
  validation.progress = show;
  const LoadedData& loaded = request.data->loaded();
  const DatasetInputs& inputs = request.data->inputs();
  const EvaluationReport report = evaluate(model, loaded, inputs, validation);
  if (model.has_attention()) show_maps(request, model, report, update, tensorboard);
  Validated out{.metrics = first_scores(report), .watch = {}};
  if (watches_maps(*request.config)) {
    MapWatchRequest watch = watch_request(request, model.vocabulary());
    watch.progress = show;
    out.watch = watch_maps(model, loaded, inputs, report, watch);
    for (const auto& [name, value] : out.watch->scores()) out.metrics[name] = value;
  }
  // A metric that cannot be measured, because no caption has a noun or no word has a map, gets the
  // worst value.
  for (const std::string& metric :
       {request.config->train.best_metric, request.config->train.early_stop.metric})
    out.metrics.try_emplace(metric, higher_is_better(metric) ? 0.0 : 1.0);
  return out;
}

// Warns of each sign of dying attention once (once more after a resume), with a remedy. The first
// validation does not count: a model that has hardly begun to learn shows the same signs.
void warn_of_dying(const MapWatch& watch, const ExperimentConfig& config, Index update,
                   std::set<DeadKind>& warned) {
  for (const DeadSign& sign : dead_signs(watch.attention)) {
    if (!warned.insert(sign.kind).second) continue;
    const std::string where =
        sign.kind == DeadKind::kNeedless ? str(" (measured on ", watch.images, " images)") : "";
    log::warn(str("attention is dying at update ", update, ": ", sign.text, where, "; ",
                  dead_remedy(sign.kind, config)));
  }
}

// Lets a finished run continue where its end was moved.
void reopen_if_longer(const Archive& archive, const ExperimentConfig& config,
                      TrainingState& state) {
  const auto before =
      parse_config<ExperimentConfig>(archive.string("config"), archive.source() + " (config)")
          .config;
  const bool same = before.train.stop == config.train.stop &&
                    before.train.early_stop.patience == config.train.early_stop.patience &&
                    before.train.early_stop.metric == config.train.early_stop.metric;
  if (!same) state.finished = false;
}

// The config of a run's encoder, if it were frozen as the encoder of `before` was. None where that
// one was not frozen, where this one is frozen itself, or where they are encoders of two kinds.
std::optional<EncoderConfig> frozen_as_before(const EncoderConfig& now, EncoderConfig before) {
  const bool same_kind = now.type == before.type || (now.type == EncoderKind::kOnnxNative &&
                                                     before.type == EncoderKind::kOnnx);
  if (!is_frozen(before) || is_frozen(now) || !same_kind) return std::nullopt;
  EncoderConfig frozen = now;
  frozen.type = before.type;
  frozen.frozen_stages = before.frozen_stages;
  frozen.augment = before.augment;
  return frozen;
}

// Gives a new run the weights of another one, where its config asks for them. A run that fine-tunes
// its encoder may start from one whose encoder was the same network, frozen.
std::optional<WeightsOrigin> first_weights(const ExperimentConfig& config, DataIdentity data,
                                           CaptionModel& model) {
  if (config.train.init_from.empty()) return std::nullopt;
  const Archive archive = load_archive(resolve_checkpoint(config.train.init_from));
  const auto before =
      parse_config<ExperimentConfig>(archive.string("config"), archive.source() + " (config)")
          .config;
  const auto frozen = frozen_as_before(config.encoder, before.encoder);
  if (frozen) data.encoder = InputPipeline(*frozen).frozen()->digest();
  take_weights(archive, data, model, frozen ? EncoderWeights::kOwn : EncoderWeights::kCheckpoint);
  return WeightsOrigin{.file = archive.source(),
                       .update = archive.int64s("state/position").values()[0],
                       .digest = archive_digest(archive.source())};
}

std::string reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kFinished:
      return "finished";
    case StopReason::kEarlyStop:
      return "early_stop";
    case StopReason::kSignal:
      return "signal";
  }
  return "?";
}

std::string end_event(const TrainingResult& result) {
  const Telemetry& t = result.telemetry;
  const Json line = {{"event", "end"},
                     {"reason", reason_name(result.reason)},
                     {"update", result.state.update},
                     {"epoch", result.state.epoch},
                     {"seconds", t.seconds},
                     {"ms_per_update", t.ms_per_update},
                     {"captions_per_second", t.captions_per_second},
                     {"peak_memory_bytes", t.peak_memory},
                     {"parameters", result.parameters},
                     {"best", result.state.best},
                     {"best_checkpoint", result.best.filename().string()}};
  return line.dump();
}

fs::path best_link(const RunDirectory& directory, const std::string& metric) {
  const fs::path link = checkpoint_folder(directory.path()) / ("best-" + metric);
  std::error_code error;
  return fs::exists(link, error) ? link : fs::path();
}

// Points the link best-<metric> to the newest checkpoint where a kill, between saving that
// checkpoint and pointing to it, left the link at an older one.
void mend_best_link(RunDirectory& directory, const std::string& metric, const TrainingState& state,
                    const fs::path& newest) {
  const fs::path link = best_link(directory, metric);
  const auto best = state.best.find(metric);
  if (link.empty() || best == state.best.end()) return;
  const std::map<std::string, double> linked = load_model(link).state.best;
  if (linked.contains(metric) && linked.at(metric) != best->second)
    directory.mark_best(metric, newest);
}

}  // namespace

RunData::RunData(const ExperimentConfig& config, const Request& request, const StopSignal& signal)
    : config_(config),
      loaded_(std::make_unique<LoadedData>(load_data(config.data))),
      pipeline_(std::make_unique<InputPipeline>(config.encoder)) {
  require_configured_boxes(config.data);
  for (const std::string& note : loaded_->dataset.notes)
    log::info(loaded_->dataset.name + ": " + note);
  signal.check();
  inputs_ = load_inputs(*loaded_, *pipeline_, config, request, signal);
  vocabulary_ = training_vocabulary(*loaded_, config.data);
  boxes_ = configured_boxes("", config.data, loaded_->dataset, wanted_images(*loaded_, request));
}

bool RunData::serves(const ExperimentConfig& config) const { return same_data(config_, config); }

bool same_data(const ExperimentConfig& a, const ExperimentConfig& b) {
  const auto differences = config_differences(a, b);
  // Where the encoder is frozen, only what follows its grids belongs to the model.
  const bool frozen = is_frozen(a.encoder) || is_frozen(b.encoder);
  const bool inside = adds_positions_inside(a.encoder);
  return std::none_of(differences.begin(), differences.end(), [&](const Difference& d) {
    const auto below = [&](const char* section) { return d.path.starts_with(section); };
    const bool of_network = below("encoder.channels") || below("encoder.vit.") ||
                            below("encoder.weights") || d.path == "encoder.lr" ||
                            d.path == "encoder.frozen_stages";
    const bool of_grid =
        below("encoder.refine.") || below("encoder.keys") || below("encoder.values") ||
        d.path == "encoder.project" || d.path == "encoder.feature_dropout" ||
        d.path == "encoder.region_dropout" || (below("encoder.positions") && !inside);
    const bool of_model = of_grid || ((of_network || below("encoder.positions")) && !frozen);
    return (d.path.starts_with("data.") || d.path.starts_with("encoder.")) && !of_model;
  });
}

TrainingResult run_training(const TrainingRequest& request, const StopSignal& signal) {
  const ExperimentConfig& config = *request.config;
  const RunData& data = *request.data;
  RunDirectory& directory = *request.directory;
  const Dataset& dataset = data.loaded().dataset;
  const FrozenEncoder* frozen = data.pipeline().frozen();
  const DataIdentity identity{
      .name = dataset.name, .digest = dataset.digest, .encoder = frozen ? frozen->digest() : ""};
  const GridShape frozen_grid = data.pipeline().frozen_grid();

  const TrainingSet set(data.loaded(), config.data, data.vocabulary(), data.inputs().bad_images());
  CaptionModel model(config, data.vocabulary(), frozen_grid);
  check_metrics(request, model);
  std::optional<Archive> start;
  if (request.resume) start = directory.newest_checkpoint();

  const BoxTargets boxes(config, data, set, model.grid());
  RunReporter reporter(request.label, std::string(enum_name(evaluation_regimes(config).front())));
  fs::path last;
  std::set<DeadKind> told_signs;
  Trainer trainer(
      {.config = &config,
       .set = &set,
       .inputs = &data.inputs(),
       .targets = boxes.get(),
       .model = &model,
       .observer = &reporter,
       .validate =
           [&](const CaptionModel& captioner) {
             reporter.clear_progress();
             const TrainingState& state = trainer.state();
             Validated validated =
                 validate(request, captioner, state.update, reporter.tensorboard());
             if (validated.watch && !state.best.empty())
               warn_of_dying(*validated.watch, config, state.update, told_signs);
             return std::move(validated.metrics);
           },
       .save =
           [&](const Optimizer& optimizer, const TrainingState& state) {
             const Archive archive =
                 checkpoint_archive(config, model, frozen_grid, identity, optimizer, state);
             last = directory.save_checkpoint(archive, state.update, config.train.keep);
             return last;
           },
       .mark_best = [&](const std::string& metric,
                        const fs::path& checkpoint) { directory.mark_best(metric, checkpoint); }});
  const bool had_run = directory.has_run();
  std::optional<WeightsOrigin> origin;
  if (start) {
    restore_run(*start, config, identity, model, trainer);
  } else {
    if (model.encoder() != nullptr && !config.encoder.weights.empty())
      if (const std::string left = start_encoder(config.encoder, model); !left.empty())
        log::warn(left);
    if (const std::string note = start_embedding(config, set, model); !note.empty())
      log::info(note);
    if (model.localizer())
      model.localizer()->set_shares(model.parameters(),
                                    word_shares(set, model.vocabulary().size()));
    origin = first_weights(config, identity, model);
  }
  reporter.open(directory.path(), start ? std::optional(trainer.state().update) : std::nullopt);
  for (const std::string& warning : length_warnings(set, config)) {
    const bool repeated = request.warned != nullptr && !request.warned->insert(warning).second;
    if (repeated)
      reporter.note("warning: " + warning);
    else
      log::warn(warning);
  }
  if (start) {
    reopen_if_longer(*start, config, trainer.state());
    last = start->source();
    mend_best_link(directory, config.train.best_metric, trainer.state(), last);
    reporter.say(
        (trainer.state().finished ? "this run is finished already: " : "continuing from ") +
        start->source() + " (update " + std::to_string(trainer.state().update) + ")");
    if (!trainer.state().finished)
      reporter.event(Json({{"event", "resume"}, {"update", trainer.state().update}}).dump());
  } else if (request.resume && had_run) {
    reporter.say(directory.path().string() +
                 ": there is no checkpoint yet; starting from the beginning");
  }
  const bool was_finished = trainer.state().finished;
  directory.write_text("config.yaml", print_config(config));
  directory.write_text("manifest.json",
                       manifest_json(directory.path() / "manifest.json",
                                     {.config = &config,
                                      .dataset = &dataset,
                                      .vocabulary = &data.vocabulary(),
                                      .weights = origin,
                                      .resumed_update = start ? trainer.state().update : -1}));
  TrainingResult result;
  try {
    result.reason = trainer.run(&signal.number());
  } catch (const DivergedError& error) {
    reporter.event(Json({{"event", "diverged"}, {"what", error.what()}}).dump());
    throw DivergedError(std::string(error.what()) +
                        (last.empty() ? "; there is no checkpoint yet"
                                      : "; the last good checkpoint is " + last.string()));
  }
  result.state = trainer.state();
  result.telemetry = reporter.telemetry();
  result.parameters = model.parameters().number_count();
  result.last = last;
  result.best = best_link(directory, config.train.best_metric);
  if (!was_finished) reporter.event(end_event(result));
  return result;
}

}  // namespace saccade
