// Whole corpora, from COCO files to scores, against the results of the reference implementation.
// Skipped unless SACCADE_DATA names the folder of the gold data.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
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
