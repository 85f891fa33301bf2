#include "core/attention/weight_edit.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

void UniformWeights::edit(Index, std::span<Real> weights) const {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::fill(weights.begin(), weights.end(),
            static_cast<Real>(total / static_cast<double>(weights.size())));
}

void ShuffledWeights::edit(Index memory, std::span<Real> weights) const {
  SACCADE_ASSERT(memory < static_cast<Index>(keys_.size()), "memory ", memory, " of ", keys_.size(),
                 " has no permutation");
  Random(keys_[static_cast<std::size_t>(memory)]).shuffle(weights);
}

Var edited(Tape& tape, Var weights, const AttentionMemory& memory, const WeightEdit* edit) {
  if (!edit) return weights;
  SACCADE_CHECK(!tape.recording(), "[attention] edited weights have no gradient");
  const ConstView from = weights.value();
  const View out{tape.scratch(from.size()), from.shape};
  std::copy_n(from.data, from.size(), out.data);
  const Index regions = memory.regions();
  std::vector<Index> seen;
  std::vector<Real> row;
  for (Index r = 0; r < out.rows(); ++r) {
    const Index m = r / memory.layout.group;
    seen.clear();
    row.clear();
    for (Index l = 0; l < regions; ++l) {
      if (memory.layout.mask && memory.layout.mask.value().row(m)[l] == 0) continue;
      seen.push_back(l);
      row.push_back(out.row(r)[l]);
    }
    edit->edit(m, row);
    for (std::size_t i = 0; i < seen.size(); ++i) out.row(r)[seen[i]] = row[i];
  }
  return tape.constant(out);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
