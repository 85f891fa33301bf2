// What a mechanism is made from that does not factor into the axes of the attention algebra.
// A program adds its own to AttentionRegistry::mechanisms.
#pragma once

#include <functional>
#include <memory>

#include "core/attention/attention.h"
#include "core/attention/gate.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What a mechanism is given when a model is made.
struct MechanismParts {
  ParamScope scope;            // where it declares its weights
  Index features = 0;          // D, the width of the features
  Index keys = 0;              // K, the width of what is scored; D where the scores read features
  Index query = 0;             // Q, the width of queries
  Index hidden = 0;            // A, the value of attention.hidden
  Index regions = 0;           // the largest number of a memory's regions (linformer)
  Index projected = 0;         // the number of mixtures of regions (linformer)
  std::unique_ptr<Gate> gate;  // to be applied to every glimpse; may be none
};
// Makes a mechanism.
using MechanismFactory = std::function<std::unique_ptr<Attention>(MechanismParts)>;

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
