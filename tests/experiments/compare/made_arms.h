// Comparisons of made scores, whose true differences and deviations are known.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "experiments/compare/verdict.h"

namespace saccade::test {

using Seeds = std::vector<std::int64_t>;

// The scores of an arm in one metric: each image has a shift that all arms share (deviation .2) and
// each run one of its own, which differs from image to image by `rest`.
struct Made {
  Seeds seeds{1};
  std::vector<double> runs{};  // the shift of each run; all 0 where there are fewer
  double rest = 0.1;
  std::size_t images = 200;
};

inline double shift_of(const Made& made, std::size_t run) {
  return run < made.runs.size() ? made.runs[run] : 0;
}

inline ImageStatistics scored(const std::string& metric, const Made& made, std::size_t run,
                              std::uint64_t arm) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < made.images; ++i) {
    Random shared({3, Stream::kTest, i, 0});
    Random own(
        {3, Stream::kTest, i, 1000 * (arm + 1) + static_cast<std::uint64_t>(made.seeds[run])});
    scores.push_back(0.5 + shift_of(made, run) + 0.2 * shared.normal() + made.rest * own.normal());
  }
  return mean_statistics(metric, scores);
}

inline ArmResult arm_of(const std::string& name, std::uint64_t number,
                        const std::vector<std::pair<std::string, Made>>& metrics) {
  ArmResult out;
  out.arm.name = name;
  const Made& first = metrics[0].second;
  for (std::size_t run = 0; run < first.seeds.size(); ++run) {
    SeedResult& seed = out.seeds.emplace_back();
    seed.seed = first.seeds[run];
    RegimeScores& scores = seed.regimes.emplace_back();
    for (const auto& [name_of, made] : metrics) {
      scores.metrics.push_back(scored(name_of, made, run, number));
      scores.corpus.emplace_back(name_of, scores.metrics.back().whole());
    }
  }
  return out;
}

inline Comparison comparison_of(std::vector<ArmResult> arms) {
  Comparison out;
  out.arms = std::move(arms);
  return out;
}

inline JudgeOptions options(const std::string& primary = "",
                            const std::vector<std::string>& margins = {}) {
  return judge_options(primary, margins, {.replicates = 2000});
}

inline std::string said(const Comparison& comparison, const JudgeOptions& how = options()) {
  std::string out;
  for (const std::string& sentence : verdict(judge(comparison, how))) out += sentence + "\n";
  return out;
}

}  // namespace saccade::test
