// Normalisations with their gains and shifts.
#pragma once

#include "core/nn/parameter_store.h"
#include "core/ops/norm_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares `gain` (1 at first) and `shift` (0), one number per channel; see ops::group_norm.
class GroupNorm {
 public:
  GroupNorm(const ParamScope& scope, Index channels, const ops::GroupNormOptions& options);
  Var operator()(Tape& tape, Var x) const;  // [B, ..., channels] -> as x

 private:
  int gain_, shift_;
  ops::GroupNormOptions options_;
};

// Where a gain starts: 1, or 0 for a branch that is to add nothing at first.
struct BatchNormStart {
  double gain = 1;
};

// Batch normalisation with fixed statistics (see ops::ChannelNorm). Declares, by the names
// pretrained weights have, `weight` (the gain), `bias` (0), and what is never trained:
// `running_mean` (0) and `running_var` (1), one number per channel each.
class BatchNorm {
 public:
  BatchNorm(const ParamScope& scope, Index channels, const BatchNormStart& start = {});
  ops::ChannelNorm on(Tape& tape) const;
  Var operator()(Tape& tape, Var x, Activation activation = Activation::kNone) const;

 private:
  int gain_, shift_, mean_, variance_;
};

// Declares `gain` (1 at first) and `shift` (0), one number per column; see ops::layer_norm.
class LayerNorm {
 public:
  LayerNorm(const ParamScope& scope, Index width, double epsilon = 1e-5);
  Var operator()(Tape& tape, Var x) const;  // [..., width] -> as x

 private:
  int gain_, shift_;
  double epsilon_;
};

// Mean 0 and deviation 1 in every row of x [..., width]: a layer norm without parameters.
Var standardized(Tape& tape, Var x);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
