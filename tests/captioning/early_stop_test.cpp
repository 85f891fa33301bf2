// By which metrics a run may choose, and in which direction it does.
#include <cmath>

#include "captioning/learning/training/choosing_metric.h"
#include "captioning/learning/training/trainer.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

// What a run made of the values that its validations measured, one validation after every update.
struct Outcome {
  StopReason reason = StopReason::kFinished;
  TrainingState state;
  std::vector<Index> marked;  // the updates after which the checkpoint became the best one
};

Outcome train(const std::string& metric, const std::vector<double>& values) {
  ExperimentConfig config = small_experiment();
  config.train.batch = 4;
  config.train.shard = 4;
  config.train.stop = updates(static_cast<Index>(values.size()));
  config.train.validate_every = updates(1);
  config.train.best_metric = metric;
  config.train.early_stop = {.metric = metric, .patience = 2};
  Experiment experiment(config);
  const TrainingSet set(experiment.data, config.data, experiment.model.vocabulary(), {});
  TrainObserver observer;
  Outcome out;
  Trainer trainer({.config = &config,
                   .set = &set,
                   .inputs = &experiment.inputs,
                   .model = &experiment.model,
                   .observer = &observer,
                   .validate =
                       [&](const CaptionModel&) {
                         const auto at = static_cast<std::size_t>(trainer.state().update) - 1;
                         return Metrics{{metric, values.at(at)}, {"mean_length", 9.0}};
                       },
                   .save = [](const Optimizer&, const TrainingState&) { return "unwritten"; },
                   .mark_best =
                       [&](const std::string& name, const std::filesystem::path&) {
                         CHECK(name == metric);
                         out.marked.push_back(trainer.state().update);
                       }});
  out.reason = trainer.run();
  out.state = trainer.state();
  return out;
}

TEST_CASE("a metric of which less is better keeps its smallest value, and stops a run that rises") {
  const std::vector<double> values{0.5, 0.4, 0.6, 0.45, 0.3};
  const Outcome entropy = train("attention_entropy", values);
  CHECK(entropy.reason == StopReason::kEarlyStop);
  CHECK(entropy.state.update == 4);
  CHECK(entropy.state.best.at("attention_entropy") == 0.4);
  CHECK(entropy.marked == std::vector<Index>{1, 2});
  // The same values, where more is better.
  const Outcome rate = train("true_caption_rate", values);
  CHECK(rate.reason == StopReason::kEarlyStop);
  CHECK(rate.state.update == 5);
  CHECK(rate.state.best.at("true_caption_rate") == 0.6);
  CHECK(rate.marked == std::vector<Index>{1, 3});
  // What does not judge has no best value.
  CHECK_FALSE(rate.state.best.contains("mean_length"));
}

TEST_CASE("what cannot be measured counts as the worst share") {
  CHECK(unmeasured_value("references_pointing_accuracy") == 0);
  CHECK(unmeasured_value("attention_entropy") == 1);
}

TEST_CASE("a metric by which no run can choose is refused with a suggestion") {
  const auto message = [](const std::string& best, const std::string& stop = "CIDEr") {
    TrainConfig config;
    config.best_metric = best;
    config.early_stop.metric = stop;
    return message_of<UsageError>([&] { check_choosing_metrics(config); });
  };
  for (const char* name : {"Bleu_4", "CIDEr", "attention_entropy", "CIDEr_shuffled_drop",
                           "references_attention_correctness_over_uniform", "true_caption_rate",
                           "pointing_accuracy", "Bleu_1_no_bp"})
    CHECK(message(name).empty());
  CHECK_THAT(message("cider"), Contains("train.best_metric: there is no metric 'cider' (did you "
                                        "mean 'CIDEr'?)"));
  CHECK_THAT(
      message("CIDEr", "atention_entropy"),
      Contains("train.early_stop.metric") && Contains("(did you mean 'attention_entropy'?)"));
  CHECK_THAT(message("my_loss"), Contains("there is no metric 'my_loss'"));
  CHECK_THAT(message("perplexity"), Contains("validations do not measure perplexity"));
  CHECK_THAT(message("mean_length"), Contains("neither larger nor smaller values are better"));
  // A trainer refuses them before it trains.
  CHECK_THROWS_AS(train("perplexity", {1}), UsageError);
}

}  // namespace
}  // namespace saccade::test
