#include "experiments/compare/run_arm.h"

#include <cmath>
#include <iostream>
#include <new>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/use_precision.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/study/evaluation/attention_health.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "core/parallel/ranks/ranks.h"
#include "experiments/options/given_boxes.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/process_memory.h"
#include "experiments/process/progress.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSheets = 4;

// The config of a single run of an arm.
ExperimentConfig config_of(const Arm& arm, std::int64_t seed) {
  ExperimentConfig config = arm.config;
  config.compare = {};
  config.seed = seed;
  return config;
}

// The headlines of joined data sets, each over its own images.
void add_headlines(std::span<const SetScores> sets, NamedScores& to) {
  for (const SetScores& set : sets) {
    NamedScores scores = set.corpus;
    for (const auto& [name, value] : set.references)
      scores.emplace_back(references_metric(name), value);
    std::vector<std::string> names;
    for (const auto& [name, value] : scores) names.push_back(name);
    names = headlines_of(names);
    for (const auto& [name, value] : scores)
      if (std::find(names.begin(), names.end(), name) != names.end())
        to.emplace_back(set_metric(set.name, name), value);
  }
}

// Does the work of an arm and returns the error message; empty where it succeeded.
template <class Work>
std::string failure_of(Work work) {
  try {
    work();
  } catch (const DivergedError& error) {  // this one and the next strike all ranks of a run
    return error.what();
  } catch (const UsageError& error) {
    return error.what();
  } catch (const Error& error) {
    if (parallel::ranks()) throw;  // the other ranks would wait for this one
    return error.what();
  } catch (const std::bad_alloc&) {
    if (parallel::ranks()) throw;
    return "out of memory";
  }
  return "";
}

}  // namespace

ArmRunner::ArmRunner(fs::path out, fs::path boxes, MeteorOptions meteor, const StopSignal& signal)
    : out_(std::move(out)),
      boxes_path_(std::move(boxes)),
      meteor_(std::move(meteor)),
      signal_(&signal) {}

fs::path ArmRunner::directory(const Arm& arm, std::int64_t seed) const {
  return out_ / arm.folder / ("seed-" + std::to_string(seed));
}

void ArmRunner::refuse_other_config(const Arm& arm, std::int64_t seed) const {
  const fs::path file = directory(arm, seed) / "config.yaml";
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const std::string changes = deciding_changes(
      load_config<ExperimentConfig>(file.string(), {}).config, config_of(arm, seed));
  if (!changes.empty())
    throw BusyError(file.string() + ": this arm was trained with another config:" + changes +
                    "\nchoose another --out, or undo these changes");
}

SeedResult ArmRunner::run(const Arm& arm, std::int64_t seed, const std::string& label) {
  SeedResult result;
  result.seed = seed;
  result.directory = directory(arm, seed);
  result.error = failure_of([&] { train_and_score(arm, label, result); });
  if (result.failed()) log::error(label + ": " + result.error);
  return result;
}

Trial ArmRunner::try_out(const Arm& trial, std::int64_t seed, const std::string& label) {
  Trial result{.values = trial.values, .score = std::nan(""), .error = {}};
  result.error = failure_of([&] {
    const TrainingState state = train(trial, seed, label).state;
    const auto best = state.best.find(trial.config.train.best_metric);
    if (best != state.best.end()) result.score = best->second;
  });
  if (!result.error.empty() && parallel::is_first_rank()) log::error(label + ": " + result.error);
  return result;
}

SeedResult ArmRunner::score_run(const Arm& arm, std::int64_t seed, const fs::path& directory,
                                const fs::path& checkpoint) {
  SeedResult result;
  result.seed = seed;
  result.directory = directory;
  result.checkpoint = checkpoint;
  load(arm.config, true);
  const LoadedModel loaded = load_model(checkpoint);
  result.parameters = loaded.model->parameters().trained_count();
  result.best_validation = loaded.state.best;
  result.record = read_run_record(directory / "metrics.jsonl");
  // The best checkpoint may be older than the end of the training.
  result.updates = result.record.finished ? result.record.cost.updates : Index{loaded.state.update};
  score(arm, result);
  return result;
}

fs::path ArmRunner::write_config(const Arm& arm, std::int64_t seed) const {
  const fs::path path = directory(arm, seed).string() + ".yaml";
  make_folders(path.parent_path());
  write_file(path, print_config(config_of(arm, seed)));
  return path;
}

bool ArmRunner::is_finished(const Arm& arm, std::int64_t seed) const {
  const fs::path run = directory(arm, seed);
  std::error_code error;
  if (!fs::exists(run / "config.yaml", error) || !read_run_record(run / "metrics.jsonl").finished)
    return false;
  return whole_file(run / "config.yaml") == print_config(config_of(arm, seed));
}

TrainingResult ArmRunner::train(const Arm& arm, std::int64_t seed, const std::string& label) {
  const fs::path path = directory(arm, seed);
  std::optional<RunDirectory> held;
  if (parallel::is_first_rank()) held.emplace(path, RunDirectory::Mode::kResume);
  ExperimentConfig config = config_of(arm, seed);
  take_first_parts(config, path, given_model_folders());
  load(config);
  reset_peak_memory();
  return run_reported({.config = &config,
                       .data = data_.get(),
                       .directory = held ? &*held : nullptr,
                       .resume = true,
                       .label = label,
                       .warned = &warned_,
                       .meteor = meteor_},
                      *signal_);
}

void ArmRunner::train_and_score(const Arm& arm, const std::string& label, SeedResult& result) {
  const TrainingResult trained = train(arm, result.seed, label);
  if (trained.reason == StopReason::kSignal) return;
  result.updates = trained.state.update;
  result.parameters = trained.parameters;
  result.best_validation = trained.state.best;
  result.checkpoint = trained.best.empty() ? trained.last : trained.best;
  result.record = read_run_record(result.directory / "metrics.jsonl");
  score(arm, result);
}

void ArmRunner::load(ExperimentConfig config, bool of_checkpoint) {
  use_precision(config, {}, log::show);
  take_first_parts(config, {}, given_model_folders());
  if (data_ && data_->serves(config)) return;
  data_.reset();
  data_ = std::make_shared<RunData>(load_run_data(config,
                                                  {.splits = {Split::kVal},
                                                   .most_images = config.train.validate_images,
                                                   .evaluated_split = true,
                                                   .of_checkpoint = of_checkpoint},
                                                  *signal_));
  const LoadedData& loaded = data_->loaded();
  boxes_ = given_boxes(boxes_path_, config.data, loaded,
                       evaluation_images(loaded.dataset, loaded.default_split(), 0),
                       of_checkpoint ? IsNamed() : named_all);
}

void ArmRunner::score(const Arm& arm, SeedResult& result) {
  const LoadedModel loaded = load_model(result.checkpoint);
  const LoadedData& data = data_->loaded();
  const Split split = data.default_split();
  EvaluationReport report;
  {
    Progress progress(str("evaluating ", arm.name, ", seed ", result.seed));
    report = evaluate(
        *loaded.model, data, data_->inputs(),
        {.split = split,
         .search = search_options(arm.config, arm.config.search, loaded.model->vocabulary()),
         .regimes = evaluation_regimes(arm.config),
         .extent = Extent::kCompared,
         .boxes = loaded.model->has_attention() ? boxes_.get() : nullptr,
         .meteor = meteor_,
         .progress = progress.counting("captions")});
  }
  result.images = images_digest(data.dataset, report.images);
  for (const RegimeReport& regime : report.regimes) {
    result.regimes.push_back({regime.regime, regime.corpus, regime.metrics, regime.marks});
    if (!loaded.model->has_attention()) continue;
    for (const auto& [name, value] : attention_health(regime.captions).scores())
      if (!std::isnan(value))
        result.regimes.back().corpus.emplace_back(attention_metric(name), value);
  }
  for (std::size_t r = 0; r < report.regimes.size(); ++r)
    add_headlines(report.regimes[r].sets, result.regimes[r].corpus);
  if (report.grounding && report.grounding->references) {
    RegimeScores& first = result.regimes.front();
    for (const auto& [name, value] : report.grounding->references->scores.corpus())
      first.corpus.emplace_back(references_metric(name), value);
    for (ImageStatistics metric : report.grounding->references->metrics) {
      metric.metric = references_metric(metric.metric);
      first.metrics.push_back(std::move(metric));
    }
  }
  if (!sheets_) {
    dataset_ = data.dataset.name;
    meteor_tables_ = report.meteor_tables;
    split_ = split;
    images_ = static_cast<Index>(report.images.size());
    sheet_data_ = data_;
    sheet_seed_ = result.seed;
    sheets_ = std::make_unique<ModelSheets>(data, report.images, kSheets);
  }
  // Arms with other data see other pictures, and arms without attention have no maps.
  if (data_ == sheet_data_ && result.seed == *sheet_seed_ && arm.config.has_attention())
    sheets_->add(arm.name, *loaded.model, data_->inputs(), report);
}

void ArmRunner::describe(Comparison& comparison) const {
  comparison.dataset = dataset_;
  comparison.meteor_tables = meteor_tables_;
  comparison.split = split_;
  comparison.images = images_;
}

std::vector<fs::path> ArmRunner::write_sheets() const {
  return sheets_ ? sheets_->write(out_ / "sheets") : std::vector<fs::path>();
}

}  // namespace saccade
