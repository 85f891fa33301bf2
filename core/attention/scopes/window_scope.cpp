#include "core/attention/scopes/scope.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Longformer's pattern (Beltagy et al. 2020, section 3.1) for one query at a time: a moving window,
// and the first regions, to which every word attends.
struct WindowScope : Scope {
  explicit WindowScope(const ScopeOptions& options)
      : radius(options.radius), pace(options.pace), globals(options.globals) {}
  Weighed weigh(Tape& tape, const AttentionMemory& memory,
                const ScopeRequest& request) const override {
    return normalised(request,
                      mask_regions(tape, memory, request.scores, test(memory, request.step)));
  }
  NearRegions near_regions(Tape&, const AttentionMemory& memory, Var query,
                           Index step) const override {
    const Index side = 2 * radius + 1;
    return near_window(memory, query.rows(), test(memory, step), side * side + globals);
  }
  Promises promises() const override {
    return {.moves_with_regions = false, .stands_alone = false};
  }
  RegionTest test(const AttentionMemory& memory, Index step) const {
    return [window = moving_window(memory, step, pace, radius), first = globals](Index region) {
      return region < first || window(region);
    };
  }

  Index radius;
  double pace;
  Index globals;
};

}  // namespace

std::unique_ptr<Scope> make_window_scope(const ParamScope&, const ScopeOptions& options) {
  return std::make_unique<WindowScope>(options);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
