#include "vision/encoders/image_classifier.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr float kMostRow = 127;

}  // namespace

ImageClassifier::ImageClassifier(Index features, std::span<const float> weights,
                                 std::vector<float> bias)
    : features_(features), bias_(std::move(bias)) {
  if (features < 1 || bias_.empty() ||
      weights.size() != bias_.size() * static_cast<std::size_t>(features))
    throw DataError("the network's classifier has other numbers than its classes and features ask");
  for (std::size_t c = 0; c < bias_.size(); ++c) {
    const std::span<const float> row =
        weights.subspan(c * static_cast<std::size_t>(features), static_cast<std::size_t>(features));
    float largest = 0;
    for (const float w : row) {
      if (!std::isfinite(w))
        throw DataError("the network's classifier has weights that are no numbers");
      largest = std::max(largest, std::abs(w));
    }
    const float scale = largest > 0 ? largest / kMostRow : 1;
    scales_.push_back(scale);
    for (const float w : row) rows_.push_back(static_cast<std::int8_t>(std::lround(w / scale)));
  }
  check();
}

ImageClassifier::ImageClassifier(Index features, std::vector<std::int8_t> rows,
                                 std::vector<float> scales, std::vector<float> bias)
    : features_(features),
      rows_(std::move(rows)),
      scales_(std::move(scales)),
      bias_(std::move(bias)) {
  check();
}

void ImageClassifier::check() const {
  const auto finite = [](const std::vector<float>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); });
  };
  if (features_ < 1 || bias_.empty() || scales_.size() != bias_.size() ||
      rows_.size() != bias_.size() * static_cast<std::size_t>(features_) || !finite(scales_) ||
      !finite(bias_))
    throw DataError("the network's classifier has other numbers than its classes and features ask");
}

std::vector<SeenClass> ImageClassifier::classify(std::span<const float> mean) const {
  SACCADE_CHECK(static_cast<Index>(mean.size()) == features_, "[classifier] takes ", features_,
                " features; got ", mean.size());
  std::vector<double> scores;
  for (std::size_t c = 0; c < bias_.size(); ++c) {
    const std::int8_t* row = rows_.data() + c * mean.size();
    double sum = 0;
    for (std::size_t i = 0; i < mean.size(); ++i)
      sum += static_cast<double>(mean[i]) * static_cast<double>(row[i]);
    scores.push_back(sum * static_cast<double>(scales_[c]) + static_cast<double>(bias_[c]));
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& score : scores) total += score = std::exp(score - largest);
  std::vector<SeenClass> out;
  for (std::size_t c = 0; c < scores.size(); ++c)
    if (const auto p = static_cast<float>(scores[c] / total); p >= kLeast)
      out.push_back({.number = static_cast<int>(c), .probability = p});
  std::stable_sort(out.begin(), out.end(), [](const SeenClass& a, const SeenClass& b) {
    return a.probability > b.probability;
  });
  return out;
}

}  // namespace saccade
