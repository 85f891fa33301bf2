// Ops between queries and an attention memory. Query row r reads memory r / group (group is 1 in
// training and the beam width in search). R rows, M memories, L regions, D and A widths. The first
// three throw ShapeError where a memory is not [M, L, .], group is below 1, there are more rows
// than M * group, or widths differ.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// e = v' tanh(keys + query) (Bahdanau et al. 2015, with keys = U a and query = W h);  keys [M, L,
// A], query [R, A], v [A] -> [R, L].
Var additive_score(Var keys, Var query, Var v, Index group);
// e = scale keys' query (Luong et al. 2015; with scale 1 / sqrt(A) Vaswani et al. 2017);  keys
// [M, L, A], query [R, A] -> [R, L].
Var dot_score(Var keys, Var query, Real scale, Index group);
// z[r] = sum_l weights[r, l] features[m, l, :] where chosen[r] < 0 (the expectation), and
// features[m, chosen[r], :] otherwise (a hard choice), with m = r / group;  features [M, L, D],
// weights [R, L] -> [R, D]. An empty `chosen` means the expectation in every row. The weights of
// hard rows get no gradient. Throws ShapeError, too, where weights do not have L columns, `chosen`
// has another number of rows, or a choice is L or more.
Var context(Var features, Var weights, std::span<const int> chosen, Index group);
// What coverage() counts: sums on both sides of their targets, or only those below. Training reads
// it; a mechanism does not need it.
enum class CoverageSides { kBoth, kBelow };
// sum_i gap(targets[b] - sum_t weights_t[b, i])^2 for every caption b -> [B], where gap(x) is x
// (kBoth) or max(0, x) (kBelow). With targets of 1 and both sides it is the doubly stochastic
// penalty (Xu et al. 2015, section 4.2.1). weights_t [R_t, L], where R_t never increases and row b
// of step t belongs to caption b; targets [B]. Throws ShapeError without a step, where the first
// step does not have B rows, and where a later one has more rows or another L.
Var coverage(std::span<const Var> weights, std::span<const Real> targets, CoverageSides sides);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
