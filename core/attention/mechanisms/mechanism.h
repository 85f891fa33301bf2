// What the mechanisms that do not factor into axes are made from. One file each, one line in
// mechanisms.def; their classes are called ...Look, those over whole sequences ...Attention.
#pragma once

#include <memory>

#include "core/attention/attention.h"
#include "core/attention/gate.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct MechanismParts {
  ParamScope scope;
  Index features = 0, keys = 0;  // D, K: as wide as the features where these are scored
  Index query = 0, hidden = 0;   // Q, A
  Index regions = 0;             // most that a memory has (linformer)
  Index projected = 0;           // mixtures of regions (linformer)
  std::unique_ptr<Gate> gate;    // may be none
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
