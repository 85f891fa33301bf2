// Encoders from pixels to regions, and refinements, against PyTorch programs that were written from
// the papers (formula_encoders.py): regions and all gradients.
#include "core/attention/sequence/refinement.h"
#include "tests/golden/formulas.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/encoder.h"

namespace saccade::test {
namespace {

// Backward, and what it leaves.
void check_regions(const std::string& name, Tape& tape, Var inputs, Var regions,
                   const ParameterStore& store) {
  CHECK(golden_difference(name + "/regions", regions.value().span()) <= kGoldenTolerance);
  const Tensor cotangent = golden_tensor(name + "/cotangent", regions.shape(), 1);
  tape.backward(std::vector{regions}, std::vector<ConstView>{cotangent.view()});
  CHECK(golden_difference(name + "/inputs", tape.grad(inputs).span()) <= kGoldenTolerance);
  check_formula_gradients(name + "/gradients", tape, store);
}

// A case of make_formulas.py's ENCODERS.
struct EncoderCase {
  const char* name;
  std::string type;
  Index height, width;
  std::function<void(EncoderConfig&)> set;
};

std::vector<EncoderCase> encoder_cases() {
  const auto positions = [](PositionKind kind) {
    return [kind](EncoderConfig& e) { e.positions = kind; };
  };
  const auto small = [](const std::string& kind) {
    return [kind](EncoderConfig& e) {
      e.vit.width = 8, e.vit.attention.type = kind;
      e.vit.attention.radius = 1, e.vit.attention.nearest = 3;
      e.vit.attention.neighbours = NeighbourKind::kFour;
    };
  };
  return {
      {"cnn", "cnn", 16, 24, positions(PositionKind::kNone)},
      {"cnn_odd", "cnn", 18, 29, positions(PositionKind::kCoordinates)},
      {"cnn_sinusoidal", "cnn", 16, 24, positions(PositionKind::kSinusoidal)},
      {"cnn_sinusoidal_2d", "cnn", 16, 24, positions(PositionKind::kSinusoidal2d)},
      {"vit", "vit", 8, 12, positions(PositionKind::kLearned)},
      {"vit_post", "vit", 8, 12,
       [](EncoderConfig& e) {
         e.positions = PositionKind::kSinusoidal2d, e.vit.norm = NormPlacement::kPost;
         e.vit.class_token = false, e.vit.registers = 0, e.vit.overlap = 1;
       }},
      {"vit_window", "vit", 8, 16, small("window")},
      {"vit_graph", "vit", 8, 16, small("graph")},
      {"vit_nearest", "vit", 8, 16,
       [=](EncoderConfig& e) {
         small("graph")(e);
         e.vit.attention.neighbours = NeighbourKind::kCosine;
       }},
      {"cnn_faint", "cnn", 16, 24, positions(PositionKind::kNone)},
      {"vit_faint", "vit", 8, 12,
       [](EncoderConfig& e) { e.vit.class_token = false, e.vit.registers = 0; }},
      {"hybrid", "hybrid", 16, 24,
       [](EncoderConfig& e) {
         e.positions = PositionKind::kSinusoidal;
         e.vit.width = 8, e.vit.patch = 1, e.vit.registers = 0;
       }},
  };
}

}  // namespace

TEST_CASE("encoders equal the published formulas") {
  for (const EncoderCase& one : encoder_cases()) {
    const std::string name = one.name;
    CAPTURE(name);
    EncoderConfig config;
    config.type = one.type;
    config.image_size = one.height, config.image_width = one.width;
    config.channels = {4, 6, 8, 12};
    config.vit.width = 12, config.vit.layers = 2, config.vit.heads = 2;
    config.vit.patch = 4, config.vit.multiple = 2, config.vit.registers = 1;
    one.set(config);
    ParameterStore store;
    const auto encoder = make_encoder(config, ParamScope(store, "encoder"));
    set_formula_weights(store, name);
    const Tensor pixels =
        golden_tensor(name + "/inputs", {2, one.height, one.width, 3}, 4 * formula_factor(name));
    TestTape tape(store.views());
    const Var inputs = tape.variable(pixels.view());
    if (encoder->token_encoder() && config.vit.class_token) {
      const TokenEncoder& tokens = *encoder->token_encoder();
      const Var token = tokens.class_features(tape, tokens.last_tokens(tape, inputs, {}));
      CHECK(golden_difference(name + "/class_token", token.value().span()) <= kGoldenTolerance);
    }
    check_regions(name, tape, inputs, encoder->forward(tape, inputs), store);
  }
}

TEST_CASE("refinements equal the published formulas") {
  const auto graph = [](NeighbourKind kind) {
    return [kind](RefinementConfig& r) { r.type = "graph", r.neighbours = kind; };
  };
  const auto type = [](const std::string& kind) {
    return [kind](RefinementConfig& r) { r.type = kind; };
  };
  const std::pair<const char*, std::function<void(RefinementConfig&)>> cases[] = {
      {"self_attention", type("self_attention")},
      {"faint", type("self_attention")},
      {"post", [](RefinementConfig& r) { r.norm = NormPlacement::kPost; }},
      {"window", type("window")},
      {"linear", type("linear")},
      {"linformer", type("linformer")},
      {"differential", type("differential")},
      {"geometry", type("geometry")},
      {"graph_four", graph(NeighbourKind::kFour)},
      {"graph_eight", graph(NeighbourKind::kEight)},
      {"graph_cosine", graph(NeighbourKind::kCosine)},
      {"graph_euclidean", graph(NeighbourKind::kEuclidean)}};
  for (const auto& [short_name, set] : cases) {
    const std::string name = std::string("refine_") + short_name;
    CAPTURE(name);
    RefinementConfig config;
    config.layers = config.heads = config.radius = 2;
    config.globals = 1, config.projected = config.nearest = 3;
    set(config);
    ParameterStore store;
    const Refinement refinement(ParamScope(store, "refine"), config, {{.rows = 2, .cols = 3}, 8});
    set_formula_weights(store, name);
    const Tensor x = golden_tensor(name + "/inputs", {2, 6, 8}, 2 * formula_factor(name));
    TestTape tape(store.views());
    const Var inputs = tape.variable(x.view());
    check_regions(name, tape, inputs, refinement(tape, inputs, {}), store);
  }
}

}  // namespace saccade::test
