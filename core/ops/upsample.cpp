#include "core/ops/upsample.h"

#include "core/kernels/upsample.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

Var upsample(Var x, Index rows, Index cols) {
  const Shape in = x.shape();
  SACCADE_CHECK(in.rank() == 4 && in.size() > 0, "[upsample] needs x [B, H, W, C]; got ", in);
  SACCADE_CHECK(rows >= in[1] && cols >= in[2], "[upsample] ", rows, " x ", cols,
                " is not a finer grid than that of ", in);
  Tape& tape = x.tape();
  const Var y = tape.output({in[0], rows, cols, in[3]}, {x});
  kernels::upsample(x.value(), tape.mutable_value(y));
  tape.record(y, [x, y, t = &tape] { kernels::upsample_backward(t->grad(y), t->grad(x)); });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
