#include <algorithm>

#include "core/attention/scopes/scope.h"
#include "core/ops/alignment_ops.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Hard monotonic attention in its expected, differentiable form (Raffel et al. 2017, section 2.3):
// from the region that was taken last, regions are passed in order, and each is taken with
// probability sigmoid(score + offset). The probability that all are passed goes to no region. In
// training, noise before the sigmoid pushes these probabilities towards 0 and 1. Once a region was
// chosen, the next glimpse starts there. Hard selection is the hard process itself, in which a word
// may also take no region (section 2.2). The regime argmax of a model that learned the expectation
// always gives the likeliest region the whole weight, even where that process would most likely
// take none.
class MonotonicScope : public Scope {
 public:
  MonotonicScope(const ParamScope& scope, const ScopeOptions& options)
      : noise_(options.noise),
        offset_(scope.declare("offset", {1}, Init::constant(-1), Decay::kNo)) {}

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Shape shape{memory.features.shape()[0], memory.regions()};
    return {one_hot(tape, shape, [](Index) { return 0; })};
  }

  Weighed weigh(Tape& tape, const AttentionMemory& memory,
                const ScopeRequest& request) const override {
    const Index rows = request.scores.rows(), regions = memory.regions();
    // A column of ones times the offset adds the offset to every score.
    const Var ones = filled(
        tape, rows, [](Index) { return Real{1}; }, 1);
    const Var offset = ops::linear(ones, ops::reshape(tape.parameter(offset_), {1, 1}));
    const Var spread = ops::linear(offset, filled(
                                               tape, 1, [](Index) { return Real{1}; }, regions));
    Var energy = ops::add(request.scores, spread);
    if (tape.training() && noise_ > 0) {
      Random random(tape.next_key(Stream::kAttention));
      const auto draw = [&](Index) { return static_cast<Real>(noise_ * random.normal()); };
      energy = ops::add(energy, filled(tape, rows, draw, regions));
    }
    const Var stop = ops::sigmoid(mask_regions(tape, memory, energy, nullptr));
    const Var weights = ops::monotonic_alignment(stop, request.state[0]);
    return {.weights = weights, .scores = {}, .state = {weights}};
  }

  bool may_take_none() const override { return true; }

  // A row that took no region takes none at later words either.
  std::vector<Var> chosen_state(Tape& tape, const Weighed& weighed,
                                std::span<const int> chosen) const override {
    const auto choice = [&](Index r) { return chosen[static_cast<std::size_t>(r)]; };
    const Var taken = one_hot(tape, weighed.weights.shape(), choice);
    const auto expected = std::count(chosen.begin(), chosen.end(), -1);
    if (expected == 0) return {taken};
    if (expected == static_cast<std::ptrdiff_t>(chosen.size())) return {weighed.weights};
    const Var kept = filled(
        tape, weighed.weights.rows(), [&](Index r) { return choice(r) < 0 ? Real{1} : Real{0}; },
        1);
    return {ops::add(taken, ops::scale_rows(weighed.weights, kept))};
  }

  Promises promises() const override {
    return {.sum_to_one = false, .moves_with_regions = false, .stands_alone = false};
  }

 private:
  template <class F>
  static Var filled(Tape& tape, Index rows, F value, Index cols) {
    const View out{tape.scratch(rows * cols), {rows, cols}};
    for (Index i = 0; i < out.size(); ++i) out[i] = value(i);
    return tape.constant(out);
  }
  template <class F>
  static Var one_hot(Tape& tape, Shape shape, F place) {
    return filled(
        tape, shape[0],
        [&](Index i) { return i % shape[1] == place(i / shape[1]) ? Real{1} : Real{0}; }, shape[1]);
  }

  double noise_;
  int offset_;
};

}  // namespace

std::unique_ptr<Scope> make_monotonic_scope(const ParamScope& scope, const ScopeOptions& options) {
  return std::make_unique<MonotonicScope>(scope, options);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
