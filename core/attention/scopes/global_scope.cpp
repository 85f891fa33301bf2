#include "core/attention/scopes/scope.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

struct GlobalScope : Scope {
  Weighed weigh(Tape& tape, const AttentionMemory& memory,
                const ScopeRequest& request) const override {
    return normalised(request, mask_regions(tape, memory, request.scores, nullptr));
  }
};

}  // namespace

std::unique_ptr<Scope> make_global_scope(const ParamScope&, const ScopeOptions&) {
  return std::make_unique<GlobalScope>();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
