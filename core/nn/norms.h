// Normalisations with their gains and shifts.
#pragma once

#include "core/nn/parameter_store.h"
#include "core/ops/norm_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares `gain` (1 at first) and `shift` (0), a number a channel; see ops::group_norm.
class GroupNorm {
 public:
  GroupNorm(const ParamScope& scope, Index channels, const ops::GroupNormOptions& options);
  Var operator()(Tape& tape, Var x) const;  // [B, ..., channels] -> as x

 private:
  int gain_, shift_;
  ops::GroupNormOptions options_;
};

// Declares `gain` (1 at first) and `shift` (0), a number a column; see ops::layer_norm.
class LayerNorm {
 public:
  LayerNorm(const ParamScope& scope, Index width, double epsilon = 1e-5);
  Var operator()(Tape& tape, Var x) const;  // [..., width] -> as x

 private:
  int gain_, shift_;
  double epsilon_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
