// Receptive fields, checked against the networks themselves: pixels outside of a field change
// nothing.
#include "vision/images/receptive_field.h"

#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/backbones/mobilenet.h"
#include "vision/encoders/backbones/onnx_network.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/vgg.h"
#include "vision/encoders/cnn.h"
#include "vision/encoders/encoder.h"

namespace saccade::receptive_field_test {
namespace {

using test::noise;

constexpr Index kSide = 128;

// Sets weights through which every pixel has an effect: none is 0, and no block is the identity.
void fill(ParameterStore& store) {
  store.initialise(1);
  for (std::size_t i = 0; i < store.count(); ++i) {
    const View values = store.value(static_cast<int>(i));
    const bool matrix = values.shape.rank() > 1;
    for (Index k = 0; k < values.shape.size(); ++k)
      values.data[k] =
          matrix ? static_cast<Real>(0.05 + 0.001 * static_cast<double>(k % 7)) : Real{1};
  }
}

// The features of the cell in the middle of the grid.
std::vector<Real> middle(const Backbone& backbone, const ParameterStore& store,
                         const Tensor& pixels) {
  test::TestTape tape(store.views(), test::Recording::kNo);
  const ConstView all = backbone.forward(tape, tape.constant(pixels.view())).value();
  const GridShape& grid = backbone.grid();
  const Index cell = grid.rows / 2 * grid.cols + grid.cols / 2;
  const Real* from = all.data + cell * grid.features;
  return {from, from + grid.features};
}

// A range of rows or columns of pixels.
struct Lines {
  bool rows = false;  // otherwise columns
  Index first = 0, end = 0;
};

// Whether the cell in the middle changes when these pixels change.
bool depends(const Backbone& backbone, const ParameterStore& store, const Lines& lines) {
  Tensor pixels({1, kSide, kSide, 3});
  for (Real& value : pixels.span()) value = 1;
  const std::vector<Real> before = middle(backbone, store, pixels);
  for (Index y = 0; y < kSide; ++y)
    for (Index x = 0; x < kSide; ++x) {
      const Index line = lines.rows ? y : x;
      if (line < lines.first || line >= lines.end) continue;
      for (Index c = 0; c < 3; ++c) pixels.data()[(y * kSide + x) * 3 + c] = 1000;
    }
  const std::vector<Real> after = middle(backbone, store, pixels);
  for (std::size_t i = 0; i < after.size(); ++i)
    if (!(std::abs(after[i] - before[i]) <= 1e-4 * std::abs(before[i]))) return true;
  return false;
}

TEST_CASE("a cell of a backbone depends on its receptive field and on nothing else") {
  using Make = std::function<std::unique_ptr<Backbone>(const ImageSize&, const ParamScope&)>;
  const std::pair<const char*, Make> networks[] = {
      {"resnet18 layer2",
       [](const ImageSize& pixels, const ParamScope& scope) {
         return std::make_unique<Resnet>(ResnetOptions{ResnetDepth::k18, {.stages = {"layer2"}}},
                                         pixels, scope);
       }},
      {"resnet50 layer1",
       [](const ImageSize& pixels, const ParamScope& scope) {
         return std::make_unique<Resnet>(ResnetOptions{ResnetDepth::k50, {.stages = {"layer1"}}},
                                         pixels, scope);
       }},
      {"resnet18 layer2, dilated",
       [](const ImageSize& pixels, const ParamScope& scope) {
         return std::make_unique<Resnet>(
             ResnetOptions{.depth = ResnetDepth::k18,
                           .ends = {.stages = {"layer2"}, .last_stage = LastStage::kDilated}},
             pixels, scope);
       }},
      {"mobilenet_v2 stage3, dilated",
       [](const ImageSize& pixels, const ParamScope& scope) {
         return std::make_unique<MobileNetV2>(
             MobileNetV2Options{.width = 0.35,
                                .ends = {.stages = {"stage3"}, .last_stage = LastStage::kDilated}},
             pixels, scope);
       }},
      {"vgg16 conv3",
       [](const ImageSize& pixels, const ParamScope& scope) {
         return std::make_unique<Vgg>(VggOptions{VggDepth::k16, {.stages = {"conv3"}}}, pixels,
                                      scope);
       }},
      {"mobilenet_v2 stage3", [](const ImageSize& pixels, const ParamScope& scope) {
         return std::make_unique<MobileNetV2>(
             MobileNetV2Options{.width = 0.35, .ends = {.stages = {"stage3"}}}, pixels, scope);
       }}};
  for (const auto& [name, make] : networks) {
    CAPTURE(name);
    ParameterStore store;
    const auto backbone = make({kSide, kSide}, ParamScope(store, ""));
    fill(store);
    const ReceptiveField field = backbone->receptive_field();
    for (const bool rows : {true, false}) {
      CAPTURE(rows);
      const Index cell = (rows ? backbone->grid().rows : backbone->grid().cols) / 2;
      const FieldAxis& axis = rows ? field.rows : field.cols;
      const Index first = axis.first + cell * axis.step, end = first + axis.extent;
      REQUIRE(first > 0);
      REQUIRE(end < kSide);
      CHECK_FALSE(depends(*backbone, store, {rows, 0, first}));
      CHECK_FALSE(depends(*backbone, store, {rows, end, kSide}));
      CHECK(depends(*backbone, store, {rows, first, first + 1}));
      CHECK(depends(*backbone, store, {rows, end - 1, end}));
    }
    CHECK(field.rows.extent < kSide);
    CHECK(field.rows.step * backbone->grid().rows == kSide);
  }
}

TEST_CASE(
    "branches of an ONNX network see what any of them sees, and a pooling of all cells sees "
    "everything") {
  OnnxGraph graph;
  graph.steps = {{.op = OnnxOp::kConv,
                  .name = "a",
                  .inputs = {0},
                  .kernel = {3, 5},
                  .stride = 2,
                  .pads = {1, 1, 1, 1},
                  .in = 3,
                  .out = 4},
                 {.op = OnnxOp::kConv,
                  .name = "b",
                  .inputs = {1},
                  .kernel = {3, 3},
                  .pads = {1, 1, 1, 1},
                  .in = 4,
                  .out = 4},
                 {.op = OnnxOp::kAdd, .name = "c", .inputs = {1, 2}}};
  ParameterStore store;
  const OnnxNetwork network({graph, {}}, {32, 34}, ParamScope(store, ""));
  const ReceptiveField field = network.receptive_field();
  CHECK(field.rows.first == -3);
  CHECK(field.rows.step == 2);
  CHECK(field.rows.extent == 7);
  CHECK(field.cols.first == -3);
  CHECK(field.cols.extent == 9);
  graph.steps.push_back({.op = OnnxOp::kGlobalAveragePool, .name = "d", .inputs = {3}});
  ParameterStore other;
  CHECK_THROWS_AS(OnnxNetwork({graph, {}}, {32, 34}, ParamScope(other, "")).receptive_field(),
                  UsageError);
}

TEST_CASE(
    "a cell of the small network sees around its middle, a cell of a transformer sees everything") {
  ParameterStore store;
  EncoderConfig config;
  config.type = "cnn";
  config.image_size = 64;
  config.channels = {8, 8, 8};
  const ReceptiveField field = make_encoder(config, ParamScope(store, "cnn"))->receptive_field();
  CHECK(field.cols.step == 8);
  CHECK(field.cols.extent == 15);
  CHECK(field.cols.first == -3);  // 12 pixels from 0 on are inside: pixel 4 is in the middle of 15
  config.type = "vit";
  config.vit = {.width = 12, .layers = 1, .heads = 2, .patch = 8};
  CHECK_THROWS_AS(make_encoder(config, ParamScope(store, "vit"))->receptive_field(), UsageError);
}

TEST_CASE("the box of a receptive field is mapped back through crop and mirroring") {
  Geometry geometry =
      plan_geometry(100, 200, {.height = 50, .width = 50, .mode = ResizeMode::kCrop});
  const ReceptiveField field{{0, 10, 20}, {-5, 10, 20}};
  const Rect box = field_box(geometry, field, {5, 5}, 7);  // row 1, column 2
  CHECK(box.x == Approx(50 + 2 * 15));
  CHECK(box.y == Approx(2 * 10));
  CHECK(box.width == Approx(40));
  CHECK(box.height == Approx(40));
  geometry.mirrored = true;
  CHECK(field_box(geometry, field, {5, 5}, 7).x == Approx(50 + 2 * (50 - 15 - 20)));
}

}  // namespace

namespace {

struct Model {
  explicit Model(const EncoderConfig& config) : encoder(config, ParamScope(parameters, "encoder")) {
    parameters.initialise(1);
  }
  Tensor encode(ConstView pixels) const {
    test::TestTape tape(parameters.views(), test::Recording::kNo);
    const ConstView features = encoder.forward(tape, tape.constant(pixels)).value();
    return Tensor(features.shape, features.span());
  }
  ParameterStore parameters;
  CnnEncoder encoder;
};

EncoderConfig config_of(std::vector<std::int64_t> channels, std::int64_t image_size,
                        PositionKind positions = PositionKind::kNone) {
  EncoderConfig config;
  config.channels = std::move(channels);
  config.image_size = image_size;
  config.positions = positions;
  return config;
}

}  // namespace

TEST_CASE("the encoder computes the grid that it announces") {
  struct Case {
    EncoderConfig config;
    GridShape grid;
  };
  EncoderConfig wide = config_of({8, 8, 8}, 32);
  wide.image_width = 72;
  const Case cases[] = {
      {config_of({32, 64, 96, 128}, 64), {{8, 8}, 128}},
      {config_of({8, 16}, 64), {{16, 16}, 16}},
      {config_of({6, 7, 9, 5, 3}, 17), {{3, 3}, 3}},
      {config_of({8, 8, 8}, 32, PositionKind::kCoordinates), {{4, 4}, 10}},
      {config_of({8, 8, 8}, 32, PositionKind::kSinusoidal), {{4, 4}, 8}},
      {wide, {{4, 9}, 8}},
  };
  for (const Case& c : cases) {
    const Model model(c.config);
    CHECK(model.encoder.grid() == c.grid);
    const Tensor pixels = noise({2, c.config.height(), c.config.width(), 3}, 1);
    const Tensor features = model.encode(pixels.view());
    CHECK(features.shape() == Shape{2, c.grid.cells(), c.grid.features});
  }
}

TEST_CASE("a cell depends most on the pixels where the pictures draw it") {
  // The cells around the middle of the image depend most on the pixels around its middle.
  for (const auto& [stages, size] : {std::pair{3, 64}, {4, 64}, {4, 96}, {3, 33}}) {
    CAPTURE(stages, size);
    const Model model(
        config_of(std::vector<std::int64_t>(static_cast<std::size_t>(stages), 16), size));
    const GridShape grid = model.encoder.grid();
    const Index middle = grid.rows / 2, before = grid.rows % 2 == 0 ? middle - 1 : middle;
    double weight = 0, down = 0, right = 0;
    for (std::uint64_t draw = 0; draw < 40; ++draw) {
      test::TestTape tape(model.parameters.views());
      const Tensor image = noise({1, size, size, 3}, 2 * draw);
      const Var pixels = tape.variable(image.view());
      const Var features = model.encoder.forward(tape, pixels);
      Tensor cotangent = noise({1, grid.cells(), grid.features}, 2 * draw + 1);
      for (Index cell = 0; cell < grid.cells(); ++cell) {
        const Index row = cell / grid.cols, column = cell % grid.cols;
        if (row >= before && row <= middle && column >= before && column <= middle) continue;
        std::fill_n(cotangent.data() + cell * grid.features, grid.features, Real{0});
      }
      tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});
      const ConstView grad = tape.grad(pixels);
      for (Index i = 0; i < grad.size(); ++i) {
        const double square = double{grad[i]} * grad[i];
        weight += square;
        down += square * (static_cast<double>(i / (3 * size)) + 0.5);
        right += square * (static_cast<double>(i / 3 % size) + 0.5);
      }
    }
    CHECK(std::abs(down / weight - 0.5 * size) <= 1);
    CHECK(std::abs(right / weight - 0.5 * size) <= 1);
  }
}

TEST_CASE("a network without stages and images of another size are refused") {
  ParameterStore parameters;
  CHECK_THROWS_AS(CnnEncoder(config_of({}, 64), ParamScope(parameters, "encoder")), UsageError);
  const Model model(config_of({8}, 16));
  const Tensor pixels({1, 16, 18, 3});
  CHECK_THROWS_AS(model.encode(pixels.view()), ShapeError);
}

}  // namespace saccade::receptive_field_test
