// Whole decoders with every kind of attention, against PyTorch programs that were written from the
// papers (formula_models.py, formula_transformer.py): what words cost, the maps, and all gradients.
#include <algorithm>
#include <functional>
#include <set>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "core/attention/gate_kind.h"
#include "core/attention/mechanisms/mechanism_kind.h"
#include "core/attention/normalizer_kind.h"
#include "core/attention/scopes/scope_kind.h"
#include "core/attention/scores/score_kind.h"
#include "core/attention/selection_kind.h"
#include "core/attention/sequence/sequence_attention_kind.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "tests/golden/formulas.h"
#include "tests/support/small_decoder.h"

namespace saccade::test {

namespace {

constexpr Index kKeyWidth = 3;
constexpr GridSize kSmall{.rows = 2, .cols = 3}, kLarge{.rows = 6, .cols = 7};

// A case of make_formulas.py's DECODERS.
struct DecoderCase {
  const char* name;
  DecoderKind decoder;
  std::function<void(DecoderConfig&, AttentionConfig&)> set;
  GridSize grid = kSmall;
};

std::vector<DecoderCase> decoder_cases() {
  using D = DecoderConfig;
  using A = AttentionConfig;
  constexpr DecoderKind lstm = DecoderKind::kLstm, gru = DecoderKind::kGru,
                        luong = DecoderKind::kLuong, updown = DecoderKind::kUpdown,
                        transformer = DecoderKind::kTransformer;
  const auto score = [](ScoreKind kind) { return [kind](D&, A& a) { a.score = kind; }; };
  const auto normalizer = [](NormalizerKind kind) {
    return [kind](D&, A& a) { a.normalizer = kind; };
  };
  const auto mechanism = [](MechanismKind kind, Index hidden) {
    return [=](D&, A& a) { a.mechanism = kind, a.hidden = hidden; };
  };
  const auto scope = [](ScopeKind kind, double pace, Index radius, Index globals) {
    return [=](D&, A& a) { a.scope = kind, a.pace = pace, a.radius = radius, a.globals = globals; };
  };
  const auto image = [](ImageEntry entry) { return [entry](D& d, A&) { d.image = entry; }; };
  const auto of_luong = [](ScoreKind kind) {
    return [kind](D&, A& a) { a.score = kind, a.gate = GateKind::kNone; };
  };
  const auto words = [](SequenceAttentionKind kind) {
    return [kind](D& d, A&) {
      d.self_attention.type = kind;
      d.self_attention.radius = d.self_attention.nearest = 1;
    };
  };
  const auto plain = [](D&, A&) {};
  const auto sentinel = [](D&, A& a) { a.sentinel = true; };
  return {
      {"additive", lstm, plain},
      {"concat", lstm, score(ScoreKind::kConcat)},
      {"dot", lstm, score(ScoreKind::kDot)},
      {"scaled_dot", lstm, score(ScoreKind::kScaledDot)},
      {"general", lstm, score(ScoreKind::kGeneral)},
      {"cosine", lstm, score(ScoreKind::kCosine)},
      {"mean", lstm, score(ScoreKind::kNone)},
      {"sparsemax", lstm, normalizer(NormalizerKind::kSparsemax)},
      {"entmax15", lstm, normalizer(NormalizerKind::kEntmax15)},
      {"temperature", lstm, [](D&, A& a) { a.temperature = Ramp::constant(0.5); }},
      {"top_k", lstm, [](D&, A& a) { a.selection = SelectionKind::kTopK; }},
      {"vector_gate", lstm, [](D&, A& a) { a.gate = GateKind::kVector; }},
      {"no_gate", lstm, [](D&, A& a) { a.gate = GateKind::kNone; }},
      {"local_m", lstm, scope(ScopeKind::kLocalM, 1.5, 1, 1)},
      {"local_m_near", lstm, scope(ScopeKind::kLocalM, 12.5, 1, 1), kLarge},
      {"window", lstm, scope(ScopeKind::kWindow, 1.5, 0, 2)},
      {"window_near", lstm, scope(ScopeKind::kWindow, 12.5, 1, 1), kLarge},
      {"causal", lstm, scope(ScopeKind::kCausal, 1, 1, 1)},
      {"local_p", lstm, scope(ScopeKind::kLocalP, 1, 1, 1)},
      {"local_p_near", lstm, scope(ScopeKind::kLocalP, 1, 1, 1), kLarge},
      {"monotonic", lstm, scope(ScopeKind::kMonotonic, 1, 1, 1)},
      {"heads", lstm,
       [](D&, A& a) { a.score = ScoreKind::kScaledDot, a.heads = 2, a.output_projection = true; }},
      {"heads_dot", lstm, [](D&, A& a) { a.score = ScoreKind::kDot, a.heads = 2; }},
      {"value_projection", lstm, [](D&, A& a) { a.value_projection = true; }},
      {"learned_scale", lstm, [](D&, A& a) { a.learned_scale = true; }},
      {"linear", lstm, mechanism(MechanismKind::kLinear, 4)},
      {"linear_wide", lstm, mechanism(MechanismKind::kLinear, 8)},
      {"linformer", lstm, mechanism(MechanismKind::kLinformer, 4)},
      {"differential", lstm, mechanism(MechanismKind::kDifferential, 4)},
      {"lstm_sentinel", lstm, sentinel},
      {"lstm_sentinel_heads", lstm, [](D&, A& a) { a.sentinel = true, a.heads = 2; }},
      {"lstm_every_word", lstm, image(ImageEntry::kEveryWord)},
      {"lstm_first_step", lstm, image(ImageEntry::kFirstStep)},
      {"lstm_no_image", lstm, image(ImageEntry::kNone)},
      {"lstm_no_first_state", lstm, [](D& d, A&) { d.first_state = FirstState::kNone; }},
      {"lstm_tied", lstm, [](D& d, A&) { d.tie_embeddings = true; }},
      {"gru", gru, plain},
      {"gru_first_step", gru, image(ImageEntry::kFirstStep)},
      {"luong_dot", luong, of_luong(ScoreKind::kDot)},
      {"luong_general", luong, of_luong(ScoreKind::kGeneral)},
      {"luong_concat", luong, of_luong(ScoreKind::kConcat)},
      {"luong_sentinel", luong, sentinel},
      {"luong_first_step", luong, image(ImageEntry::kFirstStep)},
      {"updown", updown, plain},
      {"updown_sentinel", updown, sentinel},
      {"updown_no_image", updown, image(ImageEntry::kNone)},
      {"updown_first_step", updown, image(ImageEntry::kFirstStep)},
      {"transformer", transformer, score(ScoreKind::kScaledDot)},
      {"transformer_post", transformer,
       [](D& d, A&) {
         d.norm = NormPlacement::kPost, d.positions = WordPositions::kLearned;
         d.embedding = 4, d.tie_embeddings = true;
       }},
      {"transformer_first_step", transformer, image(ImageEntry::kFirstStep)},
      {"transformer_window", transformer, words(SequenceAttentionKind::kWindow)},
      {"transformer_linear", transformer, words(SequenceAttentionKind::kLinear)},
      {"transformer_differential", transformer, words(SequenceAttentionKind::kDifferential)},
      {"transformer_graph", transformer, words(SequenceAttentionKind::kGraph)},
      {"transformer_no_positions", transformer,
       [](D& d, A& a) { d.positions = WordPositions::kNone, a.gate = GateKind::kNone; }},
  };
}

// The last column of the first picture, and its first region, are padding.
Tensor padding_mask(const GridSize& grid) {
  Tensor mask({static_cast<Index>(kCaptions.size()), grid.cells()});
  for (Index i = 0; i < mask.size(); ++i) {
    const bool padded = i < grid.cells() && (i == 0 || i % grid.cols == grid.cols - 1);
    mask[i] = padded ? 0 : 1;
  }
  return mask;
}

// What a case is computed with besides features.
enum class Extra { kNone, kPadding, kKeys };

void check_decoder_case(const DecoderCase& one, Extra extra) {
  const bool padded = extra == Extra::kPadding, keyed = extra == Extra::kKeys;
  const std::string name = std::string(one.name) + (padded ? "_padded" : keyed ? "_keys" : "");
  CAPTURE(name);
  DecoderConfig decoder = small(one.decoder);
  AttentionConfig attention;
  attention.hidden = 4, attention.radius = 1, attention.k = 2, attention.projected = 3;
  one.set(decoder, attention);
  ParameterStore store;
  const auto model = make_decoder(decoder, attention,
                                  {.features = kFeatures,
                                   .vocabulary = kVocabulary,
                                   .grid = one.grid,
                                   .keys = keyed ? kKeyWidth : 0},
                                  ParamScope(store, "decoder"));
  set_formula_weights(store, name);
  const Tensor features = golden_tensor(
      name + "/features", {static_cast<Index>(kCaptions.size()), one.grid.cells(), kFeatures}, 2);
  const Tensor keys = golden_tensor(
      name + "/keys", {static_cast<Index>(kCaptions.size()), one.grid.cells(), kKeyWidth}, 2);
  const Tensor mask = padding_mask(one.grid);
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(store.views());
  const Var regions = tape.variable(features.view());
  const EncodedImages images{regions,
                             padded ? tape.constant(mask.view()) : Var{},
                             {},
                             keyed ? tape.constant(keys.view()) : Var{}};
  const SequenceOutput out =
      model->sequence(tape, pack_captions(kCaptions, Vocabulary::kBos, Vocabulary::kEos),
                      model->prepare(tape, images, 1), {});
  CHECK(golden_difference(name + "/costs", out.nll.value().span()) <= kGoldenTolerance);
  if (decoder.image == ImageEntry::kAttention) {
    std::vector<Real> maps;
    for (const Var map : out.weights())
      maps.insert(maps.end(), map.value().span().begin(), map.value().span().end());
    CHECK(golden_difference(name + "/maps", maps) <= kGoldenTolerance);
  }
  const Tensor cotangent = golden_tensor(name + "/cotangent", out.nll.shape(), 1);
  tape.backward(std::vector{out.nll}, std::vector<ConstView>{cotangent.view()});
  const std::vector<float> of_features = golden(name + "/features");
  CHECK(golden_difference(of_features, tape.grad(regions).span(),
                          std::max(largest(of_features), 1e-3)) <= kGoldenTolerance);
  check_formula_gradients(name + "/gradients", tape, store);
}

}  // namespace

TEST_CASE("decoders and attention equal the published formulas") {
  for (const DecoderCase& one : decoder_cases()) check_decoder_case(one, Extra::kNone);
}

TEST_CASE("decoders and attention equal the published formulas where pictures are padded") {
  const std::set<std::string> padded{"additive",     "local_m", "local_p", "monotonic",
                                     "differential", "linear",  "updown"};
  for (const DecoderCase& one : decoder_cases())
    if (padded.count(one.name) > 0) check_decoder_case(one, Extra::kPadding);
}

TEST_CASE("decoders and attention equal the published formulas where keys are not the features") {
  const std::set<std::string> keyed{"additive",  "general",      "lstm_sentinel", "linear",
                                    "linformer", "differential", "transformer"};
  for (const DecoderCase& one : decoder_cases())
    if (keyed.count(one.name) > 0) check_decoder_case(one, Extra::kKeys);
}

}  // namespace saccade::test
