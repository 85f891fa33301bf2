#include "vision/encoders/cnn.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::noise;

namespace {

struct Model {
  explicit Model(const EncoderConfig& config) : encoder(config, ParamScope(parameters, "encoder")) {
    parameters.initialise(1);
  }
  Tensor encode(ConstView pixels) const {
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(parameters.views());
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
      Arena arena;
      Tape tape(arena);
      tape.set_parameters(model.parameters.views());
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

TEST_CASE("the features of an image do not depend on its batch") {
  const Model model(config_of({16, 32, 24, 40}, 40));
  const Tensor pixels = noise({3, 40, 40, 3}, 1);
  const Tensor together = model.encode(pixels.view());
  const Shape image{1, 40, 40, 3}, grid{1, 25, 40};
  for (Index b = 0; b < 3; ++b) {
    const Tensor alone = model.encode({pixels.data() + b * image.size(), image});
    const Tensor part(grid, together.span().subspan(static_cast<std::size_t>(b * grid.size()),
                                                    static_cast<std::size_t>(grid.size())));
    CHECK(difference(alone, part) <= 1e-5);
  }
}

TEST_CASE("a step along the gradient lowers the loss by as much as the gradient predicts") {
  Model model(config_of({8, 16, 16, 24}, 24));
  const Tensor pixels = noise({2, 24, 24, 3}, 1);
  const Tensor cotangent = noise({2, 9, 24}, 2);
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.parameters.views());
  const Var features = model.encoder.forward(tape, tape.constant(pixels.view()));
  tape.backward(std::vector{features}, std::vector{cotangent.view()});
  const auto loss = [&] {
    const Tensor y = model.encode(pixels.view());
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) sum += double{y[i]} * cotangent[i];
    return sum;
  };
  for (int p = 0; p < static_cast<int>(model.parameters.count()); ++p) {
    CAPTURE(model.parameters.info(p).name);
    const ConstView grad = tape.parameter_grad(p);
    REQUIRE(grad.data != nullptr);
    double square = 0;
    for (Index i = 0; i < grad.size(); ++i) square += double{grad[i]} * grad[i];
    REQUIRE(square > 0);
    // The loss on both sides of the current value along the gradient, far enough apart that the
    // rounding of float does not matter.
    const double step = 2e-3 / std::sqrt(square);
    const View value = model.parameters.value(p);
    const Tensor before(value.shape, value.span());
    const auto at = [&](double distance) {
      for (Index i = 0; i < value.size(); ++i)
        value[i] = static_cast<Real>(before[i] + distance * grad[i]);
      return loss();
    };
    const double slope = (at(step) - at(-step)) / (2 * step);
    std::copy(before.span().begin(), before.span().end(), value.data);
    CHECK(slope == Approx(square).epsilon(0.03));
  }
}

TEST_CASE("a network without stages and images of another size are refused") {
  ParameterStore parameters;
  CHECK_THROWS_AS(CnnEncoder(config_of({}, 64), ParamScope(parameters, "encoder")), UsageError);
  const Model model(config_of({8}, 16));
  const Tensor pixels({1, 16, 18, 3});
  CHECK_THROWS_AS(model.encode(pixels.view()), ShapeError);
}

}  // namespace saccade
