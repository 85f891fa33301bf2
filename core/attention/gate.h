// A gate: how much of its context the decoder takes.
#pragma once

#include "core/attention/attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// sigmoid(W h + b) of the query h: one number per query (f_beta of Xu et al. 2015, section 4.2.1)
// or one per channel.
class Gate {
 public:
  // Declares `weight` [query_width, outputs] and `bias` [outputs] in the scope. `outputs` is 1 or
  // the width of the contexts.
  Gate(const ParamScope& scope, Index query_width, Index outputs);
  // Multiplies glimpse.context by the gate, and stores the gate in glimpse.gate. query is
  // [R, query_width]. Throws ShapeError where the widths differ from those of the constructor.
  void apply(Tape& tape, Var query, Glimpse& glimpse) const;

 private:
  int weight_, bias_;
};

// context [R, D] times a gate [R, 1] or [R, D]. Throws ShapeError on a gate of another shape.
Var gated(Var context, Var gate);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
