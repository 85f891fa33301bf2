#include "vision/encoders/vit.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using Catch::Matchers::Contains;

using test::noise;

namespace {

EncoderConfig small(const std::string& type = "vit") {
  EncoderConfig config;
  config.type = type;
  config.image_size = 32;
  config.image_width = 48;
  config.channels = {4, 6, 8};
  config.vit = {.width = 12, .layers = 2, .heads = 3, .patch = type == "vit" ? 8 : 1};
  return config;
}

struct Model {
  explicit Model(const EncoderConfig& config)
      : encoder(make_encoder(config, ParamScope(parameters, ""))) {
    parameters.initialise(1);
    for (Real& x : parameters.flat().span()) x *= 3;  // so that the maps are not flat
  }
  Tensor encode(ConstView pixels) const {
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(parameters.views());
    const ConstView features = encoder->forward(tape, tape.constant(pixels)).value();
    return Tensor(features.shape, features.span());
  }
  ParameterStore parameters;
  std::unique_ptr<Encoder> encoder;
};

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
        EncoderConfig config = small(type);
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
    EncoderConfig config = small();
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

TEST_CASE("every image of a batch is encoded by itself") {
  const Model model(small("hybrid"));
  const Tensor three = noise({3, 32, 48, 3}, 3);
  const Tensor all = model.encode(three.view());
  const Index size = 32 * 48 * 3;
  for (Index b = 0; b < 3; ++b) {
    const Tensor one = model.encode({three.data() + b * size, {1, 32, 48, 3}});
    for (Index l = 0; l < 24; ++l) CHECK(difference(all, b * 24 + l, one, l) < 1e-4);
  }
}

TEST_CASE("every parameter but those of the last normalisation belongs to one stage") {
  for (const std::string type : {"vit", "hybrid"}) {
    Model model(small(type));
    Index of_stages = 0;
    for (const EncoderStage& stage : model.encoder->stages()) {
      const Index count = model.parameters.set_rate(stage.prefixes.at(0), 0);
      CHECK(count > 0);
      of_stages += count;
    }
    CHECK(of_stages == static_cast<Index>(model.parameters.count()) - 2);
    CHECK(model.parameters.trained_count() == 2 * 12);
  }
}

TEST_CASE("a vision transformer refuses options that do not fit together") {
  EncoderConfig config = small();
  config.vit.patch = 7;
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.patch 7 does not divide 32 x 48 pixels"));
  config = small("hybrid");
  config.vit.patch = 4;
  CHECK_THROWS_WITH(Model(config), Contains("does not divide 4 x 6, the cells of the CNN's grid"));
  config = small();
  config.vit.heads = 5;
  CHECK_THROWS_WITH(Model(config), Contains("encoder.vit.heads 5 does not divide"));
  config = small();
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
  EncoderConfig config = small();
  config.vit.layers = 1;
  config.vit.overlap = 3;
  ParameterStore parameters;
  const VitEncoder encoder(config, ParamScope(parameters, ""), nullptr);
  CHECK(encoder.grid() == GridShape{{.rows = 4, .cols = 6}, 12});
  parameters.initialise(1);
  const auto embedded = [&](const Tensor& pixels) {
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(parameters.views());
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
    EncoderConfig config = small();
    config.vit.layers = 1;
    config.vit.width = 48;
    config.vit.heads = 2;
    config.vit.start = start;
    ParameterStore parameters;
    const VitEncoder encoder(config, ParamScope(parameters, ""), nullptr);
    parameters.initialise(1);
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(parameters.views());
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

}  // namespace saccade
