// A plugin of the source tree, whose headers say of no library that they are its own.
#include "core/attention/plugin.h"

SACCADE_PLUGIN(old, registry) {
  registry.scores.add({.name = "nothing", .doc = ""},
                      [](const saccade::ParamScope&, const saccade::AttentionWidths&) {
                        return std::unique_ptr<saccade::Score>();
                      });
}
