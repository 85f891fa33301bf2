// The registry of metrics and what is written agree: every number that score, evaluate, training
// and compare write has an entry, and every entry is written.
#include <nlohmann/json.hpp>

#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "experiments/compare/comparison_text.h"
#include "experiments/compare/run_arm.h"
#include "experiments/runs/metrics_log.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

// The entries that say that they are measured by `who`, without those of the groups in `without`.
Names entries(MeasuredBy who, const std::set<MetricGroup>& without = {}) {
  Names out;
  for (const MetricInfo& info : all_metrics())
    if ((info.measured_by & who) != 0 && !without.contains(info.group)) out.insert(info.name);
  return out;
}

// Those of `names` that are not in `others`.
std::vector<std::string> missing(const Names& names, const Names& others) {
  std::vector<std::string> out;
  std::set_difference(names.begin(), names.end(), others.begin(), others.end(),
                      std::back_inserter(out));
  return out;
}

void check_equal(const Names& written, const Names& listed) {
  CHECK(missing(written, listed) == std::vector<std::string>{});
  CHECK(missing(listed, written) == std::vector<std::string>{});
}

// Names without those of the nouns that a model says, of which an untrained one may say none. What
// evaluate, compare and validations write of them comes from one function.
Names unsaid(Names names) {
  for (const MetricInfo& info : all_metrics())
    if (info.group == MetricGroup::kGrounding) names.erase(info.name), names.erase(info.label);
  return names;
}

void add_keys(const Json& numbers, Names& names, const std::string& prefix = "") {
  for (const auto& [name, value] : numbers.items())
    if (value.is_number() || value.is_null()) names.insert(prefix + name);
}

// The last word of every caption names the whole picture.
class LastWords : public PhotoBoxes {
 public:
  std::string description() const override { return "last words"; }
  bool knows(Index) const override { return true; }
  std::vector<NounBoxes> nouns(Index, std::span<const std::string> words,
                               const ImageSize&) const override {
    if (words.empty()) return {};
    return {{words.size() - 1, {{0, 0, 32, 32}}}};
  }
};

// The names in an evaluation's JSON, in which the section `attention_health` lacks its prefix.
Names names_in(const EvaluationReport& report) {
  const Json json = Json::parse(evaluation_json(report));
  Names out;
  for (const char* name : {"perplexity", "unknown_share"})
    if (json.contains(name)) out.insert(name);
  for (const Json& regime : json.at("regimes")) add_keys(regime.at("corpus"), out);
  for (const auto& [name, baseline] : json.at("baselines").items()) add_keys(baseline, out);
  add_keys(json.at("samples").at("corpus"), out);
  Json health = json.at("attention_health");
  for (const auto& [name, ablated] : health.at("ablations").items()) add_keys(ablated, out);
  for (const char* name : {"words", "dead", "need", "losses"}) health.erase(name);
  add_keys(health, out, "attention_");
  if (!json.contains("grounding")) return out;
  const Json& grounding = json.at("grounding");
  for (const char* whose : {"model", "centre_bias", "uniform"})
    add_keys(grounding.at("ground_truth_words").at(whose), out);
  add_keys(grounding.at("ground_truth_words").at("corpus"), out, "references_");
  return out;
}

TEST_CASE("what score writes is in the registry") {
  const TempFolder folder("metric-contract-score");
  const Meteor meteor;
  const std::vector<std::string> candidates{"a red circle"};
  const std::vector<std::vector<std::string>> references{{"a red circle", "one circle"}};
  const CaptionScores scores = score_captions(
      candidates, references,
      {.meteor = &meteor,
       .document_frequencies = folder.write("df.json", R"({"ref_len": 8, "df": {"a": 2}})")});
  Names written;
  for (const ImageStatistics& one : scores.metrics) {
    written.insert(one.metric);
    CHECK(metric(one.metric).interval);
  }
  for (const auto& [name, value] : caption_statistics(scores)) {
    written.insert(name);
    CHECK(!metric(name).interval);
  }
  check_equal(written, entries(kMeasuredByScore));
}

TEST_CASE("what evaluate writes is in the registry") {
  Names written;
  // Only hard attention chooses a region, and only several heads of soft attention are compared.
  for (const std::string selection : {"hard", "soft"}) {
    ExperimentConfig config = small_experiment(selection);
    if (selection == "soft") config.attention.heads = 2;
    Experiment experiment(config);
    EvaluationRequest request = experiment.request(Split::kVal, 4);
    request.samples = 2;
    request.baselines = true;
    written.merge(names_in(experiment.run(request)));
    // The same pictures as photos, with nouns that the captions are sure to name.
    const LastWords boxes;
    experiment.data.scenes.reset();
    request.boxes = &boxes;
    const EvaluationReport photos = experiment.run(request);
    written.merge(names_in(photos));
    for (const ImageStatistics& one : photos.regimes[0].metrics) CHECK(metric(one.metric).interval);
  }
  const Experiment texts(small_text_experiment());
  EvaluationRequest request = texts.request();
  request.samples = 2;
  request.baselines = true;
  const EvaluationReport report = texts.run(request);
  written.merge(names_in(report));
  for (const ImageStatistics& one : report.regimes[0].metrics) CHECK(metric(one.metric).interval);
  check_equal(written, entries(kMeasuredByEvaluate));
}

// An arm that is trained for two updates, with a validation after each.
Arm short_arm(const std::string& name, ExperimentConfig config) {
  config.name = name;
  config.train.batch = 4;
  config.train.shard = 4;
  config.train.stop = updates(2);
  config.train.validate_every = updates(1);
  config.train.validate_images = 4;
  config.train.watch_images = 4;
  return {.name = name, .folder = name, .values = {}, .config = std::move(config)};
}

TEST_CASE("what training and compare write is in the registry") {
  const TempFolder folder("metric-contract-train");
  ExperimentConfig supervised = small_experiment("hard");
  supervised.supervision = {.boxes = 0.5, .localizer = {.weight = 0.5, .hidden = 4}};
  ExperimentConfig rewarded = small_experiment();
  rewarded.attention.heads = 2;
  rewarded.objective.self_critical.start = updates(0);
  const StopSignal signal;
  ArmRunner runner(folder.path(), {}, {}, signal);
  Comparison comparison;
  comparison.seeds = {1};
  Names updates, validations;
  for (const Arm& arm : {short_arm("supervised", supervised), short_arm("rewarded", rewarded),
                         short_arm("texts", small_text_experiment())}) {
    ArmResult& result = comparison.arms.emplace_back(
        ArmResult{.arm = arm, .seeds = {runner.run(arm, 1, arm.name)}, .trials = {}});
    REQUIRE(result.seeds[0].error.empty());
    std::ifstream lines(result.seeds[0].directory / "metrics.jsonl");
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line);
      if (json.at("event") == "validation") add_keys(json.at("metrics"), validations);
      if (json.at("event") != "update") continue;
      add_keys(json, updates);
      if (json.contains("estimator")) add_keys(json.at("estimator"), updates, "estimator.");
    }
  }
  // Where in a run a line stands is no metric.
  for (const char* place : {"update", "epoch", "seconds"}) updates.erase(place);
  check_equal(updates, entries(kMeasuredByUpdates));
  check_equal(unsaid(validations), unsaid(entries(kMeasuredByValidation)));

  Names compared;
  const Table means = means_table(rows_of(comparison), true);
  for (std::size_t c = means.names; c < means.columns.size(); ++c)
    compared.insert(means.columns[c].label);
  compared.erase("");  // the column that says whose maps look dead
  // They go by their labels there.
  Names listed;
  for (const MetricInfo& info : all_metrics())
    if ((info.measured_by & kMeasuredByCompare) != 0)
      listed.insert(info.label + (info.unit == "bytes" ? " MiB" : ""));
  check_equal(unsaid(compared), unsaid(listed));
  for (const RegimeScores& regime : comparison.arms[0].seeds[0].regimes)
    for (const ImageStatistics& one : regime.metrics) CHECK(metric(one.metric).interval);
}

}  // namespace
}  // namespace saccade::test
