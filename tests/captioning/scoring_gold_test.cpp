// Whole corpora, from COCO files to scores, against the results of the reference implementation.
// Skipped unless SACCADE_DATA names the folder of the gold data.
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

// Our names for the reference implementation's scores, of a corpus and of an image.
struct GoldName {
  const char* ours;
  const char* corpus;
  const char* image;
};
constexpr GoldName kNames[] = {
    {"METEOR", "METEOR_noparaphrase", "meteor"},
    {"ROUGE_L", "ROUGE_L", "rouge_l"},
    {"CIDEr", "CIDEr", "cider"},
    {"CIDEr_plain", "CIDEr_plain", "cider_plain"},
    {"CIDEr_external", "CIDErD_cocoval_df", "ciderd_cocoval_df"},
    {"CIDEr_plain_external", "CIDEr_plain_cocoval_df", "cider_plain_cocoval_df"}};

}  // namespace

TEST_CASE("whole corpora have the scores of the reference implementation") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const Meteor meteor;
  double worst = 0;
  int corpora = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().string();
    if (!file.ends_with(".gold.json")) continue;
    const std::string name = file.substr(0, file.size() - std::string(".gold.json").size());
    INFO(name);
    const nlohmann::json gold = test::read_json(file);
    const CaptionFile references = read_references(name + ".annotations.json");
    const MatchedCaptions matched = match(references, read_results(name + ".results.json"));
    const CaptionScores scores =
        score_captions(matched.candidates, matched.references,
                       {.meteor = &meteor, .document_frequencies = folder / "cocoval_df.json"});
    REQUIRE(matched.images.size() == gold["per_image"].size());
    std::map<std::string, std::size_t> metric;
    for (std::size_t m = 0; m < scores.metrics.size(); ++m) metric[scores.metrics[m].metric] = m;
    const auto expect = [&](double ours, const nlohmann::json& theirs) {
      const double error = std::abs(ours - theirs.get<double>());
      worst = std::max(worst, error);
      REQUIRE(error <= 1e-9);
    };
    std::map<std::int64_t, std::size_t> place;
    for (std::size_t i = 0; i < matched.images.size(); ++i) {
      place[references.images[matched.images[i]].id.number.value()] = i;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const std::string bleu = "Bleu_" + std::to_string(k + 1);
      expect(scores.metrics[metric[bleu]].whole(), gold["corpus"][bleu]);
      for (const auto& image : gold["per_image"]) {
        expect(scores.of_image(metric[bleu], place.at(image["id"])), image["bleu"][k]);
      }
    }
    for (const GoldName& one : kNames) {
      INFO(one.ours);
      expect(scores.metrics[metric[one.ours]].whole(), gold["corpus"][one.corpus]);
      for (const auto& image : gold["per_image"]) {
        expect(scores.of_image(metric[one.ours], place.at(image["id"])), image[one.image]);
      }
    }
    ++corpora;
  }
  CHECK(corpora == 12);
  std::cout << corpora << " corpora, largest difference " << worst << "\n";
}

}  // namespace saccade

// The registry of metrics: its names, its variants, and which of two values is better.
namespace saccade::test {
namespace {

TEST_CASE("every metric has one entry, which says what it is") {
  std::set<std::string> names, labels, texts;
  for (const MetricInfo& info : all_metrics()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(labels.insert(info.label).second);
    CHECK(find_metric(info.name) == &info);
    CHECK(!info.text.empty());
    if (info.base == info.name) CHECK(texts.insert(info.text).second);
    CHECK(info.measured_by != 0);
    CHECK(find_metric(info.base) != nullptr);
    // The pages have the registry inside a script element.
    CHECK((info.label + info.unit + info.text).find('<') == std::string::npos);
    // A headline that is tested must have a better and a worse.
    if (info.headline && info.interval) CHECK(info.better != Better::kNeither);
  }
  CHECK(find_metric("Bleu_5") == nullptr);
  CHECK_THROWS_AS(metric("Bleu_5"), InternalError);
}

TEST_CASE("a variant inherits what holds for it, too") {
  const MetricInfo& references = metric("references_attention_correctness");
  CHECK(references.base == "attention_correctness");
  CHECK(references.better == Better::kLarger);
  CHECK(references.interval);
  CHECK(references.group == MetricGroup::kReferenceWords);
  CHECK(references.measured_by == (kMeasuredByEvaluate | kMeasuredByCompare));
  // What a Gaussian reaches is a fact about the pictures, which no model makes better.
  const MetricInfo& middle = metric("references_centre_bias_attention_correctness");
  CHECK(middle.base == "attention_correctness");
  CHECK(middle.better == Better::kNeither);
  CHECK(!middle.interval);
  CHECK(metric("Bleu_4_no_bp").better == Better::kLarger);
  CHECK(metric("Bleu_4").headline);
  CHECK(!metric("Bleu_4_no_bp").headline);
  CHECK(metric("CIDEr_external").measured_by == kMeasuredByScore);
  // Where a variant has a line of its own, that line holds.
  CHECK(metric("references_attention_correctness_over_uniform").headline);
  CHECK((metric("references_pointing_15px").measured_by & kMeasuredByValidation) != 0);
  // Only the variants that a metric names exist, each prefix once and in one order.
  for (const char* name :
       {"references_Bleu_4", "uniform_pointing_accuracy", "centre_bias_uniform_pointing_15px",
        "centre_bias_references_pointing_15px", "references_references_pointing_15px",
        "METEOR_no_bp", "CIDEr_no_bp", "references_", "_no_bp", ""})
    CHECK(find_metric(name) == nullptr);
}

TEST_CASE("which of two values is better is a fact about the metric, not about its name") {
  for (const char* name : {"attention_entropy", "attention_static_share", "attention_uniform_share",
                           "loss", "perplexity", "mBLEU_4", "ms_per_update"}) {
    CHECK(is_better(name, 0.1, 0.2));
    CHECK_FALSE(is_better(name, 0.2, 0.1));
  }
  for (const char* name : {"CIDEr", "CIDEr_shuffled_drop", "references_pointing_15px",
                           "true_caption_rate", "captions_per_second"}) {
    CHECK(is_better(name, 0.2, 0.1));
    CHECK_FALSE(is_better(name, 0.1, 0.2));
  }
  for (const char* name : {"CIDEr", "loss"}) CHECK_FALSE(is_better(name, 0.1, 0.1));
  for (const char* name : {"mean_length", "centre_bias_pointing_accuracy", "unheard of"}) {
    CHECK_FALSE(is_better(name, 0.2, 0.1));
    CHECK_FALSE(is_better(name, 0.1, 0.2));
  }
}

TEST_CASE("the range of a metric follows from its unit") {
  CHECK(metric_range("Bleu_4").high == 1);
  CHECK(metric_range("true_caption_rate").low == 0);
  CHECK(metric_range("CIDEr").high == 10);
  CHECK(metric_range("references_attention_correctness_over_uniform").low == 0);
  CHECK(std::isinf(metric_range("references_attention_correctness_over_uniform").high));
  CHECK(std::isinf(metric_range("nll_per_word").low));
  CHECK(std::isinf(metric_range("Bleu_5").high));
  // A shuffled map may lead to better captions.
  for (const MetricInfo& info : all_metrics())
    if (info.interval) CHECK(metric_range(info.name).low == 0);
}

TEST_CASE("tables have the order of the registry, each name once and unknown ones last") {
  CHECK(in_table_order({"zeal", "parameters", "CIDEr", "Bleu_4", "CIDEr", "art"}) ==
        std::vector<std::string>{"Bleu_4", "CIDEr", "parameters", "zeal", "art"});
}

}  // namespace
}  // namespace saccade::test
