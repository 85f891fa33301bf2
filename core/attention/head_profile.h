// What an attention head does, in a few shares of its weight: does it attend to the position
// before, to the one after, to the first, to itself, or to everything at once? (Clark et al. 2019,
// section 3; Voita et al. 2019, section 5.)
#pragma once

#include <cstdint>
#include <span>

#include "core/base/enum_names.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

enum class HeadKind { kPrevious, kNext, kFirst, kDiagonal, kBroad, kMixed };
constexpr auto enum_table(HeadKind) {
  using enum HeadKind;
  return enum_rows<HeadKind>({{kPrevious, "previous token", "looks one position back"},
                              {kNext, "next token", "looks one position ahead"},
                              {kFirst, "first token", "looks at the first position"},
                              {kDiagonal, "diagonal", "looks at the position itself"},
                              {kBroad, "broad", "looks everywhere alike"},
                              {kMixed, "mixed", "none of these"}});
}

// Means over the rows of maps. A row t has a previous position if t >= 1, a next one if t + 1 < L,
// itself if t < L; the first position is counted for t >= 1, where it is another than the row's
// own. A share that no row has is 0.
struct HeadProfile {
  double previous = 0, next = 0, first = 0, diagonal = 0;
  double entropy = 0;  // -sum_l p_l log p_l / log L, in [0, 1]; 0 for L = 1
  Index maps = 0;      // that were averaged
};

// A share names a head from here on: more than half of the weight.
inline constexpr double kNamedShare = 0.6;
// A head is broad from this entropy on: that of equal weights on L^0.9 of L positions.
inline constexpr double kBroadEntropy = 0.9;

// The profile of one map [T, L]: each row's sizes |w| over their sum, so that neither a sentinel's
// share nor weights below 0 (differential attention) need a rule of their own. Rows of zeros count
// with shares and entropy 0. Throws ShapeError for a map without numbers or with one that is not
// finite. Of a map over regions some of which do not count (padding), rows [T] marks with 0 the
// rows to be left out, and columns is how many of L can have weight.
struct CountedPart {
  std::span<const std::uint8_t> rows{};  // empty: all count
  Index columns = 0;                     // 0: all do
};
HeadProfile profile_of(ConstView map, const CountedPart& part = {});

// The mean over all maps of both.
HeadProfile merged(const HeadProfile& a, const HeadProfile& b);

// The largest of the shares previous, next, first, diagonal names a head if it is at least
// kNamedShare (of equal ones the first in this order); else it is broad if its entropy is at least
// kBroadEntropy; else mixed.
HeadKind kind_of(const HeadProfile& profile);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
