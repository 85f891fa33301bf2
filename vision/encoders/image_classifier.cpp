#include "vision/encoders/image_classifier.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/kernels/gemm.h"

namespace saccade {

namespace {

constexpr float kMostRow = 127;
constexpr Index kClassesTogether = 64;  // whose weights are made 32-bit numbers at a time

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

std::vector<SeenClass> ImageClassifier::classify(std::span<const float> cells, Index rows,
                                                 Index cols) const {
  SACCADE_CHECK(rows > 0 && cols > 0 && std::ssize(cells) == rows * cols * features_,
                "[classifier] takes ", rows, " x ", cols, " cells of ", features_,
                " features; got ", cells.size(), " numbers");
  const auto side = [](Index extent) {
    return std::max(Index{1},
                    static_cast<Index>(std::lround(kShare * static_cast<double>(extent))));
  };
  const Index high = side(rows), wide = side(cols);
  const Index down = rows - high + 1, across = cols - wide + 1;
  const auto windows = static_cast<std::size_t>(down * across);
  std::vector<Real> means(windows * static_cast<std::size_t>(features_));
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c)
      for (Index y = std::max(Index{0}, r - high + 1); y <= std::min(r, down - 1); ++y)
        for (Index x = std::max(Index{0}, c - wide + 1); x <= std::min(c, across - 1); ++x)
          for (Index f = 0; f < features_; ++f)
            means[static_cast<std::size_t>((y * across + x) * features_ + f)] +=
                cells[static_cast<std::size_t>((r * cols + c) * features_ + f)] /
                static_cast<Real>(high * wide);
  std::vector<Real> scores(windows * bias_.size()), weights;
  for (Index begin = 0; begin < classes(); begin += kClassesTogether) {
    const Index end = std::min(classes(), begin + kClassesTogether);
    weights.assign(rows_.begin() + begin * features_, rows_.begin() + end * features_);
    kernels::gemm({.trans_b = Trans::kYes,
                   .m = std::ssize(scores) / classes(),
                   .n = end - begin,
                   .k = features_,
                   .a = means.data(),
                   .lda = features_,
                   .b = weights.data(),
                   .ldb = features_,
                   .c = scores.data() + begin,
                   .ldc = classes()});
  }
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = scores[i] * scales_[i % bias_.size()] + bias_[i % bias_.size()];
  std::vector<SeenClass> out;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::span<const Real> own = std::span(scores).subspan(w * bias_.size(), bias_.size());
    const double largest = *std::max_element(own.begin(), own.end());
    double total = 0;
    for (const Real score : own) total += std::exp(static_cast<double>(score) - largest);
    for (std::size_t c = 0; c < own.size(); ++c)
      if (const double p = std::exp(static_cast<double>(own[c]) - largest) / total; p >= kLeast)
        out.push_back({.number = static_cast<int>(c),
                       .probability = static_cast<float>(p),
                       .window = static_cast<int>(w)});
  }
  return out;
}

}  // namespace saccade
