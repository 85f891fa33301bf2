// Whole decoders with every kind of attention, against PyTorch programs that were written from the
// papers (formula_models.py, formula_transformer.py): what words cost, the maps, and all gradients.
#include "captioning/model/decoders/decoder.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "tests/golden/formulas.h"
#include "tests/support/small_decoder.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

constexpr Index kKeyWidth = 3;
constexpr GridSize kSmall{.rows = 2, .cols = 3}, kLarge{.rows = 6, .cols = 7};

// A case of make_formulas.py's DECODERS.
struct DecoderCase {
  const char* name;
  std::string decoder;
  std::function<void(DecoderConfig&, AttentionConfig&)> set;
  GridSize grid = kSmall;
};

std::vector<DecoderCase> decoder_cases() {
  using D = DecoderConfig;
  using A = AttentionConfig;
  constexpr const char *lstm = "lstm", *gru = "gru", *luong = "luong", *updown = "updown",
                       *transformer = "transformer";
  const auto score = [](const std::string& kind) { return [kind](D&, A& a) { a.score = kind; }; };
  const auto normalizer = [](const std::string& kind) {
    return [kind](D&, A& a) { a.normalizer = kind; };
  };
  const auto mechanism = [](const std::string& kind, Index hidden) {
    return [=](D&, A& a) { a.mechanism = kind, a.hidden = hidden; };
  };
  const auto scope = [](const std::string& kind, double pace, Index radius, Index globals) {
    return [=](D&, A& a) { a.scope = kind, a.pace = pace, a.radius = radius, a.globals = globals; };
  };
  const auto image = [](ImageEntry entry) { return [entry](D& d, A&) { d.image = entry; }; };
  const auto of_luong = [](const std::string& kind) {
    return [kind](D&, A& a) { a.score = kind, a.gate = "none"; };
  };
  const auto words = [](const std::string& kind) {
    return [kind](D& d, A&) {
      d.self_attention.type = kind;
      d.self_attention.radius = d.self_attention.nearest = 1;
    };
  };
  const auto plain = [](D&, A&) {};
  const auto sentinel = [](D&, A& a) { a.sentinel = true; };
  return {
      {"additive", lstm, plain},
      {"concat", lstm, score("concat")},
      {"dot", lstm, score("dot")},
      {"scaled_dot", lstm, score("scaled_dot")},
      {"general", lstm, score("general")},
      {"cosine", lstm, score("cosine")},
      {"mean", lstm, score("none")},
      {"sparsemax", lstm, normalizer("sparsemax")},
      {"entmax15", lstm, normalizer("entmax15")},
      {"temperature", lstm, [](D&, A& a) { a.temperature = Ramp::constant(0.5); }},
      {"top_k", lstm, [](D&, A& a) { a.selection = "top_k"; }},
      {"vector_gate", lstm, [](D&, A& a) { a.gate = "vector"; }},
      {"no_gate", lstm, [](D&, A& a) { a.gate = "none"; }},
      {"local_m", lstm, scope("local_m", 1.5, 1, 1)},
      {"local_m_near", lstm, scope("local_m", 12.5, 1, 1), kLarge},
      {"window", lstm, scope("window", 1.5, 0, 2)},
      {"window_near", lstm, scope("window", 12.5, 1, 1), kLarge},
      {"causal", lstm, scope("causal", 1, 1, 1)},
      {"local_p", lstm, scope("local_p", 1, 1, 1)},
      {"local_p_near", lstm, scope("local_p", 1, 1, 1), kLarge},
      {"monotonic", lstm, scope("monotonic", 1, 1, 1)},
      {"heads", lstm,
       [](D&, A& a) { a.score = "scaled_dot", a.heads = 2, a.output_projection = true; }},
      {"heads_dot", lstm, [](D&, A& a) { a.score = "dot", a.heads = 2; }},
      {"value_projection", lstm, [](D&, A& a) { a.value_projection = true; }},
      {"learned_scale", lstm, [](D&, A& a) { a.learned_scale = true; }},
      {"linear", lstm, mechanism("linear", 4)},
      {"linear_wide", lstm, mechanism("linear", 8)},
      {"linformer", lstm, mechanism("linformer", 4)},
      {"differential", lstm, mechanism("differential", 4)},
      {"lstm_sentinel", lstm, sentinel},
      {"lstm_sentinel_heads", lstm, [](D&, A& a) { a.sentinel = true, a.heads = 2; }},
      {"lstm_attention_and_pooled", lstm, image(ImageEntry::kAttentionAndPooled)},
      {"lstm_every_word", lstm, image(ImageEntry::kEveryWord)},
      {"lstm_first_step", lstm, image(ImageEntry::kFirstStep)},
      {"lstm_no_image", lstm, image(ImageEntry::kNone)},
      {"lstm_no_first_state", lstm, [](D& d, A&) { d.first_state = FirstState::kNone; }},
      {"lstm_tied", lstm, [](D& d, A&) { d.tie_embeddings = true; }},
      {"gru", gru, plain},
      {"gru_first_step", gru, image(ImageEntry::kFirstStep)},
      {"luong_dot", luong, of_luong("dot")},
      {"luong_general", luong, of_luong("general")},
      {"luong_concat", luong, of_luong("concat")},
      {"luong_sentinel", luong, sentinel},
      {"luong_first_step", luong, image(ImageEntry::kFirstStep)},
      {"updown", updown, plain},
      {"updown_sentinel", updown, sentinel},
      {"updown_attention_and_pooled", updown, image(ImageEntry::kAttentionAndPooled)},
      {"updown_no_image", updown, image(ImageEntry::kNone)},
      {"updown_first_step", updown, image(ImageEntry::kFirstStep)},
      {"transformer", transformer, score("scaled_dot")},
      {"transformer_post", transformer,
       [](D& d, A&) {
         d.norm = NormPlacement::kPost, d.positions = WordPositions::kLearned;
         d.embedding = 4, d.tie_embeddings = true;
       }},
      {"transformer_attention_and_pooled", transformer, image(ImageEntry::kAttentionAndPooled)},
      {"transformer_first_step", transformer, image(ImageEntry::kFirstStep)},
      {"transformer_window", transformer, words("window")},
      {"transformer_linear", transformer, words("linear")},
      {"transformer_differential", transformer, words("differential")},
      {"transformer_graph", transformer, words("graph")},
      {"transformer_no_positions", transformer,
       [](D& d, A& a) { d.positions = WordPositions::kNone, a.gate = "none"; }},
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
  TestTape tape(store.views());
  const Var regions = tape.variable(features.view());
  const EncodedImages images{regions,
                             padded ? tape.constant(mask.view()) : Var{},
                             {},
                             keyed ? tape.constant(keys.view()) : Var{}};
  const SequenceOutput out =
      model->sequence(tape, pack_captions(kCaptions, Vocabulary::kBos, Vocabulary::kEos),
                      model->prepare(tape, images, 1), {});
  CHECK(golden_difference(name + "/costs", out.nll.value().span()) <= kGoldenTolerance);
  if (decoder.attends()) {
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
  const std::set<std::string> padded{
      "additive",     "local_m", "local_p", "monotonic",
      "differential", "linear",  "updown",  "lstm_attention_and_pooled"};
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
