// What an attention head does, described by a few shares of its weight: does it attend to the
// position before, to the one after, to the first, to itself, to all at once, or to what it reads,
// wherever that is? (Clark et al. 2019, section 3; Voita et al. 2019, section 5.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/enum_names.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

enum class HeadKind { kPrevious, kNext, kFirst, kDiagonal, kContent, kBroad, kMixed };
constexpr auto enum_table(HeadKind) {
  using enum HeadKind;
  return enum_rows<HeadKind>({{kPrevious, "previous token", "attends to the position before"},
                              {kNext, "next token", "attends to the position after"},
                              {kFirst, "first token", "attends to the first position"},
                              {kDiagonal, "diagonal", "attends to the position itself"},
                              {kContent, "content", "attends elsewhere in every picture"},
                              {kBroad, "broad", "attends to all positions about equally"},
                              {kMixed, "mixed", "none of these"}});
}

// Means over the rows of maps. Row t has a previous position if t >= 1, a next one if t + 1 < L,
// and itself if t < L. The first position counts for t >= 1, where it is not the row's own. A share
// to which no row contributes is 0.
struct HeadProfile {
  double previous = 0, next = 0, first = 0, diagonal = 0;
  double entropy = 0;  // -sum_l p_l log p_l / log L, in [0, 1]; 0 for L = 1
  Index maps = 0;      // the number of maps in the means
};

// From this share on, more than half of the weight, a share names a head.
inline constexpr double kNamedShare = 0.6;
// From this entropy on a head is broad: it is the entropy of equal weights on L^0.9 of L positions.
inline constexpr double kBroadEntropy = 0.9;
// From this content on, half of the weight, a head attends to what it reads and not to places.
inline constexpr double kContentShare = 0.5;

// The part of a map that is left where regions are masked (padding).
struct UnmaskedPart {
  std::span<const std::uint8_t> rows{};  // [T], 0 for masked rows, else 1; empty: none is masked
  Index columns = 0;                     // how many of the L columns can have weight; 0: all
  // Row t can weigh the columns up to t alone. Its entropy is divided by that of as many equal
  // weights, and row 0, which has no choice, counts nowhere.
  bool causal = false;
};

// The profile of one map [T, L]. Each row is taken as |w| over the sum of its |w|, so that neither
// a sentinel's share nor weights below 0 (differential attention) need a rule of their own. Rows of
// zeros count, with shares and entropy 0. Throws ShapeError for a map that is empty or not finite.
HeadProfile profile_of(ConstView map, const UnmaskedPart& part = {});

// The mean over all maps of both.
HeadProfile merged(const HeadProfile& a, const HeadProfile& b);

// A map of which some columns are masked.
struct MaskedMap {
  ConstView map;                         // [T, L]
  std::span<const std::uint8_t> seen{};  // [L], 0 for masked columns, else 1; empty: none is masked
  UnmaskedPart part{};
};

// How differently two maps of the same head weigh the same places: half of the sum of |p - q| over
// a row, which is the share of the weight that lies elsewhere, averaged over the rows that both
// have. Between maps of different pictures or captions it is the content of a head: 0 if the
// weights follow from the position alone, 1 if they never lie on the same places. Columns that are
// masked in one of the maps count in neither, and of maps with different numbers of rows or columns
// the first ones are compared. NaN where no row can be compared.
double content_between(const MaskedMap& a, const MaskedMap& b);

// The head is named by the largest of the shares previous, next, first and diagonal if that is at
// least kNamedShare (of equal shares, by the first in this order). Otherwise it attends to content
// if that is known and at least kContentShare; it is broad if its entropy is at least
// kBroadEntropy, and mixed if not.
HeadKind kind_of(const HeadProfile& profile, std::optional<double> content = {});

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
