// The baseline without attention: attention.score none.
#pragma once

#include <memory>

#include "core/attention/attention.h"
#include "core/attention/gate.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Gives every word the mean feature, as in a plain CNN+RNN captioner. The weights are uniform, and
// an edit does not change them. Where all regions are masked, weights and mean are 0.
class MeanAttention : public Attention {
 public:
  explicit MeanAttention(std::unique_ptr<Gate> gate) : gate_(std::move(gate)) {}
  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override;
  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var> state,
                 const AttendContext& context) const override;
  Promises promises() const override { return {.depends_on_query = false}; }

 private:
  std::unique_ptr<Gate> gate_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
