// How the shards of a batch are cut into gradient groups, whose sums meet in a fixed binary tree.
// Ranks take whole groups, so that their number does not change a bit.
#pragma once

#include "core/base/real.h"

namespace saccade::parallel {

struct ShardRange {
  Index begin = 0, end = 0;
  Index count() const { return end - begin; }
};

// The shards of one of several groups. Where groups are more than shards, some have none. With
// `groups` a multiple of n, the n-th parts of all groups are the ranges of n groups.
constexpr ShardRange shards_of(Index group, Index groups, Index shards) {
  return {.begin = group * shards / groups, .end = (group + 1) * shards / groups};
}

}  // namespace saccade::parallel
