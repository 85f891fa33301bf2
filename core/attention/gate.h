// The gate axis: how much of its context the decoder takes. A gate is one line in gates.def.
#pragma once

#include <memory>

#include "core/attention/attention.h"

namespace saccade {

enum class GateKind;  // gate_kind.h

inline namespace SACCADE_NUMERIC {

struct GateWidths {
  Index query = 0, features = 0;
};

// sigmoid(W h + b): one number per query (f_beta of Xu et al. 2015) or one per channel.
class Gate {
 public:
  Gate(const ParamScope& scope, Index query_width, Index outputs);
  // Multiplies glimpse.context by the gate, and stores the gate in glimpse.gate. An informed
  // glimpse (AttendContext::informed) stays as it is.
  void apply(Tape& tape, Var query, const AttendContext& context, Glimpse& glimpse) const;

 private:
  int weight_, bias_;
};

// context [R, D] times a gate [R, 1] or [R, D].
Var gated(Var context, Var gate);

// Makes the gate of a registry entry; null for `none`.
std::unique_ptr<Gate> make_gate(GateKind kind, const ParamScope& scope, const GateWidths& widths);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
