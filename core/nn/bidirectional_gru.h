// A bidirectional GRU over sequences (Schuster & Paliwal 1997; Cho et al. 2014): what stands at a
// step, read from the left and from the right. Bahdanau et al. 2015 call its states annotations.
#pragma once

#include <cstdint>
#include <span>

#include "core/autograd/tape.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct GruWidths {
  Index in = 0, hidden = 0;  // hidden: H, the width of the state of each direction
};

// Each direction declares input (weight and bias) and hidden (the same), which are those of
// torch.nn.GRU, transposed. Both directions start with a state of zeros.
class BidirectionalGru {
 public:
  BidirectionalGru(const ParamScope& scope, const GruWidths& widths);

  // x [T, B, in], where step t of all samples stands together -> [T, B, 2 H]: the state behind the
  // step from the left, and the one from the right. mask holds T B numbers in the same order: 0 for
  // padding, else 1; empty: nothing is padding. The state at padding is zeros, so the direction
  // that comes from the right starts at the last step that is none.
  Var operator()(Tape& tape, Var x, std::span<const std::uint8_t> mask = {}) const;

 private:
  struct Direction {
    Dense input, hidden;
  };
  enum class From { kLeft, kRight };
  // The states [T B, H] of one direction.
  Var states(Tape& tape, Var x, std::span<const std::uint8_t> mask, From from) const;

  Index width_;  // H
  Direction left_, right_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
