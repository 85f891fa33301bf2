#include "captioning/learning/training/cost_ahead.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "captioning/learning/config/experiment_config.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"

namespace saccade {

namespace {

Index within(Index count, Index limit) { return limit == 0 ? count : std::min(count, limit); }

// 3 for 2.7; 20 for 23; for estimates.
Index rounded(double value) {
  if (value < 10) return std::max<Index>(1, std::lround(value));
  const double unit = std::pow(10, std::floor(std::log10(value)));
  return std::lround(std::round(value / unit) * unit);
}

// Whether attention of this kind compares every two regions.
bool compares_all(const RefinementConfig& refine) {
  return sequence_attentions().at(refine.type).compares_all ||
         (refine.type == "graph" && (refine.neighbours == NeighbourKind::kCosine ||
                                     refine.neighbours == NeighbourKind::kEuclidean));
}

}  // namespace

std::string drawing_cost(const DataConfig& config) {
  constexpr Index kFew = 100'000;
  constexpr double kBytes = 3.5e3, kSeconds = 3e-5;  // of an image, as measured
  if (!config.is_drawn()) return "";
  const bool scenes = config.type == DataKind::kScenes;
  const std::array<std::pair<const char*, Index>, 3> parts = {
      {{"train", within(scenes ? config.scenes.train : config.sequences.train, config.limit_train)},
       {"val", within(scenes ? config.scenes.val : config.sequences.val, config.limit_val)},
       {"test", scenes ? config.scenes.test : config.sequences.test}}};
  Index all = 0;
  for (const auto& [name, count] : parts) all += count;
  if (all <= kFew) return "";
  const auto* most = std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto count = static_cast<double>(all);
  return str("making ", all, scenes ? " scenes" : " texts", " takes about ",
             rounded(kBytes * count / 1e6), " MB and ", rounded(kSeconds * count),
             " s or more; lower data.", enum_name(config.type), ".", most->first, " (",
             most->second, ") if that is too much");
}

std::string refinement_cost(const ExperimentConfig& config, const GridShape& grid) {
  constexpr double kMuch = 1e8;  // pairs in an update
  const RefinementConfig& refine = config.encoder.refine;
  if (refine.layers == 0 || !compares_all(refine)) return "";
  const auto regions = static_cast<double>(grid.rows * grid.cols);
  const double pairs = regions * regions * static_cast<double>(config.train.batch * refine.layers);
  if (pairs < kMuch) return "";
  return str("an image has ", grid.rows, " x ", grid.cols, " regions, and encoder.refine.type ",
             refine.type, " compares every two of them: ", rounded(pairs / 1e6),
             " million pairs in an update, which may take minutes; a smaller encoder.image_size, ",
             "a later layer, or type window compares fewer");
}

}  // namespace saccade
