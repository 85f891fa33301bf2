// The caption metrics on a small corpus of our own (captions/README.md), from files to scores.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "captioning/metrics/meteor/meteor.h"
#include "captioning/scoring/caption_files.h"
#include "captioning/scoring/caption_scores.h"
#include "captioning/scoring/match.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"

namespace saccade {

TEST_CASE("the scores of our own captions follow the definitions of the metrics") {
  const std::filesystem::path folder = SACCADE_GOLDEN_CAPTIONS;
  const nlohmann::json gold = test::read_json(folder / "scores.json");
  const CaptionFile references = read_references(folder / "references.json");
  const MatchedCaptions matched = match(references, read_results(folder / "results.json"));
  REQUIRE(matched.images.size() == gold["images"].size());
  const Meteor meteor;
  const CaptionScores scores =
      score_captions(matched.candidates, matched.references, {.meteor = &meteor});
  std::map<std::string, std::size_t> place;
  for (std::size_t m = 0; m < scores.metrics.size(); ++m) place[scores.metrics[m].metric] = m;
  for (const auto& [name, whole] : gold["corpus"].items()) {
    INFO(name);
    const std::size_t metric = place.at(name);
    CHECK(std::abs(scores.metrics[metric].whole() - whole.get<double>()) < 1e-12);
    for (std::size_t i = 0; i < matched.images.size(); ++i) {
      const nlohmann::json& image = gold["images"][i];
      REQUIRE(references.images[matched.images[i]].id.number.value() == image["image_id"]);
      CHECK(std::abs(scores.of_image(metric, i) - image[name].get<double>()) < 1e-12);
    }
  }
}

}  // namespace saccade
