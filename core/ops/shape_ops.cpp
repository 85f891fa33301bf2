#include "core/ops/shape_ops.h"

#include <algorithm>

#include "core/kernels/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

Var reshape(Var x, Shape shape) {
  SACCADE_CHECK(x.shape().size() == shape.size(), "[reshape] sizes differ; got ", x.shape(), " to ",
                shape);
  return x.tape().alias(x, 0, shape);
}

Var first_rows(Var x, Index count) { return slice_rows(x, 0, count); }

Var slice_rows(Var x, Index first, Index count) {
  const Shape& shape = x.shape();
  SACCADE_CHECK(shape.rank() > 0 && first >= 0 && count >= 0 && first + count <= shape[0],
                "[slice_rows] rows ", first, " to ", first + count, " of ", shape);
  if (first == 0 && count == shape[0]) return x;
  const Index stride = shape[0] == 0 ? 0 : shape.size() / shape[0];
  return x.tape().alias(x, first * stride, shape.with_first(count));
}

Var concat_rows(std::span<const Var> parts) {
  SACCADE_CHECK(!parts.empty(), "[concat_rows] needs at least one part");
  Index rows = 0;
  for (const Var p : parts) {
    SACCADE_CHECK(p.shape().with_first(0) == parts[0].shape().with_first(0),
                  "[concat_rows] shapes differ behind the first extent; got ", parts[0].shape(),
                  " and ", p.shape());
    rows += p.shape()[0];
  }
  Tape& tape = parts[0].tape();
  const std::span<Var> kept = tape.keep(parts);
  const Var y = tape.output(parts[0].shape().with_first(rows), parts);
  Real* out = tape.mutable_value(y).data;
  for (const Var p : kept) out = std::copy_n(p.value().data, p.shape().size(), out);
  tape.record(y, [kept, y, t = &tape] {
    const Real* dy = t->grad(y).data;
    for (const Var p : kept) {
      if (p.requires_grad()) kernels::accumulate({dy, p.shape()}, t->grad(p));
      dy += p.shape().size();
    }
  });
  return y;
}

Var concat_cols(std::span<const Var> parts) {
  SACCADE_CHECK(!parts.empty(), "[concat_cols] needs at least one part");
  Index cols = 0;
  for (const Var p : parts) {
    SACCADE_CHECK(p.rows() == parts[0].rows(), "[concat_cols] rows differ; got ", parts[0].shape(),
                  " and ", p.shape());
    cols += p.cols();
  }
  Tape& tape = parts[0].tape();
  const std::span<Var> kept = tape.keep(parts);
  const Var y = tape.output(parts[0].shape().with_last(cols), parts);
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < out.rows(); ++r) {
    Real* to = out.row(r);
    for (const Var p : kept) to = std::copy_n(p.value().row(r), p.cols(), to);
  }
  tape.record(y, [kept, y, t = &tape] {
    const View dy = t->grad(y);
    Index first = 0;
    for (const Var p : kept) {
      if (p.requires_grad()) {
        const View dp = t->grad(p);
        for (Index r = 0; r < dp.rows(); ++r)
          kernels::accumulate({dy.row(r) + first, {p.cols()}}, {dp.row(r), {p.cols()}});
      }
      first += p.cols();
    }
  });
  return y;
}

Var append_positions(Var before, Var more) {
  const Shape a = before.shape(), b = more.shape();
  SACCADE_CHECK(a.rank() == 3 && b.rank() == 3 && a[0] == b[0] && a[2] == b[2],
                "[append_positions] ", b, " after ", a);
  Tape& tape = before.tape();
  const Index samples = a[0], first = a[1] * a[2], second = b[1] * b[2];
  const Var y = tape.output({samples, a[1] + b[1], a[2]}, {before, more});
  Real* out = tape.mutable_value(y).data;
  for (Index s = 0; s < samples; ++s) {
    out = std::copy_n(before.value().data + s * first, first, out);
    out = std::copy_n(more.value().data + s * second, second, out);
  }
  tape.record(y, [=, t = &tape] {
    const Real* dy = t->grad(y).data;
    const auto give = [&](Var to, Index s, Index size) {
      if (to.requires_grad())
        kernels::accumulate({dy, {size}}, {t->grad(to).data + s * size, {size}});
      dy += size;
    };
    for (Index s = 0; s < samples; ++s) {
      give(before, s, first);
      give(more, s, second);
    }
  });
  return y;
}

Var slice_cols(Var x, Index first, Index count) {
  SACCADE_CHECK(first >= 0 && count >= 0 && first + count <= x.cols(), "[slice_cols] columns ",
                first, " to ", first + count, " of ", x.shape());
  if (first == 0 && count == x.cols()) return x;
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape().with_last(count), {x});
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < out.rows(); ++r) std::copy_n(x.value().row(r) + first, count, out.row(r));
  tape.record(y, [x, y, first, count, t = &tape] {
    const View dy = t->grad(y), dx = t->grad(x);
    for (Index r = 0; r < dy.rows(); ++r)
      kernels::accumulate({dy.row(r), {count}}, {dx.row(r) + first, {count}});
  });
  return y;
}

Var mean_regions(Var x) {
  const Shape& shape = x.shape();
  SACCADE_CHECK(shape.rank() == 3 && shape[1] > 0, "[mean_regions] needs [B, L, D]; got ", shape);
  const Index regions = shape[1], width = shape[2];
  Tape& tape = x.tape();
  const Var y = tape.output({shape[0], width}, {x});
  const View out = tape.mutable_value(y);
  std::fill_n(out.data, out.size(), Real{0});
  const Real share = Real{1} / static_cast<Real>(regions);
  for (Index b = 0; b < shape[0]; ++b)
    for (Index l = 0; l < regions; ++l)
      kernels::accumulate({x.value().data + (b * regions + l) * width, {width}},
                          {out.row(b), {width}}, share);
  tape.record(y, [x, y, share, t = &tape] {
    const View dy = t->grad(y), dx = t->grad(x);
    const Index l_count = x.shape()[1];
    for (Index b = 0; b < dy.rows(); ++b)
      for (Index l = 0; l < l_count; ++l)
        kernels::accumulate({dy.row(b), {dy.cols()}}, {dx.row(b * l_count + l), {dy.cols()}},
                            share);
  });
  return y;
}

Var transpose_regions(Var x) {
  const Shape shape = x.shape();
  SACCADE_CHECK(shape.rank() == 3, "[transpose_regions] needs [B, L, D]; got ", shape);
  const Index regions = shape[1], width = shape[2];
  Tape& tape = x.tape();
  const Var y = tape.output({shape[0], width, regions}, {x});
  const View out = tape.mutable_value(y);
  const auto place = [=](Index b, Index l, Index d) { return (b * width + d) * regions + l; };
  for (Index b = 0; b < shape[0]; ++b)
    for (Index l = 0; l < regions; ++l)
      for (Index d = 0; d < width; ++d)
        out[place(b, l, d)] = x.value()[(b * regions + l) * width + d];
  tape.record(y, [=, t = &tape] {
    const ConstView dy = t->grad(y);
    const View dx = t->grad(x);
    for (Index b = 0; b < shape[0]; ++b)
      for (Index l = 0; l < regions; ++l)
        for (Index d = 0; d < width; ++d) dx[(b * regions + l) * width + d] += dy[place(b, l, d)];
  });
  return y;
}

Var dot_constant(Var x, std::span<const Real> weights) {
  SACCADE_CHECK(x.shape().size() == static_cast<Index>(weights.size()), "[dot_constant] ",
                weights.size(), " weights for ", x.shape());
  Tape& tape = x.tape();
  const std::span<Real> kept = tape.keep(weights);
  const Var y = tape.output({1}, {x});
  Real total = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) total += kept[i] * x.value()[static_cast<Index>(i)];
  tape.mutable_value(y)[0] = total;
  tape.record(y, [x, kept, y, t = &tape] {
    const Real g = t->grad(y)[0];
    const View dx = t->grad(x);
    for (std::size_t i = 0; i < kept.size(); ++i) dx[static_cast<Index>(i)] += g * kept[i];
  });
  return y;
}

Var sum(std::span<const Var> scalars) {
  SACCADE_CHECK(!scalars.empty(), "[sum] needs at least one scalar");
  Tape& tape = scalars[0].tape();
  const std::span<Var> kept = tape.keep(scalars);
  const Var y = tape.output({1}, scalars);
  Real total = 0;
  for (const Var s : kept) {
    SACCADE_CHECK(s.shape().size() == 1, "[sum] needs scalars; got ", s.shape());
    total += s.value()[0];
  }
  tape.mutable_value(y)[0] = total;
  tape.record(y, [kept, y, t = &tape] {
    for (const Var s : kept)
      if (s.requires_grad()) t->grad(s)[0] += t->grad(y)[0];
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
