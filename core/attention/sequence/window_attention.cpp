#include "core/attention/sequence/window_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

WindowAttention::WindowAttention(const ParamScope& scope, const SequenceWidths& widths,
                                 const Window& window)
    : attention_(scope, widths), window_(window) {
  if (window.radius < 0 || window.global < 0)
    throw UsageError(
        str("a window needs a radius and a number of global positions of at least 0; got ",
            window.radius, " and ", window.global));
}

AttentionMask WindowAttention::windowed(Var x, const AttentionMask& mask,
                                        NeighbourLists& lists) const {
  refuse_patterns("window", mask);
  AttentionMask own = mask;
  own.pattern = AttentionMask::Pattern::kWindow;
  own.radius = window_.radius, own.global = window_.global;
  if (mask.lengths.empty() && mask.allowed.empty()) return own;
  // The window of a position that the mask leaves out may hold no other positions than such.
  const Shape shape = x.shape();
  lists = permitted_neighbours(own, {.batch = shape[0], .queries = shape[1], .keys = shape[1]});
  return lists.mask();
}

NeighbourLists WindowAttention::earlier(Index queries, Index positions) const {
  causal_mask(queries, positions);  // checks the numbers
  NeighbourLists lists{.starts = {0}, .neighbours = {}};
  for (Index t = positions - queries; t < positions; ++t) {
    for (Index s = 0; s <= t; ++s)
      if (t - s <= window_.radius || s < window_.global || t < window_.global)
        lists.neighbours.push_back(static_cast<int>(s));
    lists.starts.push_back(static_cast<Index>(lists.neighbours.size()));
  }
  return lists;
}

Var WindowAttention::attend_causally(Tape& tape, Var x, std::span<const Var> kept) const {
  const NeighbourLists lists = earlier(x.shape()[1], kept[0].shape()[1]);
  return attention_.attend(tape, x, {.keys = kept[0], .values = kept[1]}, lists.mask());
}

ConstView WindowAttention::causal_weights(Tape& tape, Var x, std::span<const Var> kept) const {
  const NeighbourLists lists = earlier(x.shape()[1], kept[0].shape()[1]);
  return attention_.weights(tape, x, {.keys = kept[0], .values = kept[1]}, lists.mask());
}

Var WindowAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  NeighbourLists lists;
  return attention_(tape, x, windowed(x, mask, lists));
}

ConstView WindowAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  NeighbourLists lists;
  return attention_.weights(tape, x, windowed(x, mask, lists));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
