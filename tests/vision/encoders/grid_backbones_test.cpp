// encoder.layers and encoder.dilate with networks that can be trained.
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/backbones/mobilenet.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/vgg.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/frozen_network.h"

namespace saccade::grid_backbones_test {

using Catch::Matchers::Contains;
using test::message_of;
using test::noise;
using test::TempFolder;

namespace {

using Make = std::function<std::unique_ptr<Backbone>(const BackboneEnds&, const ImageSize&,
                                                     const ParamScope&)>;

struct Network {
  const char* name;
  Make make;
  std::vector<std::string> strided;  // stages whose last stride can be removed
};

const Network kNetworks[] = {
    {"resnet18",
     [](const BackboneEnds& ends, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<Resnet>(ResnetOptions{.depth = ResnetDepth::k18, .ends = ends},
                                       pixels, scope);
     },
     {"layer2", "layer4"}},
    {"resnet50",
     [](const BackboneEnds& ends, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<Resnet>(ResnetOptions{.depth = ResnetDepth::k50, .ends = ends},
                                       pixels, scope);
     },
     {"layer3"}},
    {"mobilenet_v2",
     [](const BackboneEnds& ends, const ImageSize& pixels, const ParamScope& scope) {
       return std::make_unique<MobileNetV2>(MobileNetV2Options{.width = 0.35, .ends = ends}, pixels,
                                            scope);
     },
     {"stage1", "stage4", "stage5", "head"}},
};

struct Built {
  Built(const Network& network, const BackboneEnds& ends, const ImageSize& pixels)
      : backbone(network.make(ends, pixels, ParamScope(store, "encoder"))) {
    store.initialise(1);
    // Values for which no block is the identity and no normalisation is that of a new network.
    for (const ParameterInfo& info : store.infos()) {
      if (info.shape.rank() > 1) continue;
      const Tensor drawn = noise(info.shape, 17);
      const bool variance = info.name.ends_with("running_var");
      for (Index i = 0; i < drawn.size(); ++i)
        store.flat()[info.offset + i] = (variance ? Real{1} : Real{0.5}) + drawn[i] / 8;
    }
  }
  std::vector<Tensor> run(const Tensor& pixels, bool recording = false) const {
    test::TestTape tape;
    tape.set_recording(recording);
    tape.set_parameters(store.views());
    std::vector<Tensor> results;
    for (const Var result : backbone->outputs(tape, tape.constant(pixels.view())))
      results.emplace_back(result.shape(), result.value().span());
    return results;
  }
  ParameterStore store;
  std::unique_ptr<Backbone> backbone;
};

double largest(const Tensor& x) {
  double most = 0;
  for (const Real v : x.span()) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

}  // namespace

TEST_CASE("a backbone computes several stages in one pass, each as a network that ends there") {
  const Tensor pixels = noise({2, 64, 96, 3}, 1);
  const std::vector<std::pair<const Network*, std::vector<std::string>>> several{
      {&kNetworks[0], {"layer3", "stem", "layer1"}}, {&kNetworks[2], {"stage4", "head", "stage1"}}};
  for (const auto& [network, stages] : several) {
    const Built all(*network, {.stages = stages}, {64, 96});
    const std::vector<Tensor> results = all.run(pixels), recorded = all.run(pixels, true);
    REQUIRE(results.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
      CAPTURE(network->name, stages[k]);
      const Built one(*network, {.stages = {stages[k]}}, {64, 96});
      const std::vector<Tensor> ended = one.run(pixels);
      const Tensor& alone = ended[0];
      const GridShape& grid = all.backbone->results()[k].grid;
      CHECK(results[k].shape() == Shape{2, grid.rows, grid.cols, grid.features});
      CHECK(test::difference(alone, results[k]) == 0);
      CHECK(test::difference(alone, recorded[k]) == 0);
      CHECK(all.backbone->receptive_field(k).rows.extent ==
            one.backbone->receptive_field().rows.extent);
    }
  }
}

// Both pad with zeros, so the outputs are equal up to the border.
TEST_CASE("a dilated backbone has the numbers of the strided one at even rows and columns") {
  const Tensor pixels = noise({1, 64, 96, 3}, 1);
  for (const Network& network : kNetworks)
    for (const std::string& stage : network.strided) {
      CAPTURE(network.name, stage);
      const Built strided(network, {.stages = {stage}}, {64, 96});
      const Built dilated(network, {.stages = {stage}, .last_stage = LastStage::kDilated},
                          {64, 96});
      const std::vector<Tensor> before = strided.run(pixels), after = dilated.run(pixels);
      const Tensor &coarse = before[0], &fine = after[0];
      const Shape from = coarse.shape();
      REQUIRE(fine.shape() == Shape{1, 2 * from[1], 2 * from[2], from[3]});
      double most = 0, between = 0;
      for (Index row = 0; row < from[1]; ++row)
        for (Index col = 0; col < from[2]; ++col)
          for (Index d = 0; d < from[3]; ++d) {
            const auto at = [&](Index r, Index c) {
              return static_cast<double>(fine[(r * 2 * from[2] + c) * from[3] + d]);
            };
            const auto want = static_cast<double>(coarse[(row * from[2] + col) * from[3] + d]);
            most = std::max(most, std::abs(want - at(2 * row, 2 * col)));
            between = std::max(between, std::abs(want - at(2 * row + 1, 2 * col)));
          }
      CHECK(largest(coarse) > 0.01);
      CHECK(most <= 1e-4 * largest(coarse));
      CHECK(between > 1e-2 * largest(coarse));
      const ReceptiveField wide = strided.backbone->receptive_field(),
                           dense = dilated.backbone->receptive_field();
      CHECK(dense.rows.extent == wide.rows.extent);
      CHECK(dense.rows.first == wide.rows.first);
      CHECK(2 * dense.rows.step == wide.rows.step);
    }
}

TEST_CASE("networks whose last stride is that of a pool are not dilated") {
  const auto refusal = [](auto make) {
    ParameterStore store;
    return message_of<UsageError>([&] { make(ParamScope(store, "")); });
  };
  CHECK_THAT(refusal([](const ParamScope& scope) {
               Vgg({.ends = {.last_stage = LastStage::kDilated}}, {64, 64}, scope);
             }),
             Contains("encoder.dilate: vgg16 and vgg19 stride by pools"));
  CHECK_THAT(refusal([](const ParamScope& scope) {
               Resnet({.ends = {.stages = {"layer1"}, .last_stage = LastStage::kDilated}}, {64, 64},
                      scope);
             }),
             Contains("encoder.dilate: the last stride before layer1"));
}

TEST_CASE(
    "an imported network joins and dilates layers as the frozen one does, and can be trained") {
  const TempFolder folder("grid-native");
  const std::filesystem::path model = folder / "small.onnx";
  test::save_small_onnx(model);
  for (const bool dilate : {false, true}) {
    CAPTURE(dilate);
    EncoderConfig config;
    config.type = "onnx_native";
    config.model = model.string();
    config.layers = {"last", "depthwise", "first_relu"};
    config.image_size = 32, config.image_width = 48;
    config.dilate = dilate;
    ParameterStore store;
    const auto encoder = make_encoder(config, ParamScope(store, "encoder"));
    store.initialise(1);
    encoder->start(store);
    EncoderConfig still = config;
    still.frozen_stages = -1;
    const FrozenNetwork frozen(still, ResizeMode::kSquash, {});
    REQUIRE(encoder->grid() == frozen.grid());
    REQUIRE(config.norm() == FeatureNorm::kLayerNorm);
    const Image image = test_picture(32, 48, 3);
    std::vector<float> expected(static_cast<std::size_t>(frozen.grid().size()));
    frozen.encode(image, {}, expected);
    Tensor pixels({1, 32, 48, 3});
    pixels_to_input(image, Normalization{}, pixels.data());
    for (const bool recording : {false, true}) {
      test::TestTape tape;
      tape.set_recording(recording);
      tape.set_parameters(store.views());
      const Var features = encoder->forward(tape, tape.constant(pixels.view()));
      CHECK(std::ranges::equal(expected, features.value().span()));
      if (!recording) continue;
      const Tensor cotangent = noise(features.shape(), 5);
      tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});
      for (const char* node : {"first", "second", "depthwise", "third"}) {
        CAPTURE(node);
        const ConstView gradient =
            tape.parameter_grad(store.find(str("encoder.backbone.", node, ".weight")));
        REQUIRE(gradient.data != nullptr);
        CHECK(std::any_of(gradient.span().begin(), gradient.span().end(),
                          [](Real x) { return x != 0; }));
      }
    }
    // The graph that a checkpoint keeps gives the same network.
    EncoderConfig kept = config;
    kept.graph = encoder->graph();
    kept.model = "";
    ParameterStore other;
    const auto again = make_encoder(kept, ParamScope(other, "encoder"));
    CHECK(again->graph() == encoder->graph());
    CHECK(again->grid() == encoder->grid());
    CHECK(again->receptive_field().rows.extent == encoder->receptive_field().rows.extent);
    CHECK(encoder->receptive_field().rows.extent == frozen.receptive_field().rows.extent);
  }
}

}  // namespace saccade::grid_backbones_test
