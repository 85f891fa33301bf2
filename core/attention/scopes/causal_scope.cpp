#include "core/attention/scopes/scope.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

struct CausalScope : Scope {
  Weighed weigh(Tape& tape, const AttentionMemory& memory,
                const ScopeRequest& request) const override {
    const auto past = [&](Index region) { return region <= request.step; };
    return normalised(request, mask_regions(tape, memory, request.scores, past));
  }
  Promises promises() const override {
    return {.moves_with_regions = false, .stands_alone = false};
  }
};

}  // namespace

std::unique_ptr<Scope> make_causal_scope(const ParamScope&, const ScopeOptions&) {
  return std::make_unique<CausalScope>();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
