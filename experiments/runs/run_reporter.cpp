#include "experiments/runs/run_reporter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "captioning/learning/training/choosing_metric.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/median.h"
#include "experiments/pictures/model_sheets.h"
#include "experiments/process/log.h"
#include "experiments/process/process_memory.h"
#include "experiments/runs/manifest.h"

namespace saccade {

namespace {

constexpr Index kUpdatesBetweenLines = 10;

using Json = nlohmann::ordered_json;

double rate(Index count, double milliseconds) {
  return milliseconds > 0 ? 1000 * static_cast<double>(count) / milliseconds : 0;
}

std::string format(const char* pattern, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string text(const SelfCriticalReport& report) {
  return "reward " + format("%.3f", report.reward) + " (baseline " +
         format("%.3f", report.baseline) + ", advantage sd " +
         format("%.3f", report.advantage_deviation) + ", " + format("%.1f", report.length) +
         " words)";
}

// The means over the updates since the last line or validation.
Json json(const EstimatorSums::Statistics& means) {
  return {{"expectation_share", means.expectation_share},
          {"advantage", means.advantage},
          {"advantage_variance", means.advantage_variance},
          {"gradient_variance", means.gradient_variance},
          {"distinct_cells", means.distinct_cells},
          {"entropy", means.entropy}};
}

std::string estimator_text(const EstimatorSums::Statistics& means) {
  const Json all = json(means);
  std::string out;
  for (const auto& [name, value] : all.items())
    out += (out.empty() ? "  estimator: " : ", ") + metric("estimator." + name).label + " " +
           format("%.3g", value.get<double>());
  return out;
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

}  // namespace

void RecentNll::add(const UpdateReport& report) {
  constexpr double kKept = 0.95;
  const auto words = static_cast<double>(report.words);
  nll_ = kKept * nll_ + report.nll_per_word * words;
  words_ = kKept * words_ + words;
}

std::string RecentNll::text() const {
  return "nll " + format("%.3f", words_ > 0 ? nll_ / words_ : 0) + " per word";
}

std::string validation_text(const Metrics& metrics, Index update, const std::string& regime,
                            const std::vector<std::string>& chosen,
                            const std::vector<std::string>& sets) {
  std::string out = "update " + std::to_string(update) + " (" + regime + ")";
  const char* before = ": ";
  std::vector<std::string> names;
  for (const auto& [name, value] : metrics) names.push_back(name);
  const std::vector<std::string> main = headlines_of(names);
  for (const MetricInfo& info : all_metrics()) {
    const auto found = metrics.find(info.name);
    const bool headline = std::find(main.begin(), main.end(), info.name) != main.end();
    const bool decides = std::find(chosen.begin(), chosen.end(), info.name) != chosen.end();
    if (!(headline || decides) || found == metrics.end()) continue;
    out += before + info.label + " " + format("%.4f", found->second);
    before = "; ";
  }
  for (const std::string& set : sets)
    for (const std::string& own : chosen) {
      const auto found = metrics.find(set_metric(set, own));
      if (found == metrics.end()) continue;
      out += before + metric_label(found->first) + " " + format("%.4f", found->second);
      before = "; ";
    }
  return out;
}

std::string early_stop_text(const EarlyStopConfig& config, Index update) {
  return str("stopped early at update ", update, ": no gain of ", metric_label(config.metric),
             " in ", counted(config.patience, "validation"), " (train.early_stop.patience)");
}

void RunReporter::on_message(Severity severity, const std::string& text) {
  work_.reset();
  progress_.clear();
  log::show(severity, text);
}

void RunReporter::on_work(const char* work, Index done, Index total) {
  if (!work_) {
    progress_.clear();
    work_.emplace(options_.label + ", " + work);
  }
  work_->show(static_cast<double>(done) / static_cast<double>(total),
              std::to_string(done) + " of " + std::to_string(total) + " images");
}

void RunReporter::on_start(const RunStart& start) {
  train_ = start.config->train;
  for (const DatasetPart& part : start.data->loaded().dataset.parts) sets_.push_back(part.name);
  model_ = start.model;
  log_.emplace(start.directory / "train.log");
  metrics_.emplace(start.directory / "metrics.jsonl", start.resumed_update.value_or(-1));
  tensorboard_.emplace(start.directory, start.resumed_update);
  for (const std::string& warning : start.warnings) {
    const bool repeated = options_.warned != nullptr && !options_.warned->insert(warning).second;
    if (repeated)
      log_->note("warning: " + warning);
    else
      log::warn(warning);
  }
  say_start(start);
  if (start.finished) read_earlier();
  options_.directory->write_text(
      "manifest.json", manifest_json(start.directory / "manifest.json",
                                     {.config = start.config,
                                      .dataset = &start.data->loaded().dataset,
                                      .vocabulary = &start.data->vocabulary(),
                                      .weights = start.weights,
                                      .meteor_tables = start.meteor_tables,
                                      .resumed_update = start.resumed_update.value_or(-1)}));
}

void RunReporter::read_earlier() {
  std::vector<float> ms, per_second;
  read_metrics(options_.directory->path() / "metrics.jsonl", [&](const MetricsLine& line) {
    told_end_ = line.ends_run();
    if (line.event != "update") return;
    const auto add = [&](const char* name, std::vector<float>& to) {
      const auto found = line.numbers.find(name);
      if (found != line.numbers.end()) to.push_back(static_cast<float>(found->second));
    };
    add("ms_per_update", ms);
    add("captions_per_second", per_second);
    earlier_.peak_memory =
        std::max<std::int64_t>(earlier_.peak_memory, line.count("peak_memory_bytes").value_or(0));
  });
  earlier_.ms_per_update = median(ms);
  earlier_.captions_per_second = median(per_second);
}

void RunReporter::say_start(const RunStart& start) {
  if (start.resumed_update) {
    say((start.finished ? "this run is finished already: " : "continuing from ") +
        start.checkpoint.string() + " (update " + std::to_string(*start.resumed_update) + ")");
    if (!start.finished)
      metrics_->add(Json({{"event", "resume"}, {"update", *start.resumed_update}}).dump());
  } else if (start.restarted) {
    say(start.directory.string() + ": there is no checkpoint yet; starting from the beginning");
  }
  if (chosen_by(train_, "METEOR") && !start.finished)
    say("validations of this run measure " + start.meteor_tables);
}

// Adds to TensorBoard what a validation shows besides its numbers.
void RunReporter::on_captions(const RunStart& start, const CaptionModel& model,
                              const EvaluationReport& report, Index update) {
  if (!model.has_attention()) return;
  constexpr std::size_t kSheets = 2;
  constexpr Index kPanelWidth = 160;  // small, because every validation adds its sheets
  tensorboard_->add_attention(update, report.regimes.front().captions);
  ModelSheets sheets(start.data->loaded(), report.images, kSheets);
  sheets.add(str("update ", update), model, start.data->inputs(), report);
  tensorboard_->add_sheets(update, sheets.draw({.panel_width = kPanelWidth}));
}

void RunReporter::on_diverged(const std::string& what) {
  metrics_->add(Json({{"event", "diverged"}, {"what", what}}).dump());
}

void RunReporter::on_end(const TrainingResult& result) {
  if (told_end_) return;
  const Telemetry t = telemetry();
  const Json line = {{"event", "end"},
                     {"reason", reason_name(result.reason)},
                     {"update", result.state.update},
                     {"epoch", result.state.epoch},
                     {"seconds", result.state.seconds},
                     {"ms_per_update", t.ms_per_update},
                     {"captions_per_second", t.captions_per_second},
                     {"peak_memory_bytes", t.peak_memory},
                     {"parameters", result.parameters},
                     {"best", result.state.best},
                     {"best_checkpoint", result.best.filename().string()}};
  metrics_->add(line.dump());
  if (result.reason == StopReason::kEarlyStop)
    say(early_stop_text(train_.early_stop, result.state.update));
}

void RunReporter::on_update(const Update& update) {
  const UpdateReport& report = *update.report;
  const auto ms = static_cast<float>(1000 * update.seconds);
  milliseconds_.push_back(ms);
  training_seconds_ += update.seconds;
  all_seconds_ = update.state->seconds;
  captions_ += report.captions;

  const auto captions = static_cast<double>(report.captions);
  window_.milliseconds.push_back(ms);
  window_.loss += report.loss * captions;
  window_.nll += report.nll_per_word * static_cast<double>(report.words);
  window_.penalty += report.penalty * captions;
  window_.grad_norm += report.grad_norm;
  for (const auto& [name, value] : report.supervision) window_.supervision[name].add(value);
  window_.baseline = report.baseline;
  window_.lr = update.lr;
  window_.captions += report.captions;
  window_.words += report.words;
  if (report.self_critical) window_.add(*report.self_critical);
  if (report.estimator) window_.estimator.add(*report.estimator);
  window_.update = update.state->update;
  window_.epoch = update.state->epoch;
  if (update.state->update % kUpdatesBetweenLines == 0 || update.state->update == 1) write_window();
  if (!report.draws.empty()) write_draws(update);

  const double per_second = rate(captions_, 1000 * training_seconds_);
  if (!report.self_critical) recent_nll_.add(report);
  const std::string how = report.self_critical ? text(*report.self_critical) : recent_nll_.text();
  progress_.show(update.done, "epoch " + std::to_string(update.state->epoch + 1) + ", " + how +
                                  ", " + format("%.0f", per_second) + " captions/s");
}

void RunReporter::write_draws(const Update& update) {
  const GridSize& grid = model_->grid();
  const auto cell = [&](int region) {
    if (region < 0 || region >= grid.cells()) return Json();
    return Json::array({region / grid.cols, region % grid.cols});
  };
  Json captions = Json::array();
  for (const TakenRegions& caption : update.report->draws) {
    Json words = Json::array(), taken = Json::array();
    bool several = false;
    for (std::size_t t = 0; t < caption.words.size(); ++t) {
      words.push_back(model_->vocabulary().word(caption.words[t]));
      const std::vector<int>& regions = caption.regions[t];
      several = regions.size() > 1;
      if (!several) {
        taken.push_back(cell(regions.at(0)));
        continue;
      }
      Json each = Json::array();
      for (const int region : regions) each.push_back(cell(region));
      taken.push_back(std::move(each));
    }
    captions.push_back({{"image", caption.image},
                        {"words", std::move(words)},
                        {several ? "choices" : "sampled", std::move(taken)}});
  }
  const Json line = {
      {"event", "draws"}, {"update", update.state->update}, {"captions", std::move(captions)}};
  metrics_->add(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void RunReporter::Window::add(const SelfCriticalReport& report) {
  self_critical.reward += report.reward;
  self_critical.baseline += report.baseline;
  self_critical.advantage_deviation += report.advantage_deviation;
  self_critical.length += report.length;
  self_critical.finished += report.finished;
  self_critical.reward_share += report.reward_share;
  ++self_critical_updates;
}

void RunReporter::write_window() {
  if (window_.milliseconds.empty()) return;
  const auto updates = static_cast<double>(window_.milliseconds.size());
  const auto captions = static_cast<double>(window_.captions);
  double ms = 0;
  for (const float value : window_.milliseconds) ms += static_cast<double>(value);
  Json line = {{"event", "update"},
               {"update", window_.update},
               {"epoch", window_.epoch},
               {"seconds", all_seconds_},
               {"loss", window_.loss / captions},
               {"nll_per_word", window_.nll / static_cast<double>(window_.words)},
               {"penalty", window_.penalty / captions},
               {"grad_norm", window_.grad_norm / updates},
               {"lr", window_.lr}};
  for (const auto& [name, mean] : window_.supervision) line[name] = mean.value();
  if (window_.estimator.updates > 0) {
    line["baseline"] = window_.baseline;
    line["estimator"] = json(window_.estimator.means());
  }
  if (window_.self_critical_updates > 0) {
    const SelfCriticalReport& sums = window_.self_critical;
    const auto count = static_cast<double>(window_.self_critical_updates);
    line["reward"] = sums.reward / count;
    line["reward_baseline"] = sums.baseline / count;
    line["advantage_sd"] = sums.advantage_deviation / count;
    line["sample_length"] = sums.length / count;
    line["sample_finished"] = sums.finished / count;
    line["reward_time_share"] = sums.reward_share / count;
  }
  line["ms_per_update"] = median(window_.milliseconds);
  line["captions_per_second"] = rate(window_.captions, ms);
  line["peak_memory_bytes"] = peak_memory_bytes();
  add_line("train", line.dump());
  window_ = {};
}

void RunReporter::add_line(const std::string& section, const std::string& json) {
  metrics_->add(json);
  tensorboard_->add(section, json);
}

void RunReporter::on_validation(const Metrics& metrics, const TrainingState& state) {
  work_.reset();
  write_window();
  Json line = {{"event", "validation"},    {"update", state.update}, {"epoch", state.epoch},
               {"seconds", state.seconds}, {"regime", regime_},      {"metrics", metrics}};
  if (state.estimator.updates > 0) line["estimator"] = json(state.estimator.means());
  add_line("validation", line.dump());
  std::vector<std::string> chosen{train_.best_metric};
  if (train_.early_stop.patience > 0 && train_.early_stop.metric != train_.best_metric)
    chosen.push_back(train_.early_stop.metric);
  say(validation_text(metrics, state.update, regime_, chosen, sets_));
  // For those who study the estimator: a riddle to everybody else.
  if (state.estimator.updates > 0) log_->note(estimator_text(state.estimator.means()));
}

void RunReporter::on_checkpoint(const std::filesystem::path& path, const TrainingState& state) {
  write_window();
  log_->note("saved " + path.string());
  // The end of a run saves once more what its last update has saved.
  if (path == saved_) return;
  saved_ = path;
  const Json line = {
      {"event", "checkpoint"}, {"update", state.update}, {"file", path.filename().string()}};
  metrics_->add(line.dump());
}

void RunReporter::say(const std::string& text) {
  progress_.clear();
  std::fprintf(stderr, "%s\n", text.c_str());
  log_->note(text);
}

Telemetry RunReporter::telemetry() const {
  if (milliseconds_.empty()) return earlier_;
  return {.updates = static_cast<Index>(milliseconds_.size()),
          .seconds = all_seconds_,
          .ms_per_update = median(milliseconds_),
          .captions_per_second = rate(captions_, 1000 * training_seconds_),
          .peak_memory = peak_memory_bytes()};
}

}  // namespace saccade
