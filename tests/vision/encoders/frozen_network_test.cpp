#include "vision/encoders/frozen_network.h"

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {

using Catch::Matchers::Contains;

namespace {

EncoderConfig small(const std::filesystem::path& weights) {
  EncoderConfig config;
  config.type = "resnet18";
  config.layer = "layer1";
  config.image_size = 32;
  config.image_width = 24;
  config.frozen_stages = -1;
  config.pixels = PixelScale::kImagenet;
  config.weights = weights.string();
  return config;
}

Image picture() {
  Image image(32, 24);
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<std::uint8_t>(i * 7919 % 251);
  return image;
}

// The grid of the picture, computed by a frozen network or by another encoder.
std::vector<float> numbers_of(const FrozenNetwork& frozen) {
  std::vector<float> out(static_cast<std::size_t>(frozen.grid().size()));
  frozen.encode(picture(), {}, out);
  return out;
}
std::vector<float> numbers_of(const Encoder& network, const ParameterStore& store) {
  Tensor pixels({1, 32, 24, 3});
  pixels_to_input(picture(), {}, pixels.data());
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(store.views());
  const std::span<const Real> out =
      network.forward(tape, tape.constant(pixels.view())).value().span();
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a frozen network computes what the trainable one does with the weights of a file") {
  const test::TempFolder folder("frozen-network");
  const std::filesystem::path file = folder.path() / "resnet.safetensors";
  ParameterStore store;
  const auto network = make_encoder(small(file), ParamScope(store, "encoder"));
  store.initialise(5);
  save_torch_weights(file, pretrained(*network, "encoder"), store);

  const Normalization plain;
  const FrozenNetwork frozen(small(file), ResizeMode::kSquash, plain);
  REQUIRE(frozen.grid() == GridShape{{.rows = 8, .cols = 6}, 64});

  CHECK(numbers_of(frozen) == numbers_of(*network, store));

  CHECK(FrozenNetwork(small(file), ResizeMode::kSquash, plain).digest() == frozen.digest());
  EncoderConfig other = small(file);
  other.image_width = 32;
  CHECK(FrozenNetwork(other, ResizeMode::kSquash, plain).digest() != frozen.digest());
  CHECK_THROWS_WITH(FrozenNetwork(small(""), ResizeMode::kSquash, plain),
                    Contains("would freeze random weights"));
}

// A vision transformer adds its positions to the tokens, and its weights have the same shapes for
// any number of heads.
TEST_CASE(
    "a frozen vision transformer keeps its positions, and its digest depends on heads and "
    "positions") {
  const test::TempFolder folder("frozen-vit");
  EncoderConfig config;
  config.type = "vit";
  config.image_size = 32;
  config.image_width = 24;
  config.frozen_stages = -1;
  config.positions = PositionKind::kLearned;
  config.vit = {.width = 12, .layers = 1, .heads = 3, .patch = 8};
  config.weights = (folder.path() / "vit.safetensors").string();
  ParameterStore store;
  const auto network = make_encoder(config, ParamScope(store, "encoder"));
  store.initialise(5);
  for (Real& x : store.flat().span()) x *= 3;  // so that the maps are not flat
  save_torch_weights(config.weights, pretrained(*network, "encoder"), store);

  const Normalization plain;
  const FrozenNetwork frozen(config, ResizeMode::kSquash, plain);
  CHECK(numbers_of(frozen) == numbers_of(*network, store));

  config.vit.heads = 4;
  CHECK(FrozenNetwork(config, ResizeMode::kSquash, plain).digest() != frozen.digest());
}

}  // namespace saccade
