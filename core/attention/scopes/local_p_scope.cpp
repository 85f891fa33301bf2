#include <algorithm>
#include <cmath>

#include "core/attention/scopes/scope.h"
#include "core/ops/alignment_ops.h"
#include "core/ops/linear.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Luong et al. 2015, section 3.2 (local-p), in two dimensions: the centre is
//   p = (rows - 1, cols - 1) * sigmoid(V tanh(W h)),
// and the weights inside the window are multiplied by a Gaussian around it, of deviation
// radius / 2, and not normalised again. The centre learns through the Gaussian; the window's edge
// has no gradient.
class LocalPScope : public Scope {
 public:
  LocalPScope(const ParamScope& scope, const ScopeOptions& o)
      : radius_(o.radius),
        hidden_weight_(
            scope.declare("hidden.weight", {o.query, o.hidden}, Init::glorot(o.query, o.hidden))),
        hidden_bias_(scope.declare("hidden.bias", {o.hidden}, Init::constant(0), Decay::kNo)),
        centre_weight_(scope.declare("centre.weight", {o.hidden, 2}, Init::glorot(o.hidden, 2))),
        centre_bias_(scope.declare("centre.bias", {2}, Init::constant(0), Decay::kNo)) {}

  Weighed weigh(Tape& tape, const AttentionMemory& memory,
                const ScopeRequest& request) const override {
    const GridSize& grid = memory.layout.grid;
    const Var at = centre(tape, request.query, grid);
    return weighed(request, window(tape, memory, request.scores, at.value()), at, grid);
  }

  // Every query has a rectangle that holds its whole window, of the same extents for all. The
  // rectangles of queries that share a memory are copies of their own, which must not be more than
  // the memory.
  NearRegions near_regions(Tape& tape, const AttentionMemory& memory, Var query,
                           Index) const override {
    const GridSize& grid = memory.layout.grid;
    const Index side = 2 * radius_ + 1;
    NearRegions near;
    if (!few_regions(memory, side * side) || memory.layout.group * side * side > memory.regions())
      return near;
    near.window = {.rows = std::min(side, grid.rows), .cols = std::min(side, grid.cols)};
    const Var at = centre(tape, query, grid);
    const Index rows = query.rows();
    const View offset{tape.scratch(rows * 2), {rows, 2}};
    const Var mask = memory.layout.mask;
    for (Index r = 0; r < rows; ++r) {
      const Real* const seen = mask ? mask.value().row(r / memory.layout.group) : nullptr;
      const Index top = first_cell(at.value().row(r)[0], grid.rows, near.window.rows),
                  left = first_cell(at.value().row(r)[1], grid.cols, near.window.cols);
      offset.row(r)[0] = -static_cast<Real>(top), offset.row(r)[1] = -static_cast<Real>(left);
      bool any = false;
      for (Index i = 0; i < near.window.cells(); ++i) {
        const Index row = top + i / near.window.cols, col = left + i % near.window.cols;
        const Index l = row * grid.cols + col;
        const bool inside = is_near(at.value().row(r), row, col) && (!seen || seen[l] != 0);
        near.regions.push_back(static_cast<int>(l));
        near.seen.push_back(inside ? 1 : 0);
        any |= inside;
      }
      if (!any) return {};
    }
    near.centre = ops::add(at, tape.constant(offset));
    near.count = near.window.cells();
    return near;
  }

  Weighed weigh_near(Tape& tape, const AttentionMemory& memory, const NearRegions& near,
                     const ScopeRequest& request) const override {
    return weighed(request, mask_regions(tape, memory, request.scores, nullptr), near.centre,
                   near.window);
  }

  Promises promises() const override { return {.sum_to_one = false, .moves_with_regions = false}; }

 private:
  // [R, 2]: the centre of every query's window, in cells.
  Var centre(Tape& tape, Var query, const GridSize& grid) const {
    const Var hidden =
        ops::tanh(ops::linear(query, tape.parameter(hidden_weight_), tape.parameter(hidden_bias_)));
    const Var share = ops::sigmoid(
        ops::linear(hidden, tape.parameter(centre_weight_), tape.parameter(centre_bias_)));
    return ops::multiply(share, largest_cell(tape, share.rows(), grid));
  }

  // The weights under a Gaussian on this grid, from scores that are -infinity outside of the
  // window.
  Weighed weighed(const ScopeRequest& request, Var scores, Var at, const GridSize& grid) const {
    const Real sigma = static_cast<Real>(radius_) / 2;
    return {.weights = ops::gaussian_window(request.normalizer(scores), at,
                                            {.grid = grid, .row_sigma = sigma, .col_sigma = sigma}),
            .scores = {},
            .state = {}};
  }

  bool is_near(const Real* at, Index row, Index col) const {
    return std::abs(static_cast<Real>(row) - at[0]) <= static_cast<Real>(radius_) &&
           std::abs(static_cast<Real>(col) - at[1]) <= static_cast<Real>(radius_);
  }

  // Where `count` of an axis' cells have to start to hold all that are near.
  Index first_cell(Real at, Index cells, Index count) const {
    const auto lowest = static_cast<Index>(std::ceil(at - static_cast<Real>(radius_)));
    return std::clamp(lowest, Index{0}, cells - count);
  }

  // [R, 2]: the largest row and column of every query's grid.
  static Var largest_cell(Tape& tape, Index count, const GridSize& grid) {
    const View out{tape.scratch(count * 2), {count, 2}};
    for (Index r = 0; r < count; ++r)
      out.row(r)[0] = static_cast<Real>(grid.rows - 1),
      out.row(r)[1] = static_cast<Real>(grid.cols - 1);
    return tape.constant(out);
  }

  Var window(Tape& tape, const AttentionMemory& memory, Var scores, ConstView centre) const {
    const Var masked = mask_regions(tape, memory, scores, nullptr);
    const Index regions = memory.regions(), cols = memory.layout.grid.cols, count = scores.rows();
    const auto size = static_cast<std::size_t>(count * regions);
    const std::span<std::uint8_t> inside(tape.arena().allocate_array<std::uint8_t>(size), size);
    for (Index r = 0; r < count; ++r) {
      const auto near = [&](Index l) { return is_near(centre.row(r), l / cols, l % cols); };
      bool any = false;
      for (Index l = 0; l < regions; ++l) any |= near(l) && std::isfinite(masked.value().row(r)[l]);
      // Where the window holds only padding, the query attends to everything that is not padding.
      for (Index l = 0; l < regions; ++l)
        inside[static_cast<std::size_t>(r * regions + l)] = !any || near(l);
    }
    return ops::mask_scores(masked, inside);
  }

  Index radius_;
  int hidden_weight_, hidden_bias_, centre_weight_, centre_bias_;
};

}  // namespace

std::unique_ptr<Scope> make_local_p_scope(const ParamScope& scope, const ScopeOptions& options) {
  return std::make_unique<LocalPScope>(scope, options);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
