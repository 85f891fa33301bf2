// What hard attention took in an update, word by word.
#pragma once

#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
class ShardLoss;
}
struct TrainShard;

struct TakenRegions {
  std::string image{};       // its id
  std::vector<int> words{};  // ids, <eos> at the end
  // [words][glimpses], by layer, then by head: the region that was taken. -1 for the expectation;
  // the number of regions for the sentinel, or for no region.
  std::vector<std::vector<int>> regions{};
};

// The captions of a shard, in its order; none where regions are summed over instead of drawn. With
// several samples per caption (leave_one_out), it stands there once for each of them.
std::vector<TakenRegions> taken_regions(const ShardLoss& loss, const TrainShard& shard);

}  // namespace saccade
