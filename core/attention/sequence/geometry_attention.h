// Attention among regions that knows how their boxes lie to each other (Herdade et al. 2019, "Image
// Captioning: Transforming Objects into Words", section 3.2).
#pragma once

#include <vector>

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// out = [head_1 .. head_H] W_o + b_o with head_h = A_h V_h, where A_h[m, n] is the share of
// w_h[m, n] exp(<Q_h[m], K_h[n]> / sqrt(d)) in its row, and w_h[m, n] = max(<e[m, n], g_h> + c_h,
// 1e-6). e [64] has, for each l of log(|x_m - x_n| / w_m), log(|y_m - y_n| / h_m), log(w_n / w_m)
// and log(h_n / h_m), the sine and cosine of 100 l / 1000^(i / 8), i = 0 .. 7; x and y are centres,
// and a distance counts as a thousandth of a side at least. Declares query, key, value, output, and
// geometry.weight g [64, H] and geometry.bias c [H] (initially 1, so that all pairs start open).
class GeometryAttention : public SequenceAttention {
 public:
  // The boxes are those of the mask; where it has none, the cells of the grid, and for tokens
  // without a place the whole picture. Throws UsageError if the heads do not divide the features.
  GeometryAttention(const ParamScope& scope, const SequenceWidths& widths,
                    const BlockPlaces& places);

  // Throws ShapeError where regions are no cells and the mask has no boxes.
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;

 private:
  Var bias(Tape& tape, const Shape& shape, const AttentionMask& mask) const;

  Index heads_;
  bool scattered_;
  std::vector<RegionBox> cells_;  // [L]
  Dense query_, key_, value_, output_;
  int weight_, bias_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
