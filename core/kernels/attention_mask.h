// Which keys a query may attend to when all positions of a sequence attend at once: a pattern over
// (query, key), and keys that a sample leaves out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/region_places.h"

namespace saccade {

// Borrows its lists, whose sizes are in AttentionExtents. The pattern holds for every sample.
struct AttentionMask {
  enum class Pattern {
    kAll,
    kCausal,      // query t sees the keys s <= t + keys - queries: the last query sees all
    kWindow,      // |t - s| <= radius, or t < global or s < global (Beltagy et al. 2020)
    kNeighbours,  // query t sees neighbours[starts[t]] .. neighbours[starts[t + 1] - 1]
  };
  Pattern pattern = Pattern::kAll;
  Index radius = 0, global = 0;  // for kWindow
  // For kNeighbours: [queries + 1], or [batch * queries + 1] if every sample has its own lists.
  // Each list is in ascending order.
  std::span<const Index> starts = {};
  std::span<const int> neighbours = {};
  std::span<const int> lengths = {};           // [batch], the keys s < lengths[b]; empty: all keys
  std::span<const std::uint8_t> allowed = {};  // [batch, keys], the keys that are not 0; empty: all
  // [batch, keys], where the positions lie, which geometry alone reads; empty: nobody says it.
  std::span<const RegionBox> boxes = {};
};

struct AttentionExtents {
  Index batch = 0, queries = 0, keys = 0;
};

// The keys a query sees under kAll, kCausal and kWindow: [0, prefix) and [begin, end), prefix <=
// begin.
struct KeyRanges {
  Index prefix = 0, begin = 0, end = 0;
};
KeyRanges key_ranges(const AttentionMask& mask, const AttentionExtents& extents, Index query);

// The queries of `sample` may see only keys below this number.
inline Index key_limit(const AttentionMask& mask, const AttentionExtents& extents, Index sample) {
  return mask.lengths.empty() ? extents.keys : mask.lengths[static_cast<std::size_t>(sample)];
}

// Whether the sample leaves a key out for every query, whatever the pattern.
bool leaves_out(const AttentionMask& mask, const AttentionExtents& extents, Index sample,
                Index key);

// The list of keys of a kNeighbours query.
std::span<const int> neighbours_of(const AttentionMask& mask, const AttentionExtents& extents,
                                   Index sample, Index query);

// Fills `keys` with those of the list that the sample may see.
void seen_neighbours(const AttentionMask& mask, const AttentionExtents& extents, Index sample,
                     Index query, std::vector<Index>& keys);

// Whether the query may see the key: the definition that the optimized paths are tested against.
bool permits(const AttentionMask& mask, const AttentionExtents& extents, Index sample, Index query,
             Index key);

// Throws ShapeError, with `op` in front, if lists and extents do not fit or a query sees no key at
// all.
void check_mask(const char* op, const AttentionMask& mask, const AttentionExtents& extents);

}  // namespace saccade
