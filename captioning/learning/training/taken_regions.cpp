#include "captioning/learning/training/taken_regions.h"

#include "captioning/learning/training/train_step.h"

namespace saccade {

std::vector<TakenRegions> taken_regions(const ShardLoss& loss, const TrainShard& shard) {
  if (loss.output().draws.empty()) return {};
  const PackedCaptions& rows = loss.rows();
  const auto samples = static_cast<std::size_t>(rows.captions() / loss.captions());
  std::vector<TakenRegions> out(static_cast<std::size_t>(rows.captions()));
  for (std::size_t r = 0; r < out.size(); ++r) out[r].image = shard.ids[r / samples];
  std::size_t n = 0;
  for (std::size_t t = 0; t < rows.rows.size(); ++t)
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows.rows[t]); ++r, ++n) {
      out[r].words.push_back(rows.targets[n]);
      std::vector<int>& regions = out[r].regions.emplace_back();
      for (const RegionDraws& draw : loss.output().draws[t]) regions.push_back(draw.chosen[r]);
    }
  return out;
}

}  // namespace saccade
