// Frozen encoders whose network comes from a checkpoint and not from a file.
#include "vision/encoders/stored_network.h"

#include "core/io/half.h"
#include "tests/support/onnx_file.h"
#include "tests/support/published_data.h"
#include "tests/support/test_tape.h"
#include "tests/vision/encoders/onnx_grids.h"

namespace saccade::stored_network_test {
namespace {

namespace fs = std::filesystem;

std::vector<float> grid_of(const FrozenEncoder& encoder) {
  return test::encode_picture(encoder, test_picture(60, 80));
}

// The root of the mean square of the differences, as a share of that of the numbers.
double difference(const std::vector<float>& got, const std::vector<float>& want) {
  REQUIRE(got.size() == want.size());
  double differences = 0, numbers = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    differences += std::pow(static_cast<double>(got[i] - want[i]), 2);
    numbers += std::pow(static_cast<double>(want[i]), 2);
  }
  REQUIRE(numbers > 0);
  return std::sqrt(differences / numbers);
}

// The network as a checkpoint in 16 bits has it.
std::shared_ptr<const StoredNetwork> rounded(StoredNetwork network) {
  for (float& weight : network.weights) weight = float_from_half(half_from_float(weight));
  return std::make_shared<StoredNetwork>(std::move(network));
}

// The config of a network that comes from a checkpoint.
EncoderConfig stored_config(EncoderConfig config, std::shared_ptr<const StoredNetwork> network) {
  config.network = std::move(network);
  config.weights = config.model = "/nowhere";
  return config;
}
EncoderConfig stored_config(const EncoderConfig& config, const StoredNetwork& network) {
  return stored_config(config, std::make_shared<const StoredNetwork>(network));
}

}  // namespace

TEST_CASE("a stored ONNX network gives the grids of its file, without the file") {
  const test::TempFolder folder("stored-onnx");
  test::save_small_onnx(folder / "small.onnx");
  for (const bool joined : {false, true})
    for (const bool dilate : {false, true}) {
      EncoderConfig config = test::frozen_config(folder / "small.onnx", joined ? "" : "last");
      if (joined) config.layers = {"second_relu", "last"};
      config.dilate = dilate;
      const FrozenNetwork whole = test::frozen_network(config);
      const StoredNetwork network = whole.stored();
      const FrozenNetwork stored = test::frozen_network(stored_config(config, network));
      CHECK(stored.grid() == whole.grid());
      CHECK(grid_of(stored) == grid_of(whole));
      CHECK(stored.receptive_field().rows.extent == whole.receptive_field().rows.extent);
      // Stored once more, it is the same.
      const StoredNetwork again = stored.stored();
      CHECK(again.definition == network.definition);
      CHECK(again.weights == network.weights);
      CHECK(again.vectors == network.vectors);
    }
}

TEST_CASE("what lies behind the layers is not stored") {
  const test::TempFolder folder("stored-cut");
  test::save_small_onnx(folder / "small.onnx");
  const auto stored = [&](const char* layer) {
    return test::frozen_network(test::frozen_config(folder / "small.onnx", layer)).stored();
  };
  CHECK(stored("last").definition.find("\"third\"") != std::string::npos);
  const StoredNetwork cut = stored("second_relu");
  for (const char* behind : {"\"depthwise", "\"sum", "\"third", "\"last"})
    CHECK(cut.definition.find(behind) == std::string::npos);
  CHECK(cut.weights.size() == 8 * 3 * 3 * 3 + 12 * 8 * 3 * 3);
  CHECK(cut.vectors.size() == 8 + 12);  // biases, of which the normalisation is a part
}

TEST_CASE("the digest of a network follows its numbers, its layer and the preprocessing alone") {
  const test::TempFolder folder("stored-digest");
  test::save_small_onnx(folder / "small.onnx");
  const EncoderConfig config = test::frozen_config(folder / "small.onnx", "last");
  const FrozenNetwork whole = test::frozen_network(config);
  const std::string digest = whole.digest();
  const StoredNetwork network = whole.stored();
  const auto digest_of = [](const EncoderConfig& own) {
    return test::frozen_network(own).digest();
  };
  CHECK(digest == digest_of(config));
  CHECK(digest == digest_of(stored_config(config, network)));
  CHECK(digest != digest_of(stored_config(config, rounded(network))));
  StoredNetwork other = network;
  other.weights[5] += 1;
  CHECK(digest != digest_of(stored_config(config, other)));
  EncoderConfig changed = config;
  changed.resize = ResizeMode::kCrop;
  CHECK(digest != digest_of(changed));
  changed = config;
  changed.layer = "sum";
  CHECK(digest != digest_of(changed));
}

TEST_CASE("a damaged stored network is refused") {
  const test::TempFolder folder("stored-damaged");
  test::save_small_onnx(folder / "small.onnx");
  const EncoderConfig config = test::frozen_config(folder / "small.onnx", "last");
  const StoredNetwork good = test::frozen_network(config).stored();
  const auto refusal = [&](const StoredNetwork& network) {
    return test::message_of<DataError>(
        [&] { test::frozen_network(stored_config(config, network)); });
  };
  CHECK(refusal(good).empty());
  StoredNetwork network = good;
  network.definition = good.definition.substr(0, good.definition.size() / 2);
  CHECK_THAT(refusal(network), Catch::Contains("is damaged"));
  for (const Index more : {-1, 1}) {
    network = good;
    network.weights.resize(static_cast<std::size_t>(std::ssize(good.weights) + more));
    CHECK_THAT(refusal(network), Catch::Contains("has other numbers"));
    network = good;
    network.vectors.resize(static_cast<std::size_t>(std::ssize(good.vectors) + more));
    CHECK_THAT(refusal(network), Catch::Contains("has other numbers"));
  }
}

TEST_CASE("a stored network of another kind needs no file of weights either") {
  const test::TempFolder folder("stored-native");
  EncoderConfig resnet;
  resnet.type = "resnet18";
  resnet.layer = "layer1";
  resnet.image_size = 32;
  resnet.frozen_stages = -1;
  resnet.weights = (folder / "resnet.safetensors").string();
  ParameterStore store;
  const auto network = make_encoder(resnet, ParamScope(store, "encoder"));
  store.initialise(5);
  save_torch_weights(resnet.weights, pretrained(*network, "encoder"), store);
  const FrozenNetwork whole = test::frozen_network(resnet);
  StoredNetwork stored = whole.stored();
  CHECK(grid_of(test::frozen_network(stored_config(resnet, stored))) == grid_of(whole));
  stored.weights.pop_back();
  CHECK_THROWS_WITH(test::frozen_network(stored_config(resnet, stored)),
                    Catch::Contains("has other numbers"));
}

TEST_CASE("16 bits change the grid of a pretrained network by less than two hundredths") {
  const fs::path folder = test::data_folder("backbones");
  if (folder.empty()) return;
  EncoderConfig config = test::frozen_config(folder / "mobilenet_v2_1.0_224.onnx", "");
  config.layers = {"conv42_relu6", "t168"};
  config.image_size = 224;
  const FrozenNetwork whole = test::frozen_network(config);
  const auto network = rounded(whole.stored());
  CHECK(network->weights.size() + network->vectors.size() < 2'400'000);
  const double change =
      difference(grid_of(test::frozen_network(stored_config(config, network))), grid_of(whole));
  CAPTURE(change);
  CHECK(change > 0);
  CHECK(change < 0.02);
}

using Catch::Matchers::Contains;

namespace {

EncoderConfig small_resnet(const std::filesystem::path& weights) {
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
  test::TestTape tape(store.views());
  const std::span<const Real> out =
      network.forward(tape, tape.constant(pixels.view())).value().span();
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a frozen network computes what the trainable one does with the weights of a file") {
  const test::TempFolder folder("frozen-network");
  const std::filesystem::path file = folder.path() / "resnet.safetensors";
  ParameterStore store;
  const auto network = make_encoder(small_resnet(file), ParamScope(store, "encoder"));
  store.initialise(5);
  save_torch_weights(file, pretrained(*network, "encoder"), store);

  const Normalization plain;
  const FrozenNetwork frozen(small_resnet(file), ResizeMode::kSquash, plain);
  REQUIRE(frozen.grid() == GridShape{{.rows = 8, .cols = 6}, 64});

  CHECK(numbers_of(frozen) == numbers_of(*network, store));

  CHECK(FrozenNetwork(small_resnet(file), ResizeMode::kSquash, plain).digest() == frozen.digest());
  EncoderConfig other = small_resnet(file);
  other.image_width = 32;
  CHECK(FrozenNetwork(other, ResizeMode::kSquash, plain).digest() != frozen.digest());
  CHECK_THROWS_WITH(FrozenNetwork(small_resnet(""), ResizeMode::kSquash, plain),
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

}  // namespace saccade::stored_network_test
