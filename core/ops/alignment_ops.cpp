#include "core/ops/alignment_ops.h"

#include <algorithm>
#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

// factors[i] = exp(-(i - centre)^2 / (2 sigma^2)) for the cells of an axis; 1 for a single cell.
void axis_factors(Index cells, Real centre, Real sigma, Real* factors) {
  factors[0] = 1;
  if (cells == 1) return;
  for (Index i = 0; i < cells; ++i) {
    const Real z = (static_cast<Real>(i) - centre) / sigma;
    factors[i] = std::exp(-z * z / 2);
  }
}

// d factors[i] / d centre = factors[i] * axis_pull(i).
Real axis_pull(Index cells, Index i, Real centre, Real sigma) {
  return cells == 1 ? Real{0} : (static_cast<Real>(i) - centre) / (sigma * sigma);
}

}  // namespace

Var gaussian_window(Var weights, Var centre, const GridWindow& window) {
  const Index queries = weights.rows(), rows = window.grid.rows, cols = window.grid.cols;
  SACCADE_CHECK(rows >= 1 && cols >= 1 && weights.cols() == rows * cols,
                "[gaussian_window] a grid of ", rows, " x ", cols, " cells for weights ",
                weights.shape());
  SACCADE_CHECK(centre.cols() == 2 && centre.rows() == queries,
                "[gaussian_window] needs one row and one column per query; got ", centre.shape(),
                " for weights ", weights.shape());
  SACCADE_CHECK(window.row_sigma > 0 && window.col_sigma > 0,
                "[gaussian_window] needs standard deviations above 0; got ", window.row_sigma,
                " and ", window.col_sigma);
  Tape& tape = weights.tape();
  const Var y = tape.output(weights.shape(), {weights, centre});
  const View out = tape.mutable_value(y);
  // First the factors of the rows, then those of the columns: the window is their outer product.
  const View factors{tape.scratch(queries * (rows + cols)), {queries, rows + cols}};
  for (Index r = 0; r < queries; ++r) {
    const Real* const at = centre.value().row(r);
    Real* const by_row = factors.row(r);
    Real* const by_col = by_row + rows;
    axis_factors(rows, at[0], window.row_sigma, by_row);
    axis_factors(cols, at[1], window.col_sigma, by_col);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        out.row(r)[i * cols + j] = weights.value().row(r)[i * cols + j] * (by_row[i] * by_col[j]);
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y);
    const View dweights = weights.requires_grad() ? t->grad(weights) : View{};
    const View dcentre = centre.requires_grad() ? t->grad(centre) : View{};
    for (Index r = 0; r < queries; ++r) {
      const Real* const at = centre.value().row(r);
      const Real* const by_row = factors.row(r);
      const Real* const by_col = by_row + rows;
      Real row_sum = 0, col_sum = 0;
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j) {
          const Index l = i * cols + j;
          const Real g = dy.row(r)[l];
          if (dweights.data) dweights.row(r)[l] += g * (by_row[i] * by_col[j]);
          row_sum += g * y.value().row(r)[l] * axis_pull(rows, i, at[0], window.row_sigma);
          col_sum += g * y.value().row(r)[l] * axis_pull(cols, j, at[1], window.col_sigma);
        }
      if (!dcentre.data) continue;
      dcentre.row(r)[0] += row_sum;
      dcentre.row(r)[1] += col_sum;
    }
  });
  return y;
}

Var monotonic_alignment(Var stop, Var previous) {
  SACCADE_CHECK(stop.shape() == previous.shape(),
                "[monotonic_alignment] shapes must be equal; got ", stop.shape(), " and ",
                previous.shape());
  Tape& tape = stop.tape();
  const Var y = tape.output(stop.shape(), {stop, previous});
  const View out = tape.mutable_value(y);
  const View arrive{tape.scratch(out.size()), out.shape};  // q: the probability of reaching j
  for (Index r = 0; r < out.rows(); ++r) {
    Real walking = 0;  // (1 - stop) q of the previous region
    for (Index j = 0; j < out.cols(); ++j) {
      const Real p = stop.value().row(r)[j], q = walking + previous.value().row(r)[j];
      arrive.row(r)[j] = q;
      out.row(r)[j] = p * q;
      walking = (1 - p) * q;
    }
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y);
    const View dstop = stop.requires_grad() ? t->grad(stop) : View{};
    const View dprevious = previous.requires_grad() ? t->grad(previous) : View{};
    for (Index r = 0; r < dy.rows(); ++r) {
      Real dq = 0;  // of the next region
      for (Index j = dy.cols() - 1; j >= 0; --j) {
        const Real p = stop.value().row(r)[j], gain = dy.row(r)[j] - dq;
        if (dstop.data) dstop.row(r)[j] += gain * arrive.row(r)[j];
        dq += p * gain;
        if (dprevious.data) dprevious.row(r)[j] += dq;
      }
    }
  });
  return y;
}

Var place_regions(Var weights, std::span<const int> regions, Index count) {
  const Index rows = weights.rows(), near = weights.cols();
  const auto given = static_cast<Index>(regions.size());
  SACCADE_CHECK(given == near || given == rows * near, "[place_regions] ", given,
                " regions for weights ", weights.shape());
  for (const int region : regions)
    SACCADE_CHECK(region >= 0 && region < count, "[place_regions] region ", region, " of ", count);
  Tape& tape = weights.tape();
  const std::span<int> kept = tape.keep(regions);
  const Index stride = given == near ? 0 : near;
  const Var y = tape.output({rows, count}, {weights});
  const View out = tape.mutable_value(y);
  std::fill_n(out.data, out.size(), Real{0});
  for (Index r = 0; r < rows; ++r) {
    const int* const at = kept.data() + r * stride;
    for (Index w = 0; w < near; ++w) out.row(r)[at[w]] += weights.value().row(r)[w];
  }
  tape.record(y, [=, t = &tape] {
    const ConstView dy = t->grad(y);
    const View dweights = t->grad(weights);
    for (Index r = 0; r < rows; ++r) {
      const int* const at = kept.data() + r * stride;
      for (Index w = 0; w < near; ++w) dweights.row(r)[w] += dy.row(r)[at[w]];
    }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
