// Products with weights. Weights are stored [in, out]. The gradient of a weight that is a parameter
// is left on the tape (Tape::linear_grads) for one product over all shards.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// y = x w (+ bias);  x [..., in], w [in, out], bias [out] or no Var -> [..., out].
Var linear(Var x, Var w, Var bias = {});
// y = x w' (+ bias): the rows of w weigh the inputs;  x [..., in], w [out, in] -> [..., out].
Var linear_transposed(Var x, Var w, Var bias = {});
// sum += x w, in place: the result shares value and gradient with `sum`, whose earlier value is
// gone. Only for sums that no op reads before (their gradient must not need the value).
Var accumulate_linear(Var sum, Var x, Var w);
// Row ids[i] of table [V, E] as row i -> [n, E]. Throws ShapeError on ids outside the table.
Var embedding(Var table, std::span<const int> ids);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
