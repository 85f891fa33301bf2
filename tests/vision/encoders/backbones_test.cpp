// What every native backbone promises. tests/golden checks that its outputs equal torchvision's.
#include "core/io/torch_weights.h"
#include "core/kernels/constant_weights.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/backbones/mobilenet.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/vgg.h"

namespace saccade::backbones_test {

using test::difference;
using test::message_of;
using test::noise;
using test::TempFolder;

namespace {

using Make = std::function<std::unique_ptr<Backbone>(const std::string& stage, const ImageSize&,
                                                     const ParamScope&)>;

struct Network {
  const char* name;
  Make make;
  std::size_t stages;
  Index least;  // the side of the smallest image
};

const Network kNetworks[] = {
    {"resnet18",
     [](const std::string& stage, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<Resnet>(ResnetOptions{ResnetDepth::k18, {.stages = {stage}}}, pixels,
                                       scope);
     },
     5, 1},
    {"resnet101",
     [](const std::string& stage, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<Resnet>(ResnetOptions{ResnetDepth::k101, {.stages = {stage}}},
                                       pixels, scope);
     },
     5, 1},
    {"vgg19",
     [](const std::string& stage, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<Vgg>(VggOptions{VggDepth::k19, {.stages = {stage}}}, pixels, scope);
     },
     5, 16},
    {"mobilenet_v2",
     [](const std::string& stage, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<MobileNetV2>(
           MobileNetV2Options{.width = 0.35, .ends = {.stages = {stage}}}, pixels, scope);
     },
     6, 1},
};

bool is_statistic(const ParameterInfo& info) {
  return info.name.find("running_") != std::string::npos;
}

Index trained_numbers(const ParameterStore& store) {
  Index count = 0;
  for (const ParameterInfo& info : store.infos())
    if (!is_statistic(info)) count += info.shape.size();
  return count;
}

Tensor encode(const Backbone& backbone, const ParameterStore& store, ConstView pixels) {
  test::TestTape tape(store.views(), test::Recording::kNo);
  const ConstView features = backbone.forward(tape, tape.constant(pixels)).value();
  return Tensor(features.shape, features.span());
}

}  // namespace

TEST_CASE("a backbone may end at any of its stages and computes the grid that it announces") {
  for (const Network& network : kNetworks) {
    ParameterStore whole;
    const auto all = network.make("", {40, 70}, ParamScope(whole, "encoder"));
    REQUIRE(all->stages().size() == network.stages);
    for (std::size_t k = 0; k < network.stages; ++k) {
      const BackboneStage& stage = all->stages()[k];
      CAPTURE(network.name, stage.name);
      ParameterStore store;
      const auto backbone = network.make(stage.name, {40, 70}, ParamScope(store, "encoder"));
      store.initialise(1);
      CHECK(backbone->stages().size() == k + 1);
      const GridShape grid = backbone->grid();
      CHECK(grid.rows == stage.grid.rows);
      CHECK(grid.cols == stage.grid.cols);
      const Tensor features = encode(*backbone, store, noise({2, 40, 70, 3}, 1).view());
      CHECK(features.shape() == Shape{2, grid.rows, grid.cols, grid.features});
      // A file of weights may also have the layers that are not built.
      CHECK(backbone->unused().size() > 0);
      for (std::size_t later = k + 1; later < network.stages; ++later)
        for (const std::string& prefix : all->stages()[later].prefixes)
          CHECK(std::count(backbone->unused().begin(), backbone->unused().end(), prefix) == 1);
    }
  }
}

TEST_CASE("Show, Attend and Tell's grid is 14 x 14 x 512, ResNet's 7 x 7") {
  ParameterStore vgg, resnet50, resnet101, mobile;
  const GridShape grid = Vgg({}, {224, 224}, ParamScope(vgg, "")).grid();
  CHECK((grid.rows == 14 && grid.cols == 14 && grid.features == 512));
  const GridShape fifty =
      Resnet({.depth = ResnetDepth::k50}, {224, 224}, ParamScope(resnet50, "")).grid();
  CHECK((fifty.rows == 7 && fifty.cols == 7 && fifty.features == 2048));
  const GridShape third = Resnet({.depth = ResnetDepth::k101, .ends = {.stages = {"layer3"}}},
                                 {224, 320}, ParamScope(resnet101, ""))
                              .grid();
  CHECK((third.rows == 14 && third.cols == 20 && third.features == 1024));
  const GridShape head = MobileNetV2({}, {224, 224}, ParamScope(mobile, "")).grid();
  CHECK((head.rows == 7 && head.cols == 7 && head.features == 1280));
  // The numbers of parameters of the published networks without their classifiers.
  CHECK(trained_numbers(vgg) == 20'024'384);
  CHECK(trained_numbers(resnet50) == 23'508'032);
  CHECK(trained_numbers(mobile) == 2'223'872);
}

TEST_CASE("statistics of normalisations get no gradient, and all other parameters do") {
  ParameterStore store;
  const auto backbone = kNetworks[3].make("", {32, 32}, ParamScope(store, "encoder"));
  store.initialise(1);
  test::TestTape tape(store.views());
  const Tensor pixels = noise({1, 32, 32, 3}, 1);
  const Var features = backbone->forward(tape, tape.constant(pixels.view()));
  const Tensor cotangent = noise(features.shape(), 2);
  tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});
  for (int p = 0; p < static_cast<int>(store.count()); ++p) {
    CAPTURE(store.info(p).name);
    CHECK((tape.parameter_grad(p).data == nullptr) == is_statistic(store.info(p)));
  }
}

TEST_CASE("without gradients, a stage needs the memory of one block and the gains of all") {
  const Tensor image = noise({1, 64, 64, 3}, 1);
  const auto memory = [&](ResnetDepth depth) {
    ParameterStore store;
    const Resnet network({depth, {.stages = {"layer4"}}}, {64, 64}, ParamScope(store, "encoder"));
    store.initialise(1);
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views(), store.trained());
    tape.set_recording(false);
    network.forward(tape, tape.constant(image.view()));
    return arena.high_water();
  };
  // Of 17 blocks more, the gains, biases and deviations of 256, 256 and 1024 channels.
  constexpr std::size_t kOfBlock = 3 * (256 + 256 + 1024) * sizeof(Real);
  CHECK(memory(ResnetDepth::k101) <= memory(ResnetDepth::k50) + 17 * kOfBlock);
}

// With gradients, without them, and without them while the weights are held.
TEST_CASE("a residual network computes the same by convolutions, by blocks and by whole stages") {
  for (const ResnetDepth depth : {ResnetDepth::k18, ResnetDepth::k50}) {
    ParameterStore store;
    const Resnet network({depth, {.stages = {"layer3", "layer1"}}}, {64, 96},
                         ParamScope(store, "encoder"));
    store.initialise(1);
    const Tensor images = noise({3, 64, 96, 3}, 1);
    // Gains that are 0 at first would hide the blocks.
    for (int p = 0; p < static_cast<int>(store.count()); ++p)
      for (Real& x : store.value(p).span())
        if (store.info(p).name.ends_with(".weight") && x == 0) x = Real(0.3);
    const auto results = [&](bool gradients) {
      Arena arena;
      Tape tape(arena);
      tape.set_parameters(store.views(), store.trained());
      tape.set_recording(gradients);
      std::vector<Tensor> all;
      for (const Var y : network.outputs(tape, tape.constant(images.view())))
        all.emplace_back(y.shape(), y.value().span());
      return all;
    };
    const std::vector<Tensor> expected = results(true), by_blocks = results(false);
    const ConstantWeights held(std::as_const(store).flat().span());
    const std::vector<Tensor> by_stages = results(false);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(difference(expected[i], by_blocks[i]) <= 1e-6);
      CHECK(difference(expected[i], by_stages[i]) <= 1e-6);
    }
  }
}

TEST_CASE("pretrained weights are read by torchvision's names, whatever the last stage") {
  const TempFolder folder("backbone-weights");
  ParameterStore whole;
  const auto all = kNetworks[0].make("", {32, 32}, ParamScope(whole, "encoder"));
  whole.initialise(3);
  save_torch_weights(folder / "w.safetensors", {.scope = "encoder"}, whole);
  const SafetensorsFile file(folder / "w.safetensors");
  for (const char* name : {"conv1.weight", "bn1.running_var", "layer1.0.conv1.weight",
                           "layer2.0.downsample.0.weight", "layer4.1.bn2.bias"}) {
    CAPTURE(name);
    CHECK(file.find(name) != nullptr);
  }
  ParameterStore part;
  const auto some = kNetworks[0].make("layer2", {32, 32}, ParamScope(part, "encoder"));
  part.initialise(4);
  const TorchWeights weights{.scope = "encoder",
                             .ignored = {some->unused().begin(), some->unused().end()}};
  CHECK(load_torch_weights(file, weights, part).loaded == part.count());
  const Tensor pixels = noise({1, 32, 32, 3}, 1);
  ParameterStore other;
  const auto again = kNetworks[0].make("layer2", {32, 32}, ParamScope(other, "encoder"));
  other.initialise(3);
  CHECK(difference(encode(*again, other, pixels.view()), encode(*some, part, pixels.view())) == 0);
}

TEST_CASE("backbones refuse stages that they do not have and images that are too small") {
  for (const Network& network : kNetworks) {
    CAPTURE(network.name);
    ParameterStore store;
    const std::string wrong = message_of<UsageError>([&] {
      network.make("layer44", {64, 64}, ParamScope(store, "encoder"));
    });
    CHECK(wrong.find("has no stage 'layer44'") != std::string::npos);
    ParameterStore none, small, least;
    CHECK_THROWS_AS(network.make("", {0, 64}, ParamScope(none, "")), UsageError);
    if (network.least > 1)
      CHECK_THROWS_AS(network.make("", {64, network.least - 1}, ParamScope(small, "")), UsageError);
    const auto backbone = network.make("", {network.least, network.least}, ParamScope(least, ""));
    least.initialise(1);
    CHECK(backbone->grid().rows == 1);
    const Tensor other({1, network.least + 1, network.least, 3});
    CHECK_THROWS_AS(encode(*backbone, least, other.view()), ShapeError);
  }
}

}  // namespace saccade::backbones_test
