// The caption metrics on a small corpus of our own (captions/README.md), from files to scores, and
// tokens and METEOR's statistics of sentences of our own, against the reference implementations.
#include <nlohmann/json.hpp>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"

namespace saccade {
namespace {

std::filesystem::path captions_folder() { return SACCADE_GOLDEN_CAPTIONS; }

nlohmann::json reference() { return test::read_json(captions_folder() / "reference.json"); }

}  // namespace

TEST_CASE("the scores of our own captions are those of coco-caption") {
  const CaptionFile references = read_references(captions_folder() / "references.json");
  const MatchedCaptions matched =
      match(references, read_results(captions_folder() / "results.json"));
  const Meteor meteor;
  const CaptionScores scores =
      score_captions(matched.candidates, matched.references, {.meteor = &meteor});
  std::map<std::string, std::size_t> place;
  for (std::size_t m = 0; m < scores.metrics.size(); ++m) place[scores.metrics[m].metric] = m;
  // scores.json has plain CIDEr, which coco-caption does not give.
  std::size_t compared = 0;
  for (const nlohmann::json& gold :
       {reference(), test::read_json(captions_folder() / "scores.json")}) {
    REQUIRE(matched.images.size() == gold["images"].size());
    for (const auto& [name, whole] : gold["corpus"].items()) {
      INFO(name);
      const std::size_t metric = place.at(name);
      CHECK(std::abs(scores.metrics[metric].whole() - whole.get<double>()) < 1e-12);
      for (std::size_t i = 0; i < matched.images.size(); ++i) {
        const nlohmann::json& image = gold["images"][i];
        REQUIRE(references.images[matched.images[i]].id.number.value() == image["image_id"]);
        CHECK(std::abs(scores.of_image(metric, i) - image[name].get<double>()) < 1e-12);
      }
      ++compared;
    }
  }
  CHECK(compared == 8);
}

TEST_CASE("the tokens of our own sentences are those of CoreNLP") {
  std::vector<std::string> lines;
  const nlohmann::json sentences = reference()["sentences"];
  for (const nlohmann::json& one : sentences) lines.push_back(one["line"]);
  const auto tokens = ptb_tokenize(lines), words = ptb_words(lines);
  REQUIRE(lines.size() > 70);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i]);
    CHECK(join_words(tokens[i]) == sentences[i]["ptb"]);
    CHECK(join_words(words[i]) == sentences[i]["words"]);
  }
}

TEST_CASE("METEOR of our own pairs is that of METEOR 1.5") {
  const nlohmann::json gold = reference();
  const Meteor meteor;
  MeteorStats sum;
  for (const nlohmann::json& pair : gold["pairs"]) {
    INFO(pair["hypothesis"]);
    const MeteorSegment segment = meteor.score(pair["hypothesis"].get<std::string>(),
                                               pair["references"].get<std::vector<std::string>>());
    CHECK(nlohmann::json(segment.stats.values()) == pair["statistics"]);
    CHECK(std::abs(segment.score - pair["score"].get<double>()) < 1e-12);
    sum += segment.stats;
  }
  CHECK(std::abs(meteor_score(sum) - gold["pairs_score"].get<double>()) < 1e-12);
}

}  // namespace saccade
