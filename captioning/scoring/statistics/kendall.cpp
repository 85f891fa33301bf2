#include "captioning/scoring/statistics/kendall.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace saccade {

namespace {

using Point = std::pair<double, double>;

struct Ties {
  Index distinct = 0;
  std::int64_t pairs = 0;
};

// Of sorted items, runs of which are equal.
template <class T, class Equal>
Ties count_ties(const std::vector<T>& sorted, Equal equal) {
  Ties out;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && equal(sorted[begin], sorted[end])) ++end;
    const auto run = static_cast<std::int64_t>(end - begin);
    ++out.distinct;
    out.pairs += run * (run - 1) / 2;
  }
  return out;
}

// Sorts the values (by a merge sort from the bottom up) and counts the pairs that were in the wrong
// order.
std::int64_t sort_counting(std::vector<double>& values) {
  std::int64_t inversions = 0;
  std::vector<double> merged(values.size());
  for (std::size_t run = 1; run < values.size(); run *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * run) {
      const std::size_t middle = std::min(begin + run, values.size());
      const std::size_t end = std::min(begin + 2 * run, values.size());
      std::size_t left = begin, right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        if (right == end || (left < middle && values[left] <= values[right])) {
          merged[out] = values[left++];
        } else {
          merged[out] = values[right++];
          inversions += static_cast<std::int64_t>(middle - left);
        }
      }
    }
    values.swap(merged);
  }
  return inversions;
}

}  // namespace

KendallCounts count_kendall(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    throw DataError(
        str("Kendall's tau: got ", x.size(), " and ", y.size(), " values; needs as many of both"));
  }
  std::vector<Point> points;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) {
      throw DataError(str("Kendall's tau: observation ", i, " is not a number; leave it out"));
    }
    points.emplace_back(x[i], y[i]);
  }
  // Where x is tied, y ascends, so that a pair tied in x never counts as an inversion of y.
  std::sort(points.begin(), points.end());
  const Ties ties_x =
      count_ties(points, [](const Point& a, const Point& b) { return a.first == b.first; });
  const Ties ties_both = count_ties(points, std::equal_to<>());
  std::vector<double> by_x;
  by_x.reserve(points.size());
  for (const Point& point : points) by_x.push_back(point.second);

  KendallCounts out;
  out.observations = static_cast<Index>(points.size());
  out.pairs = out.observations * (out.observations - 1) / 2;
  out.discordant = sort_counting(by_x);
  const Ties ties_y = count_ties(by_x, std::equal_to<>());
  out.distinct_x = ties_x.distinct;
  out.distinct_y = ties_y.distinct;
  out.tied_x = ties_x.pairs;
  out.tied_y = ties_y.pairs;
  out.tied_both = ties_both.pairs;
  out.concordant = out.pairs - out.tied_x - out.tied_y + out.tied_both - out.discordant;
  return out;
}

std::optional<double> tau_b(const KendallCounts& counts) {
  const auto free_x = static_cast<double>(counts.pairs - counts.tied_x);
  const auto free_y = static_cast<double>(counts.pairs - counts.tied_y);
  if (free_x == 0 || free_y == 0) return std::nullopt;
  return static_cast<double>(counts.concordant - counts.discordant) / std::sqrt(free_x * free_y);
}

std::optional<double> tau_c(const KendallCounts& counts) {
  const auto m = static_cast<double>(std::min(counts.distinct_x, counts.distinct_y));
  if (m < 2) return std::nullopt;
  const auto n = static_cast<double>(counts.observations);
  return static_cast<double>(counts.concordant - counts.discordant) * 2 * m / (n * n * (m - 1));
}

}  // namespace saccade
