#include "vision/images/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <vector>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr int kFractionBits = 22;

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

double keys_cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// sinc(x) sinc(x / 3).
double lanczos(double x) {
  constexpr double kReach = 3;
  x = std::numbers::pi * std::abs(x);
  if (x >= kReach * std::numbers::pi) return 0;
  return x == 0 ? 1 : std::sin(x) / x * std::sin(x / kReach) / (x / kReach);
}

struct Filter {
  double (*weight)(double);
  double reach;
};
Filter filter_of(Interpolation interpolation) {
  if (interpolation == Interpolation::kBicubic) return {keys_cubic, 2};
  return interpolation == Interpolation::kLanczos ? Filter{lanczos, 3} : Filter{triangle, 1};
}

void take_nearest(const cv::Mat& from, cv::Mat& to, const ResizedPart& part) {
  const auto place = [](Index i, int extent, Index wanted) {
    const double at = (static_cast<double>(i) + 0.5) * extent / static_cast<double>(wanted);
    return std::min(static_cast<int>(at), extent - 1);
  };
  for (int y = 0; y < to.rows; ++y) {
    const auto* row = from.ptr<cv::Vec3b>(place(part.top + y, from.rows, part.rows));
    for (int x = 0; x < to.cols; ++x)
      to.ptr<cv::Vec3b>(y)[x] = row[place(part.left + x, from.cols, part.cols)];
  }
}

// The weights of one axis: output i is the sum of weights[i * width + k] times input first[i] + k,
// for the count[i] first k. The weights are integers, of 1 / 2^22.
struct Taps {
  int width = 0;
  std::vector<int> first, count;
  std::vector<std::int32_t> weights;

  // The inputs that are read, which are then counted from the first of them.
  cv::Range take_used() {
    const cv::Range used(first.front(), first.back() + count.back());
    for (int& one : first) one -= used.start;
    return used;
  }
};

// Of the outputs [begin, begin + outputs) of `all`.
Taps taps_of(int from, Index all, Index begin, int outputs, Interpolation interpolation) {
  const Filter filter = filter_of(interpolation);
  const double scale = static_cast<double>(from) / static_cast<double>(all),
               wider = std::max(scale, 1.0);
  const double reach = filter.reach * wider;
  Taps taps;
  taps.width = static_cast<int>(std::ceil(reach)) * 2 + 1;
  std::vector<double> weights(static_cast<std::size_t>(taps.width));
  for (Index i = begin; i < begin + outputs; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(centre - reach + 0.5));
    const int count = std::min(from, static_cast<int>(centre + reach + 0.5)) - first;
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      const double x = (k + first - centre + 0.5) / wider;
      sum += weights[static_cast<std::size_t>(k)] = filter.weight(x);
    }
    taps.first.push_back(first);
    taps.count.push_back(count);
    for (int k = 0; k < taps.width; ++k) {
      const double share = k < count ? weights[static_cast<std::size_t>(k)] / sum : 0;
      taps.weights.push_back(
          static_cast<std::int32_t>(share * (1 << kFractionBits) + (share < 0 ? -0.5 : 0.5)));
    }
  }
  return taps;
}

std::uint8_t level(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

void resample_rows(const cv::Mat& from, cv::Mat& to, const Taps& taps) {
  for (int y = 0; y < from.rows; ++y) {
    std::uint8_t* out = to.ptr<std::uint8_t>(y);
    for (int x = 0; x < to.cols; ++x, out += 3) {
      const auto i = static_cast<std::size_t>(x);
      const std::uint8_t* in = from.ptr<std::uint8_t>(y) + 3 * taps.first[i];
      const std::int32_t* weight = taps.weights.data() + i * static_cast<std::size_t>(taps.width);
      std::int32_t sum[3] = {1 << (kFractionBits - 1), 1 << (kFractionBits - 1),
                             1 << (kFractionBits - 1)};
      for (int k = 0; k < taps.count[i]; ++k, in += 3)
        for (int c = 0; c < 3; ++c) sum[c] += in[c] * weight[k];
      for (int c = 0; c < 3; ++c) out[c] = level(sum[c]);
    }
  }
}

void resample_columns(const cv::Mat& from, cv::Mat& to, const Taps& taps) {
  std::vector<std::int32_t> sums(static_cast<std::size_t>(3 * to.cols));
  for (int y = 0; y < to.rows; ++y) {
    const auto i = static_cast<std::size_t>(y);
    const std::int32_t* weight = taps.weights.data() + i * static_cast<std::size_t>(taps.width);
    std::fill(sums.begin(), sums.end(), 1 << (kFractionBits - 1));
    for (int k = 0; k < taps.count[i]; ++k) {
      const std::uint8_t* in = from.ptr<std::uint8_t>(taps.first[i] + k);
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += in[x] * weight[k];
    }
    std::uint8_t* out = to.ptr<std::uint8_t>(y);
    for (std::size_t x = 0; x < sums.size(); ++x) out[x] = level(sums[x]);
  }
}

}  // namespace

void resample(const cv::Mat& from, cv::Mat& to, Interpolation interpolation,
              const ResizedPart& part) {
  SACCADE_CHECK(interpolation != Interpolation::kArea, "[resample] takes no areas");
  SACCADE_CHECK(from.type() == CV_8UC3 && to.type() == CV_8UC3 && !from.empty() && !to.empty(),
                "[resample] takes pictures of 3 bytes a pixel");
  SACCADE_CHECK(part.top >= 0 && part.left >= 0 && part.top + to.rows <= part.rows &&
                    part.left + to.cols <= part.cols,
                "[resample] the part lies outside the picture");
  if (interpolation == Interpolation::kNearest) return take_nearest(from, to, part);
  const bool same_rows = from.rows == part.rows, same_cols = from.cols == part.cols;
  const auto top = static_cast<int>(part.top), left = static_cast<int>(part.left);
  if (same_rows && same_cols) return from(cv::Rect(left, top, to.cols, to.rows)).copyTo(to);
  Taps down = taps_of(from.rows, part.rows, part.top, to.rows, interpolation),
       across = taps_of(from.cols, part.cols, part.left, to.cols, interpolation);
  if (same_cols) return resample_columns(from.colRange(left, left + to.cols), to, down);
  if (same_rows) return resample_rows(from.rowRange(top, top + to.rows), to, across);
  const Index fewer_rows = from.rows - part.rows, fewer_columns = from.cols - part.cols;
  if (fewer_rows > std::max(Index{0}, 2 * fewer_columns)) {
    const cv::Mat used = from.colRange(across.take_used());
    cv::Mat low(to.rows, used.cols, CV_8UC3);
    resample_columns(used, low, down);
    return resample_rows(low, to, across);
  }
  const cv::Mat used = from.rowRange(down.take_used());
  cv::Mat narrow(used.rows, to.cols, CV_8UC3);
  resample_rows(used, narrow, across);
  resample_columns(narrow, to, down);
}

}  // namespace saccade
