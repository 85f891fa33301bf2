// Makes the gate of a config. A gate is one line in gates.def.
#pragma once

#include <memory>

#include "core/attention/gate.h"

namespace saccade {

enum class GateKind;  // gate_kind.h

inline namespace SACCADE_NUMERIC {

// The widths of what a gate is computed from and applied to.
struct GateWidths {
  Index query = 0, features = 0;
};

// Makes the gate of a registry entry; null for `none`.
std::unique_ptr<Gate> make_gate(GateKind kind, const ParamScope& scope, const GateWidths& widths);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
