#include "captioning/scoring/scores/human.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

HumanScores score_humans(const CaptionFile& references, const ScoringOptions& options) {
  HumanScores out;
  std::vector<const ListedImage*> images;
  for (const ListedImage& image : references.images) {
    const std::size_t captions = image.captions.size();
    if (captions < 2) {
      ++out.left_out;
      continue;
    }
    out.annotators = images.empty() ? captions : std::min(out.annotators, captions);
    images.push_back(&image);
  }
  if (images.empty()) {
    throw DataError(str(references.path,
                        ": no image has two references to compare; what people reach is the score "
                        "of each reference against the others of its image"));
  }
  out.images = images.size();
  const auto rounds = static_cast<double>(out.annotators);
  std::vector<std::vector<std::pair<std::string, double>>> scores;
  for (std::size_t k = 0; k < out.annotators; ++k) {
    std::vector<std::string> candidates;
    std::vector<std::vector<std::string>> others;
    for (const ListedImage* image : images) {
      candidates.push_back(image->captions[k]);
      others.push_back(image->captions);
      others.back().erase(others.back().begin() + static_cast<std::ptrdiff_t>(k));
    }
    CaptionScores round = score_captions(candidates, others, options);
    scores.push_back(round.corpus());
    if (k == 0) out.marks = std::move(round.marks);
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

}  // namespace saccade
