// Which choices go together. Every rule gives its reason.
#include "core/attention/axes.h"
#include "core/attention/make_attention.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Throws "attention.<key> <value> needs <what>: <why>" unless `holds`.
void need(bool holds, const std::string& choice, const std::string& what, const std::string& why) {
  if (!holds) throw UsageError("attention." + choice + " needs " + what + ": " + why);
}

// Throws where values or contexts are projected.
void check_projections(const AttentionConfig& c, const std::string& choice,
                       const std::string& why) {
  need(!c.value_projection, choice, "attention.value_projection false", why);
  need(!c.output_projection, choice, "attention.output_projection false", why);
  need(c.value_width == 0, choice, "attention.value_width 0", why);
}

void check_mean(const AttentionConfig& c) {
  const std::string why = "without a score there are no weights to choose or to shape";
  need(c.selection == "soft", "score none", "attention.selection soft", why);
  need(c.scope == "global", "score none", "attention.scope global", why);
  need(c.normalizer == "softmax", "score none", "attention.normalizer softmax", why);
  need(c.temperature == Ramp::constant(1), "score none", "attention.temperature 1", why);
  need(!c.learned_scale, "score none", "attention.learned_scale false", why);
  need(c.heads == 1, "score none", "attention.heads 1", why);
  need(!c.sentinel, "score none", "attention.sentinel false", why);
  check_projections(c, "score none", "the mean of the regions goes on as it is");
}

void check_mechanism(const AttentionConfig& c) {
  const std::string choice = "mechanism " + c.mechanism;
  const std::string why = "it does not factor into axes";
  need(c.score == "additive", choice, "attention.score additive, the default",
       "it has a score of its own");
  need(c.selection == "soft", choice, "attention.selection soft", why);
  need(c.scope == "global", choice, "attention.scope global", why);
  need(c.normalizer == "softmax", choice, "attention.normalizer softmax", why);
  need(c.temperature == Ramp::constant(1), choice, "attention.temperature 1", why);
  need(!c.learned_scale, choice, "attention.learned_scale false", why);
  need(c.heads == 1, choice, "attention.heads 1", why);
  need(!c.sentinel, choice, "attention.sentinel false", why);
  check_projections(c, choice, why);
  need(c.mechanism != "differential" || c.hidden % 2 == 0, choice, "an even attention.hidden",
       "each of its two maps takes half");
}

void check_selection(const AttentionConfig& c) {
  const std::string choice = "selection " + c.selection;
  const SelectionTraits& traits = attention_selections().at(c.selection);
  need(!traits.relaxes || c.heads == 1, choice, "attention.heads 1",
       "its relaxation has one map per word");
  need(!traits.relaxes || !c.sentinel, choice, "attention.sentinel false",
       "the sentinel is not a region that could be taken");
  need(!traits.relaxes || c.scope != "monotonic", choice, "a scope other than monotonic",
       "its relaxation draws from scores, and monotonic has none");
  need(!(traits.relaxes || traits.draws_regions) || c.scope != "local_p", choice,
       "a scope other than local_p", "what its weights lack to 1 belongs to no choice");
  need(!traits.relaxes || c.normalizer == "softmax", choice, "attention.normalizer softmax",
       "the Gumbel trick draws from a softmax");
  need(!c.mixes_regions() || c.gate != "vector", "hard.likelihood marginal",
       "attention.gate none or scalar",
       "it counts on a context that is linear in the choice, with one factor per word");
  if (c.mixes_regions()) {
    const std::string marginal = "hard.likelihood marginal";
    const std::string mixture = "its mixtures are over the regions as they are, and nothing else";
    need(c.heads == 1, marginal, "attention.heads 1", mixture);
    need(!c.sentinel, marginal, "attention.sentinel false", mixture);
    need(c.scope != "monotonic", marginal, "a scope other than monotonic", mixture);
    check_projections(c, marginal, mixture);
  }
  need(!traits.keeps_largest || c.scope != "monotonic", choice, "a scope other than monotonic",
       "monotonic has no scores to compare");
}

void check_scope(const AttentionConfig& c) {
  need(c.scope != "local_p" || c.radius > 0, "scope local_p", "an attention.radius of at least 1",
       "its Gaussian is half as wide as the radius");
  need(c.scope != "monotonic" || (c.normalizer == "softmax" && c.temperature == Ramp::constant(1)),
       "scope monotonic", "attention.normalizer softmax and attention.temperature 1",
       "it weighs by its own process and would ignore them");
  need(!c.sentinel || (c.scope != "local_p" && c.scope != "monotonic"), "sentinel true",
       "a scope whose weights sum to 1",
       "local_p and monotonic have no weight to share with the sentinel");
}

}  // namespace

void check_attention(const AttentionConfig& c) {
  if (c.mechanism != "composed") return check_mechanism(c);
  if (c.score == "none") return check_mean(c);
  check_selection(c);
  check_scope(c);
  need(c.value_width == 0 || c.heads > 1 || c.value_projection, str("value_width ", c.value_width),
       "several heads or attention.value_projection true", "otherwise regions are not projected");
  need(!c.learned_scale || c.score != "cosine", "learned_scale true",
       "an attention.score other than cosine", "cosine multiplies by a learned number already");
  need(c.score == "dot" || c.score == "general" || c.hidden % c.heads == 0,
       "heads " + std::to_string(c.heads), "to divide attention.hidden",
       "heads share that width evenly");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
