#include "core/attention/catalogue.h"

namespace saccade {

std::vector<AttentionAxis> attention_catalogue() {
  return {
      {"attention.mechanism",
       {
           {"composed", "a choice on each axis below", "-",
            "score, scope, normalizer, temperature, selection, heads, gate, sentinel",
            "its parts'"},
#define SACCADE_MECHANISM(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/mechanisms/mechanisms.def"
#undef SACCADE_MECHANISM
       }},
      {"attention.score",
       {
#define SACCADE_SCORE(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/scores/scores.def"
#undef SACCADE_SCORE
           {"none", "no attention: the mean of all regions", "plain CNN+RNN captioners", "none",
            "D; once per image: L D"},
       }},
      {"attention.scope",
       {
#define SACCADE_SCOPE(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/scopes/scopes.def"
#undef SACCADE_SCOPE
       }},
      {"attention.normalizer",
       {
#define SACCADE_NORMALIZER(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/normalizers.def"
#undef SACCADE_NORMALIZER
       }},
      {"attention.selection",
       {
#define SACCADE_SELECTION(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/selections.def"
#undef SACCADE_SELECTION
       }},
      {"attention.gate",
       {
#define SACCADE_GATE(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/gates.def"
#undef SACCADE_GATE
       }},
      {"encoder.refine.type",
       {
#define SACCADE_SEQUENCE_ATTENTION(name, enumerator, formula, source, options, cost) \
  {#name, formula, source, options, cost},
#include "core/attention/sequence/sequence_attentions.def"
#undef SACCADE_SEQUENCE_ATTENTION
       }},
  };
}

std::vector<AttentionNumber> attention_number_catalogue() {
  return {
      {"attention.heads", "Vaswani et al. 2017",
       "as with one map; with more than one head, also L D^2 once per image"},
      {"attention.value_projection", "Vaswani et al. 2017", "L D^2 once per image"},
      {"attention.output_projection", "Vaswani et al. 2017", "D^2"},
      {"attention.sentinel", "Lu et al. 2017", "E H + H H + H D"},
  };
}

}  // namespace saccade
