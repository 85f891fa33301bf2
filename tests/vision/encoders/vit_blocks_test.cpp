// The blocks of a vision transformer with every mechanism of the registry, before and after the
// norm.
#include "core/attention/sequence/make_sequence_attention.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/vit.h"

namespace saccade::vit_blocks_test {

using Catch::Matchers::Contains;

using test::noise;

namespace {

EncoderConfig small(const std::string& type, const std::string& kind,
                    NormPlacement norm = NormPlacement::kPre) {
  EncoderConfig config;
  config.type = type;
  config.image_size = 32;
  config.image_width = 48;
  config.channels = {4, 6, 8};
  config.positions = PositionKind::kSinusoidal;
  config.vit = {.width = 12,
                .layers = 2,
                .heads = 3,
                .patch = type == "vit" ? 8 : 1,
                .norm = norm,
                .registers = 1};
  config.vit.attention.type = kind;
  config.vit.attention.radius = 2;
  config.vit.attention.projected = 3;
  return config;
}

// Without positions and registers.
EncoderConfig plain(const std::string& type = "vit") {
  EncoderConfig config = small(type, "self_attention");
  config.positions = PositionKind::kNone;
  config.vit.registers = 0;
  return config;
}

struct Model {
  // Weights are those of a new model times `scale`.
  explicit Model(const EncoderConfig& config, Real scale = 3)
      : encoder(make_encoder(config, ParamScope(parameters, ""))) {
    parameters.initialise(1);
    for (Real& x : parameters.flat().span()) x *= scale;  // at 3, maps are not flat
  }
  // The features of the regions, or of the class token, [.., 12].
  Tensor encode(ConstView pixels, bool class_token = false) const {
    test::TestTape tape(parameters.views(), test::Recording::kNo);
    const TokenEncoder& encoding = *encoder->token_encoder();
    const Var tokens = encoding.last_tokens(tape, tape.constant(pixels), {});
    const ConstView features =
        (class_token ? encoding.class_features(tape, tokens) : encoding.features(tape, tokens))
            .value();
    return Tensor(features.shape, features.span());
  }
  ParameterStore parameters;
  std::unique_ptr<Encoder> encoder;
};

double apart(ConstView a, ConstView b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (Index i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

}  // namespace

TEST_CASE("every mechanism in every placement encodes each image of a batch by itself") {
  const Tensor two = noise({2, 32, 48, 3}, 3);
  std::vector<Tensor> different;
  for (const std::string type : {"vit", "hybrid"})
    for (const auto& kind : sequence_attentions().rows())
      for (const auto& norm : enum_table(NormPlacement{})) {
        INFO(type << ", " << kind.name << ", " << norm.name);
        const Model model(small(type, kind.name, norm.value));
        const Tensor both = model.encode(two.view());
        REQUIRE(both.shape() == Shape({2, 24, 12}));
        for (Index b = 0; b < 2; ++b) {
          const Tensor one = model.encode({two.data() + b * 32 * 48 * 3, {1, 32, 48, 3}});
          // Weights of three times the size make .0003 of roundings: products of two images are
          // summed in another order than those of one.
          CHECK(apart(one.view(), {both.data() + b * 24 * 12, {1, 24, 12}}) < 1e-3);
        }
        for (const Tensor& other : different) CHECK(apart(other.view(), both.view()) > 1);
        different.push_back(both.clone());
      }
}

TEST_CASE("without gradients, blocks need the memory of one, whatever their number") {
  const Tensor image = noise({2, 32, 48, 3}, 3);
  const auto memory = [&](Index layers) {
    EncoderConfig config = small("vit", "self_attention");
    config.vit.layers = layers;
    const Model model(config);
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.parameters.views());
    tape.set_recording(false);
    model.encoder->token_encoder()->last_tokens(tape, tape.constant(image.view()), {});
    return arena.high_water();
  };
  CHECK(memory(9) == memory(1));
}

TEST_CASE("windows and grid neighbours never leave out the class token and the registers") {
  const Tensor image = noise({1, 32, 48, 3}, 1);
  Tensor changed = image.clone();
  for (Index x = 40; x < 48; ++x) changed[(31 * 48 + x) * 3] += 2;  // the last patch
  for (const std::string kind : {"window", "graph"}) {
    INFO(kind);
    EncoderConfig config = small("vit", kind);
    config.vit.layers = 1;
    config.vit.attention.radius = 0;
    config.vit.attention.neighbours = NeighbourKind::kFour;
    const Model model(config, 1);
    CHECK(apart(model.encode(image.view(), true).view(),
                model.encode(changed.view(), true).view()) > 1e-4);
    // A patch far away is not joined to the last one.
    const Tensor before = model.encode(image.view()), after = model.encode(changed.view());
    CHECK(apart({before.data(), {1, 12}}, {after.data(), {1, 12}}) < 1e-6);
    // But what patches have in common reaches it in a second block.
    config.vit.layers = 2;
    const Model deeper(config, 1);
    const Tensor first = deeper.encode(image.view()), second = deeper.encode(changed.view());
    CHECK(apart({first.data(), {1, 12}}, {second.data(), {1, 12}}) > 1e-5);
  }
}

TEST_CASE("blocks that end normalised have no normalisation behind the last of them") {
  for (const auto& norm : enum_table(NormPlacement{})) {
    const Model model(small("vit", "self_attention", norm.value));
    CHECK((model.parameters.find("norm.gain") >= 0) == (norm.value == NormPlacement::kPre));
  }
}

TEST_CASE("published weights are refused for blocks that no published network has") {
  const auto refused = [](const EncoderConfig& config) {
    try {
      Model(config).encoder->pretrained();
    } catch (const UsageError&) {
      return true;
    }
    return false;
  };
  for (const auto& kind : sequence_attentions().rows()) {
    INFO(kind.name);
    const bool fits = kind.name == "self_attention" || kind.name == "window";
    CHECK(refused(small("vit", kind.name)) == !fits);
    CHECK(refused(small("vit", kind.name, NormPlacement::kPost)));
  }
}

TEST_CASE("attention of a vision transformer that does not fit is refused in one line") {
  EncoderConfig config = small("vit", "graph");
  config.vit.attention.neighbours = NeighbourKind::kCosine;
  config.vit.attention.nearest = 26;  // 24 patches, the class token and a register
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.attention.nearest 26") && Contains("25"));
  config.vit.attention.nearest = 25;
  CHECK_NOTHROW(Model(config));
  config.vit.start = VitStart::kMimetic;
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.start mimetic needs"));
  config = small("vit", "differential");
  config.vit.heads = 4;  // half a head would be 1.5 wide
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.heads 4"));
  config = small("vit", "differential");
  config.vit.start = VitStart::kMimetic;
  CHECK_NOTHROW(Model(config));
}

namespace {

// The image with the 8 x 8 patches (row, col) and (row, col + 1) exchanged.
Tensor exchanged(const Tensor& image, Index row, Index col) {
  Tensor out(image.shape(), image.span());
  const Index width = image.shape()[2];
  for (Index y = 8 * row; y < 8 * row + 8; ++y)
    for (Index x = 8 * col; x < 8 * col + 8; ++x)
      for (Index c = 0; c < 3; ++c)
        std::swap(out[(y * width + x) * 3 + c], out[(y * width + x + 8) * 3 + c]);
  return out;
}

double difference(const Tensor& a, Index row_a, const Tensor& b, Index row_b) {
  double out = 0;
  const Index width = a.shape()[2];
  for (Index d = 0; d < width; ++d)
    out = std::max(out, std::abs(static_cast<double>(a[row_a * width + d]) -
                                 static_cast<double>(b[row_b * width + d])));
  return out;
}

}  // namespace

TEST_CASE("the grid consists of the patches, whatever further tokens there are") {
  for (const std::string type : {"vit", "hybrid"})
    for (const bool class_token : {false, true})
      for (const Index registers : {0, 2}) {
        EncoderConfig config = plain(type);
        config.vit.class_token = class_token;
        config.vit.registers = registers;
        const Model model(config);
        CHECK(model.encoder->grid() == GridShape{{.rows = 4, .cols = 6}, 12});
        CHECK(model.encode(noise({2, 32, 48, 3}, 1).view()).shape() == Shape({2, 24, 12}));
      }
}

TEST_CASE("without positions, a vision transformer does not depend on the order of patches") {
  for (const PositionKind positions : {PositionKind::kNone, PositionKind::kSinusoidal,
                                       PositionKind::kSinusoidal2d, PositionKind::kLearned}) {
    EncoderConfig config = plain();
    config.positions = positions;
    const Model model(config);
    const Tensor image = noise({1, 32, 48, 3}, 2);
    const Tensor before = model.encode(image.view());
    const Tensor after = model.encode(exchanged(image, 1, 2).view());  // regions 8 and 9
    const bool bag = positions == PositionKind::kNone;
    CAPTURE(enum_name(positions));
    CHECK((difference(before, 8, after, 9) < 1e-5) == bag);
    CHECK((difference(before, 9, after, 8) < 1e-5) == bag);
    CHECK((difference(before, 0, after, 0) < 1e-5) == bag);
  }
}

TEST_CASE("a vision transformer refuses options that do not fit together") {
  EncoderConfig config = plain();
  config.vit.patch = 7;
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.patch 7 does not divide 32 x 48 pixels"));
  config = plain("hybrid");
  config.vit.patch = 4;
  CHECK_THROWS_WITH(Model(config), Contains("does not divide 4 x 6, the cells of the CNN's grid"));
  config = plain();
  config.vit.heads = 5;
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.heads 5 does not divide"));
  config = plain();
  config.positions = PositionKind::kCoordinates;
  CHECK_THROWS_WITH(Model(config), Contains("choose sinusoidal, sinusoidal_2d, learned or none"));
}

TEST_CASE("an overlap larger than a patch is refused") {
  EncoderConfig config;
  config.type = "vit";
  config.image_size = 32;
  config.vit = {.width = 8, .layers = 1, .heads = 2, .patch = 8, .overlap = 8};
  ParameterStore store;
  make_encoder(config, ParamScope(store, "widest"));
  config.vit.overlap = 9;
  CHECK_THROWS_WITH(make_encoder(config, ParamScope(store, "wider")),
                    "encoder.vit.overlap 9 is more than encoder.vit.patch 8: a patch sees no "
                    "further than its neighbours");
}

TEST_CASE("a patch that overlaps its neighbours sees as far as its overlap, and no further") {
  EncoderConfig config = plain();
  config.vit.layers = 1;
  config.vit.overlap = 3;
  ParameterStore parameters;
  const VitEncoder encoder(config, ParamScope(parameters, ""), nullptr);
  CHECK(encoder.grid() == GridShape{{.rows = 4, .cols = 6}, 12});
  parameters.initialise(1);
  const auto embedded = [&](const Tensor& pixels) {
    test::TestTape tape(parameters.views(), test::Recording::kNo);
    const ConstView tokens = encoder.tokens(tape, tape.constant(pixels.view())).value();
    return Tensor(tokens.shape, tokens.span());
  };
  const Tensor pixels = noise({1, 32, 48, 3}, 1);
  const Tensor before = embedded(pixels);
  // With its margin of 3 pixels, patch (1, 0), region 6, reaches column 10, patches of row 0 reach
  // row 10, and patch (1, 2) begins at column 13.
  const auto changed_by = [&](Index row, Index col) {
    Tensor other(pixels.shape(), pixels.span());
    other[(row * 48 + col) * 3] += 1;
    const Tensor after = embedded(other);
    std::vector<Index> patches;
    for (Index l = 0; l < 24; ++l)
      if (difference(before, 1 + l, after, 1 + l) > 0) patches.push_back(l);
    return patches;
  };
  CHECK(changed_by(12, 12) == std::vector<Index>{7});
  CHECK(changed_by(12, 10) == std::vector<Index>{6, 7});
  CHECK(changed_by(12, 11) == std::vector<Index>{7});
  CHECK(changed_by(10, 13) == std::vector<Index>{1, 2, 7, 8});
}

TEST_CASE("with a mimetic start, tokens first attend to the tokens that are alike") {
  const auto own_share = [](VitStart start) {
    EncoderConfig config = plain();
    config.vit.layers = 1;
    config.vit.width = 48;
    config.vit.heads = 2;
    config.vit.start = start;
    ParameterStore parameters;
    const VitEncoder encoder(config, ParamScope(parameters, ""), nullptr);
    parameters.initialise(1);
    test::TestTape tape(parameters.views(), test::Recording::kNo);
    const Tensor pixels = noise({1, 32, 48, 3}, 1);
    const Var tokens = encoder.tokens(tape, tape.constant(pixels.view()));
    const ConstView weights = encoder.blocks()[0].weights(tape, tokens, {});
    const Index length = weights.shape[3];
    double share = 0;
    for (Index h = 0; h < 2; ++h)
      for (Index t = 0; t < length; ++t) share += double{weights[(h * length + t) * length + t]};
    return share / static_cast<double>(2 * length);
  };
  CHECK(own_share(VitStart::kGlorot) < 0.1);  // chance would be 1 / 25
  CHECK(own_share(VitStart::kMimetic) > 0.3);
}

}  // namespace saccade::vit_blocks_test
