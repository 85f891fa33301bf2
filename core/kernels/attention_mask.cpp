#include "core/kernels/attention_mask.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

namespace {

using Pattern = AttentionMask::Pattern;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

bool sees(std::span<const std::uint8_t> allowed, const AttentionExtents& extents, Index sample,
          Index key) {
  return allowed.empty() || allowed[at(sample * extents.keys + key)] != 0;
}

void check_lists(const char* op, const AttentionMask& mask, const AttentionExtents& extents) {
  const auto count = static_cast<Index>(mask.starts.size());
  SACCADE_CHECK(count == extents.queries + 1 || count == extents.batch * extents.queries + 1, "[",
                op, "] ", count, " list starts for ", extents.queries, " queries of ",
                extents.batch, " samples");
  SACCADE_CHECK(
      mask.starts.front() == 0 && mask.starts.back() == static_cast<Index>(mask.neighbours.size()),
      "[", op, "] the list starts must go from 0 to ", mask.neighbours.size());
  for (Index i = 0; i + 1 < count; ++i) {
    const Index begin = mask.starts[at(i)], end = mask.starts[at(i + 1)];
    SACCADE_CHECK(begin <= end && end <= mask.starts.back(), "[", op, "] list starts must ascend");
    for (Index e = begin; e < end; ++e) {
      const Index key = mask.neighbours[at(e)];
      SACCADE_CHECK(
          key >= 0 && key < extents.keys && (e == begin || key > mask.neighbours[at(e - 1)]), "[",
          op, "] the neighbours of query ", i, " must ascend and be below ", extents.keys);
    }
  }
}

// For each key, how many of the keys below it a sample may see, so that a range takes one
// subtraction.
std::vector<Index> count_allowed(const AttentionMask& mask, const AttentionExtents& extents,
                                 Index sample) {
  std::vector<Index> below(at(extents.keys + 1), 0);
  const Index limit = key_limit(mask, extents, sample);
  for (Index s = 0; s < extents.keys; ++s)
    below[at(s + 1)] = below[at(s)] + (s < limit && sees(mask.allowed, extents, sample, s) ? 1 : 0);
  return below;
}

}  // namespace

KeyRanges key_ranges(const AttentionMask& mask, const AttentionExtents& extents, Index query) {
  switch (mask.pattern) {
    case Pattern::kCausal:
      return {.end =
                  std::clamp<Index>(query + 1 + extents.keys - extents.queries, 0, extents.keys)};
    case Pattern::kWindow: {
      if (query < mask.global) return {.end = extents.keys};
      const Index prefix = std::min(mask.global, extents.keys);
      const Index begin = std::max(prefix, query - mask.radius);
      return {.prefix = prefix,
              .begin = begin,
              .end = std::max(begin, std::min(extents.keys, query + mask.radius + 1))};
    }
    case Pattern::kAll:
    case Pattern::kNeighbours:
      break;
  }
  return {.end = extents.keys};
}

bool leaves_out(const AttentionMask& mask, const AttentionExtents& extents, Index sample,
                Index key) {
  return key >= key_limit(mask, extents, sample) || !sees(mask.allowed, extents, sample, key);
}

std::span<const int> neighbours_of(const AttentionMask& mask, const AttentionExtents& extents,
                                   Index sample, Index query) {
  const bool shared = static_cast<Index>(mask.starts.size()) == extents.queries + 1;
  const Index list = shared ? query : sample * extents.queries + query;
  const Index begin = mask.starts[at(list)], end = mask.starts[at(list + 1)];
  return mask.neighbours.subspan(at(begin), at(end - begin));
}

void seen_neighbours(const AttentionMask& mask, const AttentionExtents& extents, Index sample,
                     Index query, std::vector<Index>& keys) {
  const Index limit = key_limit(mask, extents, sample);
  keys.clear();
  for (const int s : neighbours_of(mask, extents, sample, query))
    if (s < limit && sees(mask.allowed, extents, sample, s)) keys.push_back(s);
}

bool permits(const AttentionMask& mask, const AttentionExtents& extents, Index sample, Index query,
             Index key) {
  if (leaves_out(mask, extents, sample, key)) return false;
  switch (mask.pattern) {
    case Pattern::kAll:
      return true;
    case Pattern::kCausal:
      return key <= query + extents.keys - extents.queries;
    case Pattern::kWindow:
      return std::abs(query - key) <= mask.radius || query < mask.global || key < mask.global;
    case Pattern::kNeighbours: {
      const auto list = neighbours_of(mask, extents, sample, query);
      return std::binary_search(list.begin(), list.end(), static_cast<int>(key));
    }
  }
  return false;
}

void check_mask(const char* op, const AttentionMask& mask, const AttentionExtents& extents) {
  SACCADE_CHECK(mask.lengths.empty() || static_cast<Index>(mask.lengths.size()) == extents.batch,
                "[", op, "] ", mask.lengths.size(), " lengths for ", extents.batch, " samples");
  for (const int length : mask.lengths)
    SACCADE_CHECK(length >= 0 && length <= extents.keys, "[", op, "] length ", length, " of ",
                  extents.keys, " keys");
  SACCADE_CHECK(mask.allowed.empty() ||
                    static_cast<Index>(mask.allowed.size()) == extents.batch * extents.keys,
                "[", op, "] ", mask.allowed.size(), " flags for ", extents.batch, " samples of ",
                extents.keys, " keys");
  const bool lists = mask.pattern == Pattern::kNeighbours;
  if (lists) check_lists(op, mask, extents);
  if (mask.pattern == Pattern::kWindow)
    SACCADE_CHECK(mask.radius >= 0 && mask.global >= 0 && extents.queries == extents.keys, "[", op,
                  "] a window of radius ", mask.radius, " with ", mask.global,
                  " global positions over ", extents.queries, " queries and ", extents.keys,
                  " keys");
  for (Index b = 0; b < extents.batch; ++b) {
    const std::vector<Index> below = count_allowed(mask, extents, b);
    const auto seen = [&](Index begin, Index end) { return below[at(end)] - below[at(begin)]; };
    for (Index t = 0; t < extents.queries; ++t) {
      Index count = 0;
      if (lists) {
        for (const int s : neighbours_of(mask, extents, b, t)) count += seen(s, s + 1);
      } else {
        const KeyRanges ranges = key_ranges(mask, extents, t);
        count = seen(0, ranges.prefix) + seen(ranges.begin, ranges.end);
      }
      SACCADE_CHECK(count > 0, "[", op, "] query ", t, " of sample ", b, " may attend to no key");
    }
  }
}

}  // namespace saccade
