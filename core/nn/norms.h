// Normalisations with their gains and shifts.
#pragma once

#include "core/nn/parameter_store.h"
#include "core/ops/norm_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares `gain` (initially 1) and `shift` (initially 0), one number per channel; see
// ops::group_norm.
class GroupNorm {
 public:
  GroupNorm(const ParamScope& scope, Index channels, const ops::GroupNormOptions& options);
  Var operator()(Tape& tape, Var x) const;  // [B, ..., channels] -> the same shape

 private:
  int gain_, shift_;
  ops::GroupNormOptions options_;
};

// The initial gain, 1, or 0 for a branch that should add nothing at first; and what is added to the
// variance.
struct BatchNormStart {
  double gain = 1;
  double epsilon = 1e-5;
};

// Batch normalisation with fixed statistics (see ops::ChannelNorm). Declares, by the names that
// pretrained weights have, `weight` (the gain) and `bias` (initially 0), and, never trained,
// `running_mean` (0) and `running_var` (1), with one number per channel each.
class BatchNorm {
 public:
  BatchNorm(const ParamScope& scope, Index channels, const BatchNormStart& start = {});
  ops::ChannelNorm on(Tape& tape) const;
  Var operator()(Tape& tape, Var x, Activation activation = Activation::kNone) const;

 private:
  int gain_, shift_, mean_, variance_;
  double epsilon_;
};

// Declares `gain` (initially 1) and `shift` (initially 0), one number per column; see
// ops::layer_norm.
class LayerNorm {
 public:
  LayerNorm(const ParamScope& scope, Index width, double epsilon = 1e-5);
  Var operator()(Tape& tape, Var x) const;  // [..., width] -> the same shape

 private:
  int gain_, shift_;
  double epsilon_;
};

// Gives every row of x [..., width] mean 0 and standard deviation 1: a layer norm without
// parameters.
Var standardized(Tape& tape, Var x);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
