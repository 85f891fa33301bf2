// The blocks of a vision transformer with every mechanism of the registry, before and after the
// norm.
#include <algorithm>
#include <cmath>

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"
#include "vision/encoders/vit.h"

namespace saccade {

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

struct Model {
  // Weights are those of a new model times `scale`.
  explicit Model(const EncoderConfig& config, Real scale = 3)
      : encoder(make_encoder(config, ParamScope(parameters, ""))) {
    parameters.initialise(1);
    for (Real& x : parameters.flat().span()) x *= scale;  // at 3, maps are not flat
  }
  // The features of the regions, or of the class token, [.., 12].
  Tensor encode(ConstView pixels, bool class_token = false) const {
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(parameters.views());
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
          CHECK(apart(one.view(), {both.data() + b * 24 * 12, {1, 24, 12}}) < 1e-4);
        }
        for (const Tensor& other : different) CHECK(apart(other.view(), both.view()) > 1e-3);
        different.push_back(both.clone());
      }
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

}  // namespace saccade
