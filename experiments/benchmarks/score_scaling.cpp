#include "experiments/benchmarks/score_scaling.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/median.h"
#include "core/base/random.h"

namespace saccade {

namespace {

struct Weights {
  std::vector<double> values;
  std::size_t largest = 0;  // which one
};

Weights softmax_of(std::span<const double> scores) {
  const auto top = std::max_element(scores.begin(), scores.end());
  Weights out{.values = {}, .largest = static_cast<std::size_t>(top - scores.begin())};
  double sum = 0;
  for (const double score : scores) sum += out.values.emplace_back(std::exp(score - *top));
  for (double& weight : out.values) weight /= sum;
  return out;
}

// ||diag(p) - p p'||, the root of sum_i p_i^2 ((1 - p_i)^2 + sum_(j != i) p_j^2). What the largest
// weight leaves to the others is summed up, because 1 - p has no digits left where p is nearly 1.
double jacobian_norm(const Weights& weights) {
  const std::vector<double>& p = weights.values;
  double rest = 0, rest_squares = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (i != weights.largest) rest += p[i], rest_squares += p[i] * p[i];
  const double top = p[weights.largest];
  double sum = top * top * (rest * rest + rest_squares);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i == weights.largest) continue;
    const double own = p[i] * p[i];
    sum += own * ((1 - p[i]) * (1 - p[i]) + top * top + rest_squares - own);
  }
  return std::sqrt(sum);
}

double entropy_of(const std::vector<double>& weights) {
  double sum = 0;
  for (const double p : weights)
    if (p > 0) sum -= p * std::log(p);
  return sum / std::log(static_cast<double>(weights.size()));
}

}  // namespace

ScoreStatistics score_statistics(const std::vector<double>& scores, Index regions) {
  const auto length = static_cast<std::size_t>(regions);
  const double queries = static_cast<double>(scores.size()) / static_cast<double>(regions);
  ScoreStatistics out;
  std::vector<double> norms;
  for (std::size_t first = 0; first < scores.size(); first += length) {
    const std::span<const double> own{scores.data() + first, length};
    const Weights weights = softmax_of(own);
    for (const double score : own) out.variance += score * score;
    out.entropy += entropy_of(weights.values) / queries;
    out.largest += weights.values[weights.largest] / queries;
    out.jacobian += norms.emplace_back(jacobian_norm(weights)) / queries;
  }
  out.variance /= static_cast<double>(scores.size());
  out.median_norm = median(norms);
  return out;
}

ScalingRow measure_scaling(Index width, const ScalingDraws& draws) {
  std::vector<double> plain, query(static_cast<std::size_t>(width));
  for (Index i = 0; i < draws.queries; ++i) {
    Random random({.seed = draws.seed,
                   .stream = Stream::kTest,
                   .step = static_cast<std::uint64_t>(width),
                   .sample = static_cast<std::uint64_t>(i)});
    for (double& x : query) x = random.normal();
    for (Index region = 0; region < draws.regions; ++region) {
      double score = 0;
      for (const double x : query) score += x * random.normal();
      plain.push_back(score);
    }
  }
  std::vector<double> scaled = plain;
  for (double& score : scaled) score /= std::sqrt(static_cast<double>(width));
  return {.width = width,
          .plain = score_statistics(plain, draws.regions),
          .scaled = score_statistics(scaled, draws.regions)};
}

}  // namespace saccade
