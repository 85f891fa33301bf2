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
    const Var hidden = ops::tanh(
        ops::linear(request.query, tape.parameter(hidden_weight_), tape.parameter(hidden_bias_)));
    const Var share = ops::sigmoid(
        ops::linear(hidden, tape.parameter(centre_weight_), tape.parameter(centre_bias_)));
    const GridSize& grid = memory.layout.grid;
    const Var centre = ops::multiply(share, largest_cell(tape, share.rows(), grid));
    const Var scores = window(tape, memory, request.scores, centre.value());
    const Real sigma = static_cast<Real>(radius_) / 2;
    const Var weights = request.normalizer(scores);
    return {.weights = ops::gaussian_window(weights, centre,
                                            {.grid = grid, .row_sigma = sigma, .col_sigma = sigma}),
            .scores = {},
            .state = {}};
  }
  Promises promises() const override { return {.sum_to_one = false, .moves_with_regions = false}; }

 private:
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
      const auto near = [&](Index l) {
        return std::abs(static_cast<Real>(l / cols) - centre.row(r)[0]) <=
                   static_cast<Real>(radius_) &&
               std::abs(static_cast<Real>(l % cols) - centre.row(r)[1]) <=
                   static_cast<Real>(radius_);
      };
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
