// Maps from scores: the plain softmax, and what neighbours and the middle of the picture add to it.
#include "captioning/model/decoders/score_map.h"

#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

std::vector<double> random_scores(Index count) {
  Random random({3, Stream::kTest, 0, 0});
  std::vector<double> scores;
  for (Index l = 0; l < count; ++l) scores.push_back(random.normal());
  return scores;
}

std::vector<Real> map_of(const std::vector<double>& scores, const ScoreMapOptions& options,
                         const std::vector<Real>& mask = {}) {
  std::vector<Real> out(scores.size());
  score_map(scores, mask, options, out);
  return out;
}

}  // namespace

TEST_CASE("A score map is a softmax over the unmasked regions", "[supervision]") {
  const std::vector<double> scores = random_scores(6);
  const std::vector<Real> mask{1, 0, 1, 1, 0, 1};
  const std::vector<Real> map = map_of(scores, {.sharpness = 2}, mask);
  double sum = 0;
  for (std::size_t l = 0; l < 6; ++l) sum += mask[l] > 0 ? std::exp(2 * scores[l]) : 0;
  for (std::size_t l = 0; l < 6; ++l) {
    const double expected = mask[l] > 0 ? std::exp(2 * scores[l]) / sum : 0;
    CHECK(std::abs(static_cast<double>(map[l]) - expected) <= 1e-6);
  }
}

TEST_CASE("Neighbours of a region count for a word, padding does not", "[supervision]") {
  constexpr Index kRows = 5, kCols = 4;
  const std::vector<double> scores = random_scores(kRows * kCols);
  std::vector<Real> mask(kRows * kCols, 1);
  for (Index col = 0; col < kCols; ++col) mask[static_cast<std::size_t>(col)] = 0;  // row 0
  const std::vector<Real> map =
      map_of(scores, {.sharpness = 1.5, .smoothing = 0.8, .grid = {kRows, kCols}}, mask);
  // By the definition, cell by cell. Three deviations reach two and a half cells.
  std::vector<double> expected(scores.size(), 0);
  for (Index a = kCols; a < kRows * kCols; ++a) {
    double sum = 0, weights = 0;
    for (Index b = kCols; b < kRows * kCols; ++b) {
      const auto y = static_cast<double>(a / kCols - b / kCols);
      const auto x = static_cast<double>(a % kCols - b % kCols);
      if (std::abs(y) > 3 || std::abs(x) > 3) continue;
      const double weight = std::exp(-(x * x + y * y) / (2 * 0.8 * 0.8));
      sum += weight * scores[static_cast<std::size_t>(b)];
      weights += weight;
    }
    expected[static_cast<std::size_t>(a)] = std::exp(1.5 * sum / weights);
  }
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  for (std::size_t l = 0; l < scores.size(); ++l)
    CHECK(std::abs(static_cast<double>(map[l]) - expected[l] / total) <= 1e-6);
}

TEST_CASE("The middle is that of the picture without its padding", "[supervision]") {
  constexpr Index kRows = 4, kCols = 6;
  const std::vector<double> flat(kRows * kCols, 0.3);
  std::vector<Real> mask(kRows * kCols, 1);
  for (Index row = 0; row < kRows; ++row)
    for (Index col = 3; col < kCols; ++col) mask[static_cast<std::size_t>(row * kCols + col)] = 0;
  const std::vector<Real> map = map_of(flat, {.centre = 0.25, .grid = {kRows, kCols}}, mask);
  const auto at = [&](Index row, Index col) {
    return static_cast<double>(map[static_cast<std::size_t>(row * kCols + col)]);
  };
  CHECK(std::abs(at(1, 1) - at(2, 1)) <= 1e-6);  // the middle of four rows lies between two of them
  CHECK(std::abs(at(1, 0) - at(1, 2)) <= 1e-6);
  // A cell beside the middle column is 1/3 of the picture away from the middle.
  CHECK(std::abs(at(1, 0) / at(1, 1) - std::exp(-std::pow((1.0 / 3) / 0.25, 2) / 2)) <= 1e-5);
  CHECK(std::abs(at(0, 1) / at(1, 1) -
                 std::exp(-(std::pow(1.5 / 4 / 0.25, 2) - std::pow(0.5 / 4 / 0.25, 2)) / 2)) <=
        1e-5);
}

}  // namespace saccade
