// What a validation reports about maps, and its warnings.
#include "captioning/study/evaluation/map_watch.h"

#include <algorithm>
#include <map>

#include "captioning/study/evaluation/dead_signs.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Scores = std::map<std::string, double>;

Scores scores_of(const NamedScores& scores) { return {scores.begin(), scores.end()}; }

MapWatch watch(const Experiment& experiment, const EvaluationReport& report, Index images,
               const PhotoBoxes* boxes = nullptr) {
  return watch_maps(experiment.model, experiment.data, experiment.inputs, report,
                    {.images = images,
                     .search = search_options(experiment.config, experiment.config.search,
                                              experiment.model.vocabulary()),
                     .boxes = boxes});
}

// Boxes of the last word of every caption of one image.
class OneImage : public PhotoBoxes {
 public:
  explicit OneImage(Index image) : image_(image) {}
  std::string description() const override { return "one image"; }
  bool knows(Index image) const override { return image == image_; }
  std::vector<NounBoxes> nouns(Index, std::span<const std::string> words,
                               const ImageSize&) const override {
    return {{words.size() - 1, {{0, 0, 32, 32}}}};
  }

 private:
  Index image_;
};

}  // namespace

TEST_CASE("the maps of a validation are measured as in an evaluation") {
  const Experiment experiment(small_experiment());
  constexpr Index kSome = 5;
  EvaluationRequest request = experiment.request(Split::kVal, 12);
  const EvaluationReport report = experiment.run(request);
  const MapWatch own = watch(experiment, report, kSome);
  const Scores scores = scores_of(own.scores());
  CHECK(own.images == kSome);
  CHECK(own.grounded == kSome);

  // The health of all captions, and the drop and the references of the first few images.
  const Scores health = scores_of(report.attention->health.scores());
  for (const char* name : {"entropy", "static_share", "uniform_share"})
    CHECK(scores.at(std::string("attention_") + name) == health.at(name));
  request.most_images = kSome;
  const EvaluationReport some = experiment.run(request);
  const auto shuffled =
      std::find_if(some.attention->ablations.begin(), some.attention->ablations.end(),
                   [](const AblatedScores& one) { return one.ablation == Ablation::kShuffled; });
  const double drop =
      scores_of(some.attention->own).at("CIDEr") - scores_of(shuffled->scores).at("CIDEr");
  CHECK(scores.at("CIDEr_shuffled_drop") == Approx(drop).margin(1e-9));
  CHECK(drop != 0);
  CHECK(scores_of(own.attention.own).at("true_caption_rate") ==
        Approx(scores_of(some.attention->own).at("true_caption_rate")));
  const Scores references = scores_of(some.grounding->references->scores.model_scores());
  for (const char* name :
       {"pointing_accuracy", "pointing_15px", "attention_correctness_over_uniform"})
    CHECK(scores.at(std::string("references_") + name) == Approx(references.at(name)));

  // The names are known before anything is trained.
  const NounSource source{.scenes = &*experiment.data.scenes};
  std::vector<std::string> names = watched_names({.images = kSome}, source);
  std::sort(names.begin(), names.end());
  std::vector<std::string> found;
  for (const auto& [name, value] : scores) found.push_back(name);
  CHECK(found == names);
}

TEST_CASE("without images to watch only the captions of the report are judged") {
  Experiment experiment(small_experiment());
  const EvaluationReport report = experiment.run(Split::kVal, 6);
  const MapWatch health = watch(experiment, report, 0);
  CHECK(health.images == 0);
  CHECK_FALSE(health.references);
  CHECK(health.scores().size() == 5);
  CHECK(watched_names({}, {.scenes = &*experiment.data.scenes}).size() == 5);
  // Photos: the images that boxes know, wherever they are in the list.
  const OneImage boxes(report.images[5]);
  experiment.data.scenes.reset();
  const MapWatch photos = watch(experiment, report, 2, &boxes);
  CHECK(photos.images == 2);
  CHECK(photos.grounded == 1);
  CHECK(scores_of(photos.scores()).at("references_attention_correctness_over_uniform") ==
        Approx(1));
  CHECK_FALSE(watch(experiment, report, 2).references);
}

TEST_CASE("signs of dead attention are told one by one") {
  AttentionReport report;
  report.images = report.health.captions = 40;
  report.health.static_share = 0.95;
  report.health.from_uniform = 0.3;
  report.own = {{"CIDEr", 0.5}};
  report.ablations = {{Ablation::kShuffled,
                       {{"CIDEr", 0.495}},
                       {.metric = "CIDEr", .loss = 0.01, .interval = {.low = 0, .high = 0.015}}}};
  std::vector<DeadKind> kinds;
  for (const DeadSign& sign : dead_signs(report)) {
    kinds.push_back(sign.kind);
    CHECK(dead_attention(report)->find(sign.text) != std::string::npos);
  }
  CHECK(kinds == std::vector{DeadKind::kStatic, DeadKind::kUniform, DeadKind::kNeedless});
  report.ablations[0].loss = {
      .metric = "CIDEr", .loss = 0.2, .interval = {.low = 0.1, .high = 0.3}};
  report.health.static_share = report.health.from_uniform = 0.5;
  CHECK(dead_signs(report).empty());
}

}  // namespace saccade::test
