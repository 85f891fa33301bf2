// METEOR against the numbers of the reference implementation. Skipped unless SACCADE_DATA names the
// folder that has them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/meteor/text_normalizer.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kTolerance = 1e-9;

// Counts the segments whose statistics differ, and keeps the largest difference of a score.
class Agreement {
 public:
  explicit Agreement(const Meteor& meteor) : meteor_(meteor) {}

  void add(const json& hypothesis, const json& references, const json& stats, double score) {
    const auto list = references.get<std::vector<std::string>>();
    const MeteorSegment ours = meteor_.score(hypothesis.get<std::string>(), list);
    ++segments_;
    if (json(ours.stats.values()) != stats) ++different_;
    worst_ = std::max(worst_, std::abs(ours.score - score));
    sum_ += ours.stats;
  }

  void check(const std::string& name, double corpus) {
    worst_ = std::max(worst_, std::abs(meteor_score(sum_) - corpus));
    std::cout << name << ": " << segments_ << " segments, statistics differ in " << different_
              << ", scores by at most " << worst_ << "\n";
    CHECK(different_ == 0);
    CHECK(worst_ <= kTolerance);
  }

 private:
  const Meteor& meteor_;
  std::size_t segments_ = 0, different_ = 0;
  double worst_ = 0;
  MeteorStats sum_;
};

}  // namespace

TEST_CASE("METEOR's normaliser equals the reference implementation's") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const json gold = test::read_json(folder / "meteor_normalizer.json");
  std::size_t different = 0;
  for (std::size_t i = 0; i < gold["in"].size(); ++i) {
    different += meteor::normalize(gold["in"][i].get<std::string>()) != gold["out"][i] ? 1U : 0U;
  }
  std::cout << "normaliser: " << gold["in"].size() << " lines, " << different << " differ\n";
  CHECK(different == 0);
}

TEST_CASE("METEOR equals the reference implementation with every set of modules") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const json gold = test::read_json(folder / "meteor_pairs.json");
  const fs::path table = folder / "paraphrase_test_table.gz";
  const std::vector<std::pair<std::string, MeteorOptions>> sets = {
      {"exact", {.stem = false, .synonym = false, .synonyms = {}, .paraphrases = {}}},
      {"exact_stem", {.stem = true, .synonym = false, .synonyms = {}, .paraphrases = {}}},
      {"exact_stem_synonym", {}},
      {"exact_stem_synonym_paraphrase_test_table",
       {.stem = true, .synonym = true, .synonyms = {}, .paraphrases = table}},
  };
  for (const auto& [name, options] : sets) {
    const Meteor meteor(options);
    Agreement agreement(meteor);
    for (std::size_t i = 0; i < gold["hyp"].size(); ++i) {
      agreement.add(gold["hyp"][i], gold["refs"][i], gold[name]["stats"][i],
                    gold[name]["score"][i]);
    }
    agreement.check(name, gold[name]["corpus"]);
  }
}

TEST_CASE("METEOR of captions equals the reference implementation") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const Meteor meteor;
  std::size_t corpora = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".gold.json")) continue;
    const json gold = test::read_json(entry.path());
    Agreement agreement(meteor);
    for (const auto& image : gold["per_image"]) {
      agreement.add(image["cand_tok"], image["refs_tok"], image["meteor_stats"], image["meteor"]);
    }
    agreement.check(name, gold["corpus"]["METEOR_noparaphrase"]);
    ++corpora;
  }
  CHECK(corpora == 12);
}

}  // namespace saccade
