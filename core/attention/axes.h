// The other axes of the attention algebra as tables (axes.cpp, which also has those of
// attention_registry.h).
#pragma once

#include <memory>

#include "core/attention/attention_config.h"
#include "core/attention/gate.h"
#include "core/attention/normalizer.h"
#include "core/attention/scopes/scope.h"
#include "core/base/registry.h"

namespace saccade {

// How weights become a context: none of these is the expectation of the regions.
struct SelectionTraits {
  // A word takes the region that an observer draws for it, and its weights learn by an estimator
  // (attention.hard).
  bool draws_regions = false;
  bool takes_argmax = false;
  // A region is drawn inside of the mechanism, only in training, and weights learn by the gradient
  // of a relaxation.
  bool relaxes = false;
  bool keeps_largest = false;  // the regions of the k largest scores
};

inline namespace SACCADE_NUMERIC {

// The widths of what a gate is computed from and applied to.
struct GateWidths {
  Index query = 0, features = 0;
};
using GateFactory = std::unique_ptr<Gate> (*)(const ParamScope&, const GateWidths&);

const Registry<ScopeFactory>& attention_scopes();
const Registry<Normalizer>& attention_normalizers();
const Registry<SelectionTraits>& attention_selections();
const Registry<GateFactory>& attention_gates();

// The scores and mechanisms that a config may name.
const AttentionRegistry& attention_registry(const AttentionConfig& config);
// Adds what a plugin added to `with` to the choices of all configs, as `plugin.name`. Throws
// UsageError where that is nothing, or the plugin's name is not valid.
void add_plugin_choices(const std::string& plugin, const AttentionRegistry& with);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
