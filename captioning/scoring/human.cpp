#include "captioning/scoring/human.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/scoring/text_table.h"
#include "core/base/error.h"

namespace saccade {

HumanScores score_humans(const ReferenceFile& references, const ScoringOptions& options) {
  HumanScores out;
  std::vector<const ReferenceImage*> images;
  for (const ReferenceImage& image : references.images) {
    const std::size_t captions = image.captions.size();
    if (captions < 2) continue;
    out.annotators = images.empty() ? captions : std::min(out.annotators, captions);
    images.push_back(&image);
  }
  if (images.empty()) {
    throw DataError(references.path + ": no image has two references to compare");
  }
  out.images = images.size();
  const auto rounds = static_cast<double>(out.annotators);
  std::vector<std::vector<std::pair<std::string, double>>> scores;
  for (std::size_t k = 0; k < out.annotators; ++k) {
    std::vector<std::string> candidates;
    std::vector<std::vector<std::string>> others;
    for (const ReferenceImage* image : images) {
      candidates.push_back(image->captions[k]);
      others.push_back(image->captions);
      others.back().erase(others.back().begin() + static_cast<std::ptrdiff_t>(k));
    }
    scores.push_back(score_captions(candidates, others, options).corpus());
  }
  for (std::size_t m = 0; m < scores[0].size(); ++m) {
    double mean = 0, squares = 0;
    for (const auto& round : scores) mean += round[m].second / rounds;
    for (const auto& round : scores) squares += std::pow(round[m].second - mean, 2);
    out.mean.emplace_back(scores[0][m].first, mean);
    out.deviation.emplace_back(scores[0][m].first, std::sqrt(squares / (rounds - 1)));
  }
  return out;
}

std::string human_json(const HumanScores& scores) {
  using Json = nlohmann::ordered_json;
  Json corpus = Json::object(), deviation = Json::object();
  for (const auto& [name, value] : scores.mean) corpus[name] = value;
  for (const auto& [name, value] : scores.deviation) deviation[name] = value;
  const Json json = {{"schema_version", 1},
                     {"n_images", scores.images},
                     {"annotators", scores.annotators},
                     {"corpus", std::move(corpus)},
                     {"sd", std::move(deviation)}};
  return json.dump(2) + "\n";
}

std::string human_table(const HumanScores& scores) {
  TextTable table;
  table.add({"", "mean", "sd"});
  for (std::size_t m = 0; m < scores.mean.size(); ++m) {
    table.add(
        {scores.mean[m].first, fixed(scores.mean[m].second), fixed(scores.deviation[m].second)});
  }
  return str(scores.images, " images, each of ", scores.annotators,
             " references against the others\n", table.text());
}

}  // namespace saccade
