#include "captioning/scoring/statistics/bootstrap.h"

#include "captioning/scoring/statistics/rates.h"

namespace saccade {

std::vector<ScoreInterval> bootstrap(std::span<const ImageStatistics> system,
                                     const Resampling& resampling) {
  RowTable table;
  table.add(system);
  const auto scores = resample_scores(table, resampling);
  std::vector<ScoreInterval> out;
  for (std::size_t m = 0; m < system.size(); ++m) {
    out.push_back({.metric = system[m].metric,
                   .score = system[m].whole(),
                   .interval = is_rate(system[m])
                                   ? rate_interval(system[m], resampling.level)
                                   : percentile_interval(scores[m], resampling.level),
                   .undefined = count_undefined(scores[m])});
  }
  return out;
}

std::vector<PairedDifference> paired_bootstrap(std::span<const ImageStatistics> a,
                                               std::span<const ImageStatistics> b,
                                               const Resampling& resampling) {
  const RowTable table = paired_rows(a, b);
  const auto scores = resample_scores(table, resampling);
  std::vector<PairedDifference> out;
  for (std::size_t m = 0; m < a.size(); ++m) {
    std::vector<double> differences = scores[m];
    for (std::size_t r = 0; r < differences.size(); ++r) {
      differences[r] = score_difference(differences[r], scores[a.size() + m][r]);
    }
    const double score_a = a[m].whole(), score_b = b[m].whole();
    out.push_back({.metric = a[m].metric,
                   .score_a = score_a,
                   .score_b = score_b,
                   .difference = score_difference(score_a, score_b),
                   .interval = percentile_interval(differences, resampling.level),
                   .variance = variance_of(differences),
                   .undefined = count_undefined(differences)});
  }
  return out;
}

}  // namespace saccade
