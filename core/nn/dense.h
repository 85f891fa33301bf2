// A dense layer: y = x W + b.
#pragma once

#include "core/autograd/tape.h"
#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct DenseWidths {
  Index in = 0, out = 0;
};

// Declares `weight` [in, out] (initialised as in Glorot and Bengio 2010) and `bias` [out]
// (initially 0).
class Dense {
 public:
  Dense(const ParamScope& scope, const DenseWidths& widths);
  Var operator()(Tape& tape, Var x) const;  // [..., in] -> [..., out]

 private:
  int weight_, bias_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
