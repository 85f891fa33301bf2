#include "core/ops/upsample.h"

#include "core/kernels/upsample.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

Var upsample(Var x, const GridSize& to, std::span<const CellBlock> read) {
  const Shape in = x.shape();
  SACCADE_CHECK(in.rank() == 4 && in.size() > 0, "[upsample] needs x [B, H, W, C]; got ", in);
  SACCADE_CHECK(to.rows >= in[1] && to.cols >= in[2], "[upsample] ", to.rows, " x ", to.cols,
                " is not a finer grid than that of ", in);
  SACCADE_CHECK(read.empty() || static_cast<Index>(read.size()) == in[0], "[upsample] ",
                read.size(), " blocks of cells for ", in[0], " images");
  for (const CellBlock& block : read)
    SACCADE_CHECK(block.top >= 0 && block.left >= 0 && block.top < block.bottom &&
                      block.left < block.right && block.bottom <= in[1] && block.right <= in[2],
                  "[upsample] rows ", block.top, " to ", block.bottom, " and columns ", block.left,
                  " to ", block.right, " are no part of the grid of ", in);
  Tape& tape = x.tape();
  const Var y = tape.output({in[0], to.rows, to.cols, in[3]}, {x});
  kernels::upsample(x.value(), tape.mutable_value(y), read);
  tape.record(y, [x, y, read = tape.keep(read), t = &tape] {
    kernels::upsample_backward(t->grad(y), t->grad(x), read);
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
