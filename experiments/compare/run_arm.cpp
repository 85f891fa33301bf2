#include "experiments/compare/run_arm.h"

#include <cmath>
#include <fstream>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "captioning/evaluation/attention_health.h"
#include "captioning/training/checkpoint_content.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "experiments/process_memory.h"
#include "experiments/progress.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSheets = 4;

// What a finished run cost, from the last line that its end left in metrics.jsonl.
std::optional<Telemetry> recorded_cost(const fs::path& metrics) {
  std::ifstream in(metrics);
  std::optional<Telemetry> found;
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"end\"") == std::string::npos) continue;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || json.value("event", "") != "end") continue;
    found = Telemetry{.updates = json.value("update", Index{0}),
                      .seconds = json.value("seconds", 0.0),
                      .ms_per_update = json.value("ms_per_update", 0.0),
                      .captions_per_second = json.value("captions_per_second", 0.0),
                      .peak_memory = json.value("peak_memory_bytes", std::int64_t{0})};
  }
  return found;
}

ExperimentConfig config_of(const Arm& arm, std::int64_t seed) {
  ExperimentConfig config = arm.config;
  config.seed = seed;
  return config;
}

}  // namespace

ArmRunner::ArmRunner(fs::path out, const StopSignal& signal)
    : out_(std::move(out)), signal_(&signal) {}

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
                    "\nchoose another --out, or undo the changes");
}

SeedResult ArmRunner::run(const Arm& arm, std::int64_t seed, const std::string& label) {
  SeedResult result{.seed = seed,
                    .error = {},
                    .directory = {},
                    .checkpoint = {},
                    .cost = {},
                    .best_validation = {},
                    .regimes = {}};
  result.directory = directory(arm, seed);
  const ExperimentConfig config = config_of(arm, seed);
  try {
    train_and_score(arm, config, label, result);
  } catch (const Error& error) {
    result.error = error.what();
  } catch (const std::bad_alloc&) {
    result.error = "out of memory";
  }
  if (result.failed()) log::error(label + ": " + result.error);
  return result;
}

void ArmRunner::train_and_score(const Arm& arm, const ExperimentConfig& config,
                                const std::string& label, SeedResult& result) {
  RunDirectory directory(result.directory, RunDirectory::Mode::kResume);
  load(config);
  reset_peak_memory();
  const TrainingResult trained = run_training({.config = &config,
                                               .data = data_.get(),
                                               .directory = &directory,
                                               .resume = true,
                                               .label = label},
                                              *signal_);
  if (trained.reason == StopReason::kSignal) return;
  result.updates = trained.state.update;
  result.parameters = trained.parameters;
  result.best_validation = trained.state.best;
  result.checkpoint = trained.best.empty() ? trained.last : trained.best;
  result.cost = trained.telemetry;
  if (trained.telemetry.updates == 0) {  // it was finished before
    if (const auto cost = recorded_cost(directory.path() / "metrics.jsonl")) result.cost = *cost;
  }
  score(arm, result);
}

void ArmRunner::load(const ExperimentConfig& config) {
  if (data_ && data_->serves(config)) return;
  data_.reset();
  data_ = std::make_shared<RunData>(config,
                                    RunData::Request{.splits = {Split::kVal},
                                                     .most_images = config.train.validate_images,
                                                     .evaluated_split = true},
                                    *signal_);
}

void ArmRunner::score(const Arm& arm, SeedResult& result) {
  const LoadedModel loaded = load_model(result.checkpoint);
  const LoadedData& data = data_->loaded();
  const Split split = data.default_split();
  EvaluationReport report;
  {
    Progress progress("evaluating");
    report = evaluate(*loaded.model, data, data_->inputs(),
                      {.split = split,
                       .search = search_options(arm.config, loaded.model->vocabulary()),
                       .regimes = evaluation_regimes(arm.config),
                       .extent = Extent::kCaptions,
                       .progress = [&](Index done, Index total) {
                         progress.show(static_cast<double>(done) / static_cast<double>(total),
                                       str(done, " of ", total, " captions"));
                       }});
  }
  for (const RegimeReport& regime : report.regimes) {
    result.regimes.push_back({regime.regime, regime.corpus});
    if (!loaded.model->has_attention()) continue;
    for (const auto& [name, value] : attention_health(regime.captions).scores())
      if (!std::isnan(value)) result.regimes.back().corpus.emplace_back("attention_" + name, value);
  }
  if (!sheets_) {
    dataset_ = data.dataset.name;
    split_ = split;
    images_ = static_cast<Index>(report.images.size());
    sheet_data_ = data_;
    sheet_seed_ = result.seed;
    sheets_ = std::make_unique<ComparisonSheets>(data, report.images, kSheets);
  }
  // Arms on other data see other pictures; arms without attention have no map.
  if (data_ == sheet_data_ && result.seed == *sheet_seed_ &&
      arm.config.attention.score != ScoreKind::kNone)
    sheets_->add(arm.name, *loaded.model, data_->inputs(), arm.config.attention, report);
}

void ArmRunner::describe(Comparison& comparison) const {
  comparison.dataset = dataset_;
  comparison.split = split_;
  comparison.images = images_;
}

std::vector<fs::path> ArmRunner::write_sheets() const {
  return sheets_ ? sheets_->write(out_ / "sheets") : std::vector<fs::path>();
}

}  // namespace saccade
