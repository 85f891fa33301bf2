// What the mechanisms that do not factor into axes are made from. Each has one file and one line in
// mechanisms.def. Their classes are named ...Mechanism; those over whole sequences, in sequence/,
// are named ...Attention.
#pragma once

#include <functional>
#include <memory>

#include "core/attention/attention.h"
#include "core/attention/gate.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct MechanismParts {
  ParamScope scope;
  Index features = 0, keys = 0;  // D, K; K is D where the scores read the features
  Index query = 0, hidden = 0;   // Q, A
  Index regions = 0;             // the largest number of a memory's regions (linformer)
  Index projected = 0;           // mixtures of regions (linformer)
  std::unique_ptr<Gate> gate;    // may be none
};
using MechanismFactory = std::function<std::unique_ptr<Attention>(MechanismParts)>;

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
