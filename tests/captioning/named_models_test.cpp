// Models by name: where they are found, what a path hides, the error for a wrong name, and cards.
#include "captioning/learning/runs/named_models.h"

#include "captioning/learning/runs/model_card.h"
#include "captioning/learning/training/choosing_metric.h"
#include "captioning/learning/training/trainer.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

// Makes a folder with two models, of which the first has a card, and another with one that has the
// name of the second.
struct Folders {
  TempFolder temporary{"named-models"};
  std::vector<fs::path> all{temporary / "near", temporary / "missing", temporary / "far"};

  Folders() {
    for (const char* folder : {"near", "far"}) fs::create_directories(temporary / folder);
    for (const char* file : {"near/tender.h5", "near/tender.md", "near/hale.h5", "near/README.md",
                             "near/notes.txt", "far/hale.h5", "far/hale.md", "far/far-1.h5"})
      temporary.write(file, "x");
  }
};

TEST_CASE("a model's name is a word, and no path and no file of weights") {
  for (const char* name : {"soft", "soft-v1.2", "Flickr_8k", "9"}) CHECK(may_name_model(name));
  for (const char* text : {"", "a/b", "./soft", "..", ".soft", "-soft", "soft.h5", "a,b", "a b",
                           "soft.safetensors", "so\xC3\xB6t"})
    CHECK_FALSE(may_name_model(text));
}

TEST_CASE("models are listed by name, and of two with one name the first counts") {
  const Folders folders;
  const std::vector<NamedModel> models = named_models(folders.all);
  REQUIRE(models.size() == 3);
  CHECK(models[0].name == "far-1");
  CHECK(models[0].file == folders.all[2] / "far-1.h5");
  CHECK(models[0].card.empty());
  CHECK(models[1].file == folders.all[0] / "hale.h5");
  CHECK(models[1].card.empty());  // the other folder's card is of another model
  CHECK(models[2].card == folders.all[0] / "tender.md");
}

TEST_CASE("a path wins over a model of the same name, and says so") {
  const Folders folders;
  std::vector<std::string> messages;
  const auto find = [&](const std::string& given) {
    return find_checkpoint(given, folders.all,
                           [&](Severity, const std::string& text) { messages.push_back(text); });
  };
  CHECK(find("tender") == folders.all[0] / "tender.h5");
  CHECK(find("hale") == folders.all[0] / "hale.h5");
  CHECK(messages.empty());
  const fs::path before = fs::current_path();
  fs::current_path(folders.temporary.path());
  folders.temporary.write("tender", "x");
  const fs::path found = find("tender");
  fs::current_path(before);
  CHECK(found == "tender");
  REQUIRE(messages.size() == 1);
  CHECK_THAT(messages[0], Contains("the path that exists") && Contains("near/tender.h5"));
  // What cannot be a name is a path, whether it exists or not.
  CHECK_THROWS_WITH(find("nowhere/tender"), Contains("nowhere/tender: no such checkpoint"));
  CHECK(find("tender.h5") == "tender.h5");
  CHECK(messages.size() == 1);
}

TEST_CASE("a model that hides another one of its name says so, and a copy of it does not") {
  const Folders folders;
  folders.temporary.write("far/tender.h5", "y");
  std::vector<std::string> messages;
  const auto find = [&](const std::string& given) {
    return find_checkpoint(given, folders.all,
                           [&](Severity, const std::string& text) { messages.push_back(text); });
  };
  CHECK(find("hale") == folders.all[0] / "hale.h5");
  CHECK(messages.empty());
  CHECK(find("tender") == folders.all[0] / "tender.h5");
  REQUIRE(messages.size() == 1);
  CHECK_THAT(messages[0], Contains("near/tender.h5") &&
                              Contains("the other model of this name is") &&
                              Contains("far/tender.h5"));
  const std::vector<NamedModel> models = named_models(folders.all);
  REQUIRE(models.size() == 3);
  CHECK(models[1].hidden.empty());
  CHECK(models[2].hidden == std::vector<fs::path>{folders.all[2] / "tender.h5"});
}

TEST_CASE("the error for an unknown name lists the names that exist") {
  const Folders folders;
  const auto message = [](const std::string& given, std::span<const fs::path> all) {
    return message_of<CheckpointError>([&] { find_checkpoint(given, all); });
  };
  CHECK_THAT(message("tendr", folders.all),
             Catch::StartsWith("tendr: no such checkpoint") && Contains("did you mean 'tender'?") &&
                 Contains("far-1") && Contains("hale") && Contains("saccade list models"));
  CHECK_THAT(message("tendr", {}), Catch::StartsWith("tendr: no such checkpoint"));
  CHECK_THAT(message("Owner/model-base", {}),
             Catch::StartsWith("Owner/model-base: no such checkpoint; saccade downloads nothing"));
}

TEST_CASE("the head of a card is read, and its mistakes are named") {
  const TempFolder folder("model-card");
  const auto write = [&](const std::string& text) { return folder.write("tender.md", text); };
  const ModelCard card = read_model_card(
      write("---\ntitle: tender, on photos\ndata: 'Flickr8k: 6,000 photos'\nsplit: val\n"
            "scores: [\"CIDEr 0.5 [.4, .6]\", Bleu_4 0.2]\nlicence: MIT\n---\n# Data\n\n---\n"));
  CHECK(card.title == "tender, on photos");
  CHECK(card.data == "Flickr8k: 6,000 photos");
  CHECK(card.scores == std::vector<std::string>{"CIDEr 0.5 [.4, .6]", "Bleu_4 0.2"});
  CHECK(card.digest.empty());
  const auto refusal = [&](const std::string& text) {
    const fs::path path = write(text);
    const std::string message = message_of<DataError>([&] { read_model_card(path); });
    CHECK_THAT(message, Catch::StartsWith(path.string()));
    return message;
  };
  CHECK_THAT(refusal("# Soft\n"), Contains("begins with YAML between two lines"));
  CHECK_THAT(refusal("---\ntitle: x\n"), Contains("begins with YAML between two lines"));
  CHECK_THAT(refusal("---\ntitle: x\ndata: y\n---\n"), Contains("has no 'licence'"));
  CHECK_THAT(refusal("---\ntitle: x\nlicense: y\n---\n"),
             Contains(":3:1: unknown key 'license'") && Contains("licence"));
  CHECK_THROWS_AS(read_model_card(folder / "missing.md"), DataError);
}

// By which metrics a run may choose, and in which direction it does.

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
