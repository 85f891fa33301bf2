// Every choice of attention, one row each. There are L regions of width D, a query of width Q, and
// the attention width A.
#include "core/attention/axes.h"

#include <atomic>
#include <mutex>

#include "core/attention/attention_registry.h"
#include "core/ops/normalizers.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Each is in the file of its name, in mechanisms, scores or scopes.
std::unique_ptr<Attention> make_linear_attention(MechanismParts);
std::unique_ptr<Attention> make_linformer_attention(MechanismParts);
std::unique_ptr<Attention> make_differential_attention(MechanismParts);
std::unique_ptr<Score> make_additive_score(const ParamScope&, const AttentionWidths&);
std::unique_ptr<Score> make_concat_score(const ParamScope&, const AttentionWidths&);
std::unique_ptr<Score> make_dot_score(const ParamScope&, const AttentionWidths&);
std::unique_ptr<Score> make_scaled_dot_score(const ParamScope&, const AttentionWidths&);
std::unique_ptr<Score> make_general_score(const ParamScope&, const AttentionWidths&);
std::unique_ptr<Score> make_cosine_score(const ParamScope&, const AttentionWidths&);
std::unique_ptr<Scope> make_global_scope(const ParamScope&, const ScopeOptions&);
std::unique_ptr<Scope> make_local_m_scope(const ParamScope&, const ScopeOptions&);
std::unique_ptr<Scope> make_local_p_scope(const ParamScope&, const ScopeOptions&);
std::unique_ptr<Scope> make_monotonic_scope(const ParamScope&, const ScopeOptions&);
std::unique_ptr<Scope> make_causal_scope(const ParamScope&, const ScopeOptions&);
std::unique_ptr<Scope> make_window_scope(const ParamScope&, const ScopeOptions&);

namespace {

// The choices of saccade and, behind them, those of plugins; null where there is no plugin.
std::atomic<const AttentionRegistry*> with_plugins = nullptr;

}  // namespace

AttentionRegistry::AttentionRegistry()
    : mechanisms(
          "attention.mechanism",
          {
              {{"composed", "a choice on each axis below", "-", "its parts'",
                "score, scope, normalizer, temperature, selection, heads, gate, sentinel"},
               nullptr},
              {{"linear",
                "weights phi(U h + b)' phi(W a) / sum with phi = elu + 1, without an exponential "
                "over regions",
                "Katharopoulos et al. 2020",
                "min(A, L) D; the map: L A; once per image: L D A, twice where L >= A", "hidden"},
               make_linear_attention},
              {{"linformer", "scaled_dot over `projected` learned mixtures of the regions",
                "Wang et al. 2020", "projected (A + D); once per image: L D A + projected L D",
                "hidden, projected"},
               make_linformer_attention},
              {{"differential",
                "a softmax map minus lambda times a second one, with lambda learned; weights may "
                "be negative and sum to 1 - lambda",
                "Ye et al. 2024", "two scaled_dot scores of width A / 2", "hidden"},
               make_differential_attention},
          }),
      scores(
          "attention.score",
          {
              {{"additive", "v' tanh(W a + U h + b)", "Bahdanau et al. 2015; Xu et al. 2015",
                "L A tanh; once per image: L D A", "hidden"},
               make_additive_score},
              {{"concat", "v' tanh(W [h; a] + b), one matrix for both", "Luong et al. 2015",
                "L A tanh; once per image: L D A", "hidden"},
               make_concat_score},
              {{"dot", "a' h; needs D = Q", "Luong et al. 2015", "L D", "none"}, make_dot_score},
              {{"scaled_dot", "(W a)' (U h + b) / sqrt(A)", "Vaswani et al. 2017",
                "L A; once per image: L D A", "hidden"},
               make_scaled_dot_score},
              {{"general", "a' W h", "Luong et al. 2015", "L D + Q D", "none"}, make_general_score},
              {{"cosine", "cos(W a, U h + b) exp(t), with t learned", "Graves et al. 2014",
                "L A; once per image: L D A", "hidden"},
               make_cosine_score},
              {{"none", "no attention: the mean of all regions", "plain CNN+RNN captioners",
                "D; once per image: L D", "none"},
               nullptr},
          }) {
  const AttentionRegistry* const more = with_plugins;
  if (more == nullptr) return;
  mechanisms.add_missing(more->mechanisms);
  scores.add_missing(more->scores);
}

// A window of radius D holds at most (2D+1)^2 regions. Where that is at most a quarter of L, no
// others are scored (near_regions in scope.h).
const Registry<ScopeFactory>& attention_scopes() {
  static const Registry<ScopeFactory> rows(
      "attention.scope",
      {
          {{"global", "all regions at every word", "Bahdanau et al. 2015", "all scores"},
           make_global_scope},
          {{"local_m", "a window around region floor(pace t) at word t = 0, 1, ...",
            "Luong et al. 2015 (local-m), in two dimensions",
            "the scores of the window, where it is a quarter of the regions at most; else all "
            "scores"},
           make_local_m_scope},
          {{"local_p",
            "a window around a centre predicted from the query, times a Gaussian of deviation "
            "radius / 2; weights sum to at most 1",
            "Luong et al. 2015 (local-p), in two dimensions",
            "the scores of the window, where it is a quarter of the regions at most; else all "
            "scores",
            "radius, hidden"},
           make_local_p_scope},
          {{"monotonic",
            "regions are passed in order, each taken with probability sigmoid(score + r), r "
            "learned; weights are the expected choice and sum to at most 1",
            "Raffel et al. 2017", "all scores, L"},
           make_monotonic_scope},
          {{"causal", "regions up to number t at word t", "Vaswani et al. 2017",
            "all scores, t weights"},
           make_causal_scope},
          {{"window", "the window of local_m, and the first `globals` regions",
            "Beltagy et al. 2020",
            "the scores of the window, where it is a quarter of the regions at most; else all "
            "scores"},
           make_window_scope},
      });
  return rows;
}

const Registry<Normalizer>& attention_normalizers() {
  static const Registry<Normalizer> rows(
      "attention.normalizer",
      {
          {{"softmax", "exp(e / temperature) / sum", "Bridle 1990", "L exp", "temperature"},
           ops::softmax},
          {{"sparsemax", "the nearest point of the simplex; has exact zeros",
            "Martins and Astudillo 2016", "a sort of L", "temperature"},
           ops::sparsemax},
          {{"entmax15", "between softmax and sparsemax (alpha = 1.5); has exact zeros",
            "Peters, Niculae and Martins 2019", "a sort of L", "temperature"},
           ops::entmax15},
      });
  return rows;
}

const Registry<SelectionTraits>& attention_selections() {
  static const Registry<SelectionTraits> rows(
      "attention.selection",
      {
          {{"soft", "the expectation of the regions under the weights", "Bahdanau et al. 2015",
            "L D"},
           {}},
          {{"hard",
            "one sampled region per head (with a sentinel, or monotonic: or none), trained with "
            "REINFORCE",
            "Xu et al. 2015", "D", "hard.*"},
           {.draws_regions = true}},
          {{"argmax",
            "the region of the largest weight; no gradient reaches the weights through it, so it "
            "is a control",
            "-", "D"},
           {.takes_argmax = true}},
          {{"gumbel_st",
            "one region drawn by Gumbel-argmax in training, with the gradient of the relaxation "
            "(biased)",
            "Jang et al. 2017; Maddison et al. 2017", "L D"},
           {.relaxes = true}},
          {{"top_k", "the expectation over the k regions of the largest scores", "-", "L + k D"},
           {.keeps_largest = true}},
      });
  return rows;
}

const Registry<GateFactory>& attention_gates() {
  static const Registry<GateFactory> rows(
      "attention.gate",
      {
          {{"none", "the context as it is", "Bahdanau et al. 2015", "nothing"},
           [](const ParamScope&, const GateWidths&) { return std::unique_ptr<Gate>(); }},
          {{"scalar", "the context times beta = sigmoid(w' h + b), one number per word",
            "Xu et al. 2015", "Q + D"},
           [](const ParamScope& scope, const GateWidths& widths) {
             return std::make_unique<Gate>(scope, widths.query, 1);
           }},
          {{"vector", "every channel of the context times its own sigmoid(W h + b)",
            "after Xu et al. 2015", "Q D"},
           [](const ParamScope& scope, const GateWidths& widths) {
             return std::make_unique<Gate>(scope, widths.query, widths.features);
           }},
      });
  return rows;
}

const AttentionRegistry& attention_registry(const AttentionConfig& config) {
  static const AttentionRegistry of_saccade;
  if (config.registry) return *config.registry;
  const AttentionRegistry* const more = with_plugins;
  return more != nullptr ? *more : of_saccade;
}

void add_plugin_choices(const std::string& plugin, const AttentionRegistry& with) {
  // Others may read a registry while a plugin is loaded, so that none is changed or freed.
  static std::mutex mutex;
  static std::vector<std::unique_ptr<const AttentionRegistry>> kept;
  const std::lock_guard lock(mutex);
  auto next = std::make_unique<AttentionRegistry>();
  const std::size_t added = next->mechanisms.add_missing(with.mechanisms, plugin) +
                            next->scores.add_missing(with.scores, plugin);
  if (added == 0) throw UsageError("adds neither a score nor a mechanism; add one to the registry");
  with_plugins = next.get();
  kept.push_back(std::move(next));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
