#include "core/attention/scopes/scope.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Luong et al. 2015, section 3.2 (local-m): the centre moves on with the words, p_t = pace t. On a
// grid it passes the cells row by row, and the window has two dimensions.
struct LocalMScope : Scope {
  explicit LocalMScope(const ScopeOptions& options) : radius(options.radius), pace(options.pace) {}
  Weighed weigh(Tape& tape, const AttentionMemory& memory,
                const ScopeRequest& request) const override {
    const RegionTest window = moving_window(memory, request.step, pace, radius);
    return normalised(request, mask_regions(tape, memory, request.scores, window));
  }
  NearRegions near_regions(Tape&, const AttentionMemory& memory, Var query,
                           Index step) const override {
    const Index side = 2 * radius + 1;
    return near_window(memory, query.rows(), moving_window(memory, step, pace, radius),
                       side * side);
  }
  Promises promises() const override {
    return {.moves_with_regions = false, .stands_alone = false};
  }
  Index radius;
  double pace;
};

}  // namespace

std::unique_ptr<Scope> make_local_m_scope(const ParamScope&, const ScopeOptions& options) {
  return std::make_unique<LocalMScope>(options);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
