// Products with weights, which are stored [in, out]. The gradient of a weight that is a parameter
// is left on the tape (Tape::linear_grads), for one product over all shards. All throw ShapeError
// where w is not a matrix or extents differ from those that are given here.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// y = x w (+ bias);  x [..., in], w [in, out], bias [out] or no Var -> [..., out].
Var linear(Var x, Var w, Var bias = {});
// y = x w' (+ bias): each output has a row of w as its weights;  x [..., in], w [out, in] ->
// [..., out].
Var linear_transposed(Var x, Var w, Var bias = {});
// sum += x w, in place: the result shares value and gradient with `sum`, whose earlier value is
// overwritten. Only for a `sum` that no earlier op reads, and whose own gradient does not need its
// value. Throws ShapeError, too, where x or w requires a gradient and `sum` does not.
Var accumulate_linear(Var sum, Var x, Var w);
// Row i of the result is row ids[i] of table [V, E] -> [n, E]. Throws ShapeError on a table that is
// no matrix and on ids outside it.
Var embedding(Var table, std::span<const int> ids);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
