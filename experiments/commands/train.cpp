#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/use_precision.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/plain_text.h"
#include "core/base/table.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/ranks.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/report.h"
#include "experiments/commands/shown_models.h"
#include "experiments/options/meteor_tables.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/shell_word.h"
#include "experiments/report/report_page.h"
#include "experiments/report/training_page.h"
#include "experiments/runs/reported_run.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr Index kDevUpdates = 3, kDevImages = 8;

struct TrainOptions {
  std::string config, out, paraphrases;
  std::vector<std::string> overrides;
  bool resume = false, fast_dev_run = false, json = false, draws = false;
  Index overfit = 0, limit_train = 0, limit_val = 0;
  bool threads_given = false;
  Index report_images = 12;
};

// A run that goes on needs no CONFIG: it has its own, with all overrides that it was started with.
void find_config(TrainOptions& options) {
  std::error_code error;
  const bool is_override =
      options.config.find('=') != std::string::npos && !fs::exists(options.config, error);
  if (options.resume && is_override) {
    options.overrides.insert(options.overrides.begin(), options.config);
    options.config.clear();
  }
  if (!options.config.empty()) return;
  if (!options.resume)
    throw UsageError("config is required: name an experiment file; see saccade train --help");
  const fs::path own = fs::path(options.out) / "config.yaml";
  if (!fs::exists(own, error))
    throw UsageError(options.out +
                     ": there is no run to resume, whose config could be used; name an experiment "
                     "file");
  options.config = own.string();
}

// Sets a limit, data.limit_train or data.limit_val, also of joined data sets that have their own.
void set_limit(DataConfig& config, const std::string& key, std::int64_t DataConfig::*limit,
               Index most) {
  config.*limit = most;
  for (NamedValues& set : config.sets)
    std::erase_if(set.values, [&](const auto& value) { return value.first == key; });
}

ExperimentConfig resolve(const TrainOptions& options) {
  LoadedConfig loaded = load_config<ExperimentConfig>(options.config, options.overrides);
  settle_alone(loaded, options.resume);
  ExperimentConfig& config = loaded.config;
  const auto limit_train = [&](Index most) {
    set_limit(config.data, "limit_train", &DataConfig::limit_train, most);
  };
  const auto limit_val = [&](Index most) {
    set_limit(config.data, "limit_val", &DataConfig::limit_val, most);
  };
  if (options.limit_train > 0) limit_train(options.limit_train);
  if (options.limit_val > 0) limit_val(options.limit_val);
  if (options.overfit > 0) limit_train(options.overfit);
  if (options.fast_dev_run) {
    limit_train(2 * config.train.batch);
    limit_val(kDevImages);
    config.train.validate_images = kDevImages;
    config.train.stop = updates(kDevUpdates);
    config.search.forbidden.clear();  // so few captions may lack these words
    config.optimizer.warmup = std::min(config.optimizer.warmup, kDevUpdates - 1);
    if (auto& start = config.objective.self_critical.start; start && start->count > 0) {
      start = updates(kDevUpdates - 1);  // so that both stages are run
      config.optimizer.warmup = std::min(config.optimizer.warmup, kDevUpdates - 2);
    }
  }
  return config;
}

void print_summary(const TrainOptions& options, const TrainConfig& config,
                   const ReportedResult& result) {
  const std::string& metric = config.best_metric;
  const TrainingState& state = result.state;
  const Telemetry& cost = result.telemetry;
  const auto best = state.best.find(metric);
  if (options.json) {
    nlohmann::ordered_json json = {{"schema_version", 1},
                                   {"directory", options.out},
                                   {"reason", result.reason == StopReason::kEarlyStop ? "early_stop"
                                              : result.reason == StopReason::kSignal  ? "signal"
                                                                                      : "finished"},
                                   {"updates", state.update},
                                   {"seconds", state.seconds},
                                   {"ms_per_update", cost.ms_per_update},
                                   {"captions_per_second", cost.captions_per_second},
                                   {"peak_memory_bytes", cost.peak_memory},
                                   {"parameters", result.parameters},
                                   {"best", state.best},
                                   {"last_checkpoint", result.last.string()},
                                   {"best_checkpoint", result.best.string()}};
    std::cout << json_text(json);
    return;
  }
  std::cout << state.update << " updates in " << duration_text(state.seconds) << " of training";
  if (best != state.best.end())
    std::cout << ", best " << metric_label(metric) << " " << fixed(best->second) << " in "
              << plain_text(result.best.string());
  std::cout << "\n";
}

int run_train(const TrainOptions& options) {
  const StopSignal signal;
  ExperimentConfig config = resolve(options);
  check_config(config);
  check_ranks(config);
  if (options.draws && !draws_regions(config.attention.selection))
    throw UsageError(str("--draws has no effect: attention.selection is ",
                         config.attention.selection,
                         ", which draws no regions that an estimator reinforces; leave it out"));
  if (options.draws && parallel::ranks())
    throw UsageError("--draws works in one process; start it without mpirun or srun");
  if (!options.threads_given && config.threads > 0)
    parallel::set_threads(static_cast<int>(config.threads));
  std::optional<RunDirectory> directory;
  if (parallel::is_first_rank()) {
    directory.emplace(options.out,
                      options.resume ? RunDirectory::Mode::kResume : RunDirectory::Mode::kNew,
                      log::show);
    if (options.resume && !directory->has_run())
      log::info(options.out + ": there is no run to resume yet; starting one");
  }
  use_precision(config, options.out, log::show);
  take_first_parts(config, options.out, given_model_folders());
  const Split validation = options.overfit > 0 ? Split::kTrain : Split::kVal;
  const RunData data = load_run_data(
      config,
      {.splits = {validation}, .most_images = config.train.validate_images, .checks_stages = true},
      signal);
  std::optional<TrainingPage> page;
  if (directory && options.report_images > 0)
    page.emplace(TrainingPage::Options{.file = directory->path() / kReportFile,
                                       .name = run_name(run_of(directory->path())),
                                       .images = options.report_images,
                                       .split = validation});
  const ReportedResult result = run_reported({.config = &config,
                                              .data = &data,
                                              .directory = directory ? &*directory : nullptr,
                                              .resume = options.resume,
                                              .validation = validation,
                                              .label = config.name,
                                              .draws = options.draws,
                                              .meteor = meteor_options(options.paraphrases),
                                              .follower = page ? &*page : nullptr},
                                             signal);
  if (!directory)
    return result.reason == StopReason::kSignal ? signal_exit_code(result.signal)
                                                : static_cast<int>(ExitCode::kOk);
  const parallel::OverRanks alone(nullptr);  // the others have nothing left to do
  print_summary(options, config.train, result);
  if (result.reason != StopReason::kSignal) {
    if (offer_report(directory->path(), options.report_images)) page->leave();
    return static_cast<int>(ExitCode::kOk);
  }
  std::cerr << "stopped and saved " << plain_text(result.last.string())
            << "; continue with: saccade train --out " << shell_word(options.out) << " --resume\n";
  return signal_exit_code(result.signal);
}

CommandRun bind_train(Options& options) {
  const auto args = std::make_shared<TrainOptions>();
  options.argument("config", args->config,
                   "experiment file (YAML); with --resume it may be left out, and the run's own "
                   "config is used, with all values that it was started with",
                   "CONFIG", Need::kOptional);
  options.arguments("overrides", args->overrides,
                    "values that replace those of the experiment file, such as train.batch=32",
                    "KEY.PATH=VALUE");
  options.text("--out", args->out, "directory of the run, which is created", "DIR",
               Need::kRequired);
  options.flag("--resume", args->resume,
               "continue the run in DIR from its newest checkpoint, or start it if there is none");
  options.flag("--fast-dev-run", args->fast_dev_run,
               "test whether everything works, with three updates and eight validation images");
  options.count("--overfit", args->overfit,
                "train and validate on the first N images (of each of several data sets)", 1);
  options.count("--limit-train", args->limit_train,
                "use the first N training images (of each data set)", 1);
  options.count("--limit-val", args->limit_val,
                "use the first N validation images (of each data set)", 1);
  options.count("--report-images", args->report_images,
                "number of images in the attention explorer of report.html (default: 12; 0: no "
                "report)",
                0);
  options.flag("--draws", args->draws,
               "also write into metrics.jsonl which regions hard attention takes in every update, "
               "for every word of every caption (not in self-critical training)");
  add_paraphrases_option(options, args->paraphrases);
  options.flag("--json", args->json, "print the summary as a JSON object");
  return [args, options] {
    args->threads_given = options.given("--threads");
    find_config(*args);
    return run_train(*args);
  };
}

}  // namespace

const Command kTrainCommand = {
    "train", "train a captioner from an experiment file",
    "saccade train configs/quickstart.yaml --out runs/first train.stop=2e", bind_train,
    /*over_ranks=*/true};

}  // namespace saccade
