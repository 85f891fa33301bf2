// Makes the attention of a block from its options. A mechanism is one row in
// make_sequence_attention.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/attention/sequence/block_attention.h"
#include "core/attention/sequence/sequence_attention.h"
#include "core/base/registry.h"
#include "core/nn/grid_shape.h"
#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What the positions of a block are: the cells of a grid in reading order, and before them some
// without a place in it (a class token, registers), which windows and grid neighbours never leave
// out.
struct BlockPlaces {
  GridShape grid{};
  Index placeless = 0;

  Index positions() const { return placeless + grid.cells(); }
};

struct SequenceParts;  // what a mechanism is made from

struct SequenceMechanism {
  std::unique_ptr<SequenceAttention> (*make)(const SequenceParts&);
  // Whether every two positions are compared. Of `graph`, its neighbours decide.
  bool compares_all = false;
  // Whether weights belong to single positions, and whether they are shares of one.
  bool weighs_positions = true, shares = true;
  // What follows `query` and `key` in the names of maps that may start alike; empty: one map makes
  // both.
  std::vector<std::string> maps = {""};
};
// Refinements, vision transformers and the words of the transformer decoder choose from it.
const Registry<SequenceMechanism>& sequence_attentions();

// Makes the attention of layer 0, 1, ... Throws UsageError, with the key that has to change, for
// options that do not fit the places.
std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const BlockAttention& options,
                                                           const SequenceWidths& widths,
                                                           const BlockPlaces& places, Index layer);

// The same for positions that attend to themselves and to earlier ones (causal_widths()). Throws
// UsageError for a mechanism that cannot do that.
std::unique_ptr<SequenceAttention> make_causal_attention(const ParamScope& scope,
                                                         const BlockAttention& options,
                                                         const SequenceWidths& widths, Index layer);

// Throws UsageError, with the reason, where make_causal_attention() would.
void check_causal(const BlockAttention& options);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
