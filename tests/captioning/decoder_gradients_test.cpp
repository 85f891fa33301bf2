// The gradients of every decoder as a whole, in double.
#include <cstdlib>

#include "captioning/model/decoders/decoder_parts.h"
#include "core/attention/attention_registry.h"
#include "core/attention/axes.h"
#include "core/attention/make_attention.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/config/config.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade::decoder_gradients_test {
namespace {

constexpr Index kRegions = 3, kFeatures = 2, kKeys = 3, kVocabulary = 7;
constexpr int kBos = 1, kEos = 2;

// A config of a decoder, with every part that may be absent.
struct Whole {
  std::string name;
  DecoderConfig decoder;
  AttentionConfig attention;
  bool keys = false;  // whether regions have keys of their own
};

// What words and the first state get from the image.
struct Entry {
  ImageEntry image;
  FirstState first_state;
};
constexpr Entry kEntries[] = {{ImageEntry::kAttention, FirstState::kPooled},
                              {ImageEntry::kAttention, FirstState::kNone},
                              {ImageEntry::kAttentionAndPooled, FirstState::kPooled},
                              {ImageEntry::kEveryWord, FirstState::kPooled},
                              {ImageEntry::kFirstStep, FirstState::kPooled},
                              {ImageEntry::kNone, FirstState::kPooled},
                              {ImageEntry::kNone, FirstState::kNone},
                              {ImageEntry::kPrefix, FirstState::kNone}};

// Every decoder with every part that may be absent. The image reaches the words by `entry`.
std::vector<Whole> wholes(const Entry& entry) {
  std::vector<Whole> all;
  for (const auto& kind : decoder_registry().rows())
    for (const bool tied : {false, true})
      for (const bool sentinel : {false, true})
        for (const bool marginal : {false, true})
          for (const auto& norm : enum_table(NormPlacement{})) {
            Whole one{.name = str(kind.name, tied ? ", tied" : "", sentinel ? ", sentinel" : "",
                                  marginal ? ", marginal, " : ", ", norm.name),
                      .decoder = {.type = kind.name,
                                  .hidden = 4,
                                  .embedding = tied ? 4 : 3,
                                  .dropout = 0,
                                  .init_hidden = 2,
                                  .tie_embeddings = tied,
                                  .layers = 2,
                                  .heads = 2,
                                  .widen = 1,
                                  .norm = norm.value,
                                  .positions =
                                      tied ? WordPositions::kLearned : WordPositions::kSinusoidal,
                                  .longest = 4},
                      .attention = {}};
            one.name += str(", ", enum_name(entry.image), ", ", enum_name(entry.first_state));
            one.decoder.image = entry.image, one.decoder.first_state = entry.first_state;
            // Both belong to attention, whatever else is chosen.
            one.keys = one.attention.learned_scale = tied && one.decoder.attends();
            one.attention.hidden = 3;
            one.attention.sentinel = sentinel;
            if (marginal) {
              one.attention.selection = "hard";
              one.attention.hard.likelihood = HardLikelihood::kMarginal;
            }
            const bool norms = kind.name == "transformer";
            if ((sentinel && marginal) || (!norms && norm.value == NormPlacement::kPost)) continue;
            try {
              check_decoder(one.decoder, one.attention);
            } catch (const UsageError&) {
              continue;
            }
            all.push_back(one);
          }
  return all;
}

Tensor normal(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({6, Stream::kTest, 0, sample});
  for (Real& x : out.span()) x = random.normal();
  return out;
}

// Compares the gradients of the costs of two captions with central differences.
void check_gradients(const Whole& whole) {
  const std::vector<std::vector<int>> captions{{4, 3, 6}, {5}};
  INFO(whole.name);
  ParameterStore store;
  const auto decoder = make_decoder(whole.decoder, whole.attention,
                                    {.features = kFeatures,
                                     .vocabulary = kVocabulary,
                                     .grid = {1, kRegions},
                                     .keys = whole.keys ? kKeys : 0},
                                    ParamScope(store, "decoder"));
  // The features are one more parameter, and the keys another.
  const int seen = store.declare("features", {2, kRegions, kFeatures}, Init::normal(1));
  const int keys = whole.keys ? store.declare("keys", {2, kRegions, kKeys}, Init::normal(1)) : -1;
  store.initialise(1);
  const Tensor values = normal({store.flat_size()}, 1), cotangent = normal({6}, 2);
  for (Index i = 0; i < values.size(); ++i) store.flat()[i] = 0.6 * values[i];
  const auto cost_of = [&](Tape& tape) {
    tape.set_parameters(store.views());
    const EncodedImages images(tape.parameter(seen), {}, {},
                               keys < 0 ? Var{} : tape.parameter(keys));
    const AttentionMemory memory = decoder->prepare(tape, images, 1);
    return decoder
        ->sequence(tape, pack_captions(captions, kBos, kEos), memory,
                   {.likelihood = whole.attention.hard.likelihood})
        .nll;
  };
  const auto numeric = test::numeric_gradient(store, [&] {
    test::TestTape tape;
    tape.set_recording(false);
    const Var cost = cost_of(tape);
    double sum = 0;
    for (Index n = 0; n < 6; ++n) sum += cotangent[n] * cost.value()[n];
    return sum;
  });
  test::TestTape tape;
  const std::vector<Var> outputs{cost_of(tape)};
  tape.backward(outputs, std::vector<ConstView>{cotangent.view()});
  const auto given = test::parameter_gradients(tape, store);
  CHECK(test::norm(numeric) > 0.1);
  CHECK(test::largest_difference(numeric, {given.begin(), given.end()}) < 1e-6);
}

// A number from the environment, or another one.
int from_environment(const char* name, int otherwise) {
  const char* given = std::getenv(name);
  return given ? std::stoi(given) : otherwise;
}

// One of the rows of a registry or of the enumerators of an enumeration.
template <class Rows>
const auto& any_of(const Rows& rows, Random& random) {
  return *(std::begin(rows) + static_cast<std::ptrdiff_t>(random.below(std::size(rows))));
}
bool coin(Random& random) { return random.below(2) == 0; }

// A decoder with attention, each choice of which is drawn by itself.
Whole drawn(Random& random) {
  Whole one;
  DecoderConfig& d = one.decoder;
  d.type = any_of(decoder_registry().rows(), random).name;
  d.image = any_of(enum_table(ImageEntry{}), random).value;
  d.first_state = any_of(enum_table(FirstState{}), random).value;
  d.hidden = 4, d.init_hidden = 2, d.widen = 1, d.longest = 4, d.dropout = 0;
  d.tie_embeddings = coin(random);
  d.embedding = d.tie_embeddings ? 4 : 3;
  d.layers = coin(random) ? 1 : 2, d.heads = coin(random) ? 1 : 2;
  d.norm = any_of(enum_table(NormPlacement{}), random).value;
  d.activation = any_of(enum_table(WordActivation{}), random).value;
  d.positions = any_of(enum_table(WordPositions{}), random).value;
  d.self_attention.type = any_of(sequence_attentions().rows(), random).name;
  d.self_attention.radius = d.self_attention.nearest = 1, d.self_attention.projected = 2;
  AttentionConfig& a = one.attention;
  a.mechanism = any_of(attention_registry(a).mechanisms.rows(), random).name;
  a.score = any_of(attention_registry(a).scores.rows(), random).name;
  a.scope = any_of(attention_scopes().rows(), random).name;
  a.normalizer = any_of(attention_normalizers().rows(), random).name;
  const auto& selection = any_of(attention_selections().rows(), random);
  a.selection = selection.name;
  a.gate = any_of(attention_gates().rows(), random).name;
  a.heads = coin(random) ? 1 : 2;
  a.hidden = 4, a.radius = 1, a.k = 2, a.projected = 2;
  a.sentinel = coin(random), a.learned_scale = coin(random);
  a.value_projection = coin(random), a.output_projection = coin(random);
  a.temperature = Ramp::constant(coin(random) ? 1 : 0.5);
  if (selection.value.draws_regions) a.hard.likelihood = HardLikelihood::kMarginal;
  one.keys = coin(random) && d.attends();
  for (const Difference& set : config_differences(DecoderConfig{}, d))
    one.name += str("decoder.", set.path, "=", set.second, " ");
  for (const Difference& set : config_differences(AttentionConfig{}, a))
    one.name += str("attention.", set.path, "=", set.second, " ");
  return one;
}

}  // namespace

TEST_CASE("gradients are correct in decoders with attention that are drawn at random") {
  const auto seed = static_cast<std::uint64_t>(from_environment("SACCADE_SEED", 1));
  const int wanted = from_environment("SACCADE_DRAWS", 40);
  int checked = 0;
  for (std::uint64_t draw = 0; checked < wanted; ++draw) {
    REQUIRE(draw < 200 * static_cast<std::uint64_t>(wanted));
    Random random({seed, Stream::kTest, 7, draw});
    const Whole whole = drawn(random);
    INFO("SACCADE_SEED " << seed << ", draw " << draw);
    try {
      check_attention(whole.attention);
      check_decoder(whole.decoder, whole.attention);
      check_gradients(whole);
    } catch (const UsageError&) {  // these choices do not go together
      continue;
    }
    ++checked;
  }
}

TEST_CASE(
    "every decoder's loss has correct gradients for all parameters, the features and their keys") {
  std::vector<Whole> all;
  for (const Entry& entry : kEntries)
    for (Whole& whole : wholes(entry)) all.push_back(std::move(whole));
  CHECK(all.size() > 50);
  for (const Whole& whole : all) check_gradients(whole);
}

TEST_CASE("gradients are correct with every attention among words") {
  for (const std::string kind : {"window", "linear", "differential", "graph"})
    for (const auto& norm : enum_table(NormPlacement{}))
      for (const bool alone : {true, false}) {  // whether glimpses stand alone
        Whole one{.name = str(kind, ", ", norm.name, ", alone ", alone),
                  .decoder = {.type = "transformer",
                              .hidden = 4,
                              .embedding = 3,
                              .dropout = 0,
                              .layers = 2,
                              .heads = 2,
                              .widen = 1,
                              .norm = norm.value,
                              .positions = WordPositions::kNone},
                  .attention = {}};
        one.decoder.self_attention.type = kind;
        one.decoder.self_attention.radius = one.decoder.self_attention.nearest = 1;
        one.attention.hidden = 3;
        if (!alone) one.attention.scope = "causal";
        check_gradients(one);
      }
}

}  // namespace saccade::decoder_gradients_test
