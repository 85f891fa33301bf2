// ONNX files as torch.onnx writes them against what ONNX Runtime computes: onnx/, which
// make_onnx.py wrote, and, where the environment variable SACCADE_TORCH_ONNX names another folder
// of that form, those in it. Each file has its input `x` and its result `y` in a .npz beside it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/support/catch.h"
#include "tests/support/further_goldens.h"
#include "tests/support/npz.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/backbones/onnx_backbone.h"
#include "vision/encoders/onnx_layers.h"

using namespace saccade;
namespace fs = std::filesystem;

namespace {

constexpr double kNear = 1e-4;
const BackboneEnds kEnds{.stages = {"grid"}};

std::vector<fs::path> onnx_files() {
  std::vector<fs::path> found;
  const auto add = [&](const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".onnx") found.push_back(entry.path());
  };
  add(SACCADE_TORCH_ONNX_FOLDER);
  if (const auto other = test::further_goldens("SACCADE_TORCH_ONNX")) add(*other);
  std::sort(found.begin(), found.end());
  return found;
}

// [1, C, rows, cols] as [1, rows, cols, C].
Tensor channels_last(const test::NumpyArray& array) {
  const Index channels = array.shape[1], cells = array.shape[2] * array.shape[3];
  Tensor out({1, array.shape[2], array.shape[3], channels});
  for (Index c = 0; c < channels; ++c)
    for (Index i = 0; i < cells; ++i)
      out.data()[i * channels + c] = array.values[static_cast<std::size_t>(c * cells + i)];
  return out;
}

struct Read {
  explicit Read(const fs::path& file)
      : arrays(test::read_npz((fs::path(file).replace_extension(".npz")).string())),
        pixels(channels_last(arrays.at("x"))),
        expected(channels_last(arrays.at("y"))),
        network(read_onnx_backbone(file, kEnds, size(), ParamScope(store, ""))) {
    store.initialise(1);
    network->start(store);
  }
  ImageSize size() const { return {.height = pixels.shape()[1], .width = pixels.shape()[2]}; }

  std::map<std::string, test::NumpyArray> arrays;
  Tensor pixels, expected;
  ParameterStore store;
  std::unique_ptr<Backbone> network;
};

double largest(ConstView x) {
  double most = 0;
  for (const Real one : x.span()) most = std::max(most, std::abs(double{one}));
  return most;
}
double difference(ConstView a, ConstView b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (Index i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

}  // namespace

TEST_CASE("networks that torch.onnx writes compute what ONNX Runtime does") {
  for (const fs::path& file : onnx_files()) {
    INFO(file.string());
    try {
      const Read read(file);
      test::TestTape tape(read.store.views(), test::Recording::kNo);
      const Var made = read.network->forward(tape, tape.constant(read.pixels.view()));
      REQUIRE(made.shape() == read.expected.shape());
      const double far =
          difference(made.value(), read.expected.view()) / largest(read.expected.view());
      std::cout << file.filename().string() << ": relative difference " << far << ", "
                << read.network->stages().size() << " stages\n";
      CHECK(far <= kNear);

      // Two pictures at once, and the network as a checkpoint has it.
      Tensor two({2, read.pixels.shape()[1], read.pixels.shape()[2], 3});
      for (Index b = 0; b < 2; ++b)
        std::copy_n(read.pixels.data(), read.pixels.size(), two.data() + b * read.pixels.size());
      ParameterStore again;
      const auto stored =
          onnx_backbone_of_text(read.network->graph(), read.size(), ParamScope(again, ""));
      REQUIRE(again.count() == read.store.count());
      const Var both = stored->forward(tape, tape.constant(two.view()));
      const Index each = made.shape().size();
      for (Index b = 0; b < 2; ++b)
        CHECK(difference({both.value().data + b * each, made.shape()}, made.value()) <=
              kNear * largest(made.value()));
    } catch (const Error& error) {
      FAIL_CHECK(error.what());
    }
  }
}

TEST_CASE("gradients of such networks are those of small steps") {
  for (const fs::path& file : onnx_files()) {
    if (file.parent_path() != fs::path(SACCADE_TORCH_ONNX_FOLDER)) continue;
    INFO(file.string());
    Read read(file);
    const Index count = read.expected.size();
    std::vector<Real> weights;
    for (Index i = 0; i < count; ++i)
      weights.push_back(static_cast<Real>(std::sin(static_cast<double>(i) + 1)));
    const auto loss = [&](const Tensor& pixels) {
      test::TestTape tape(read.store.views(), test::Recording::kNo);
      const Var made = read.network->forward(tape, tape.constant(pixels.view()));
      double sum = 0;
      for (Index i = 0; i < count; ++i)
        sum += double{made.value()[i]} * double{weights[static_cast<std::size_t>(i)]};
      return sum;
    };
    test::TestTape tape(read.store.views());
    const Var pixels = tape.variable(read.pixels.view());
    const Var made = read.network->forward(tape, pixels);
    const ConstView cotangent{weights.data(), made.shape()};
    tape.backward({&made, 1}, {&cotangent, 1});
    // Along the gradient itself, the slope is its length.
    const View slope = tape.grad(pixels);
    double length = 0;
    for (const Real one : slope.span()) length += double{one} * double{one};
    length = std::sqrt(length);
    REQUIRE(length > 0);
    const double step = 1e-2;
    std::array<double, 2> ends{};
    for (const std::size_t side : {0, 1}) {
      Tensor moved = read.pixels.clone();
      for (Index i = 0; i < moved.size(); ++i)
        moved.data()[i] +=
            static_cast<Real>((side == 0 ? -step : step) * double{slope[i]} / length);
      ends[side] = loss(moved);
    }
    CHECK(std::abs((ends[1] - ends[0]) / (2 * step) - length) <= 0.02 * length);
  }
}

TEST_CASE("the grid of such a file is listed") {
  for (const fs::path& file : onnx_files()) {
    if (file.parent_path() != fs::path(SACCADE_TORCH_ONNX_FOLDER)) continue;
    INFO(file.string());
    const auto x = test::read_npz((fs::path(file).replace_extension(".npz")).string()).at("x");
    const std::vector<OnnxLayer> layers = list_onnx_layers(file, x.shape[2]);
    CHECK(std::ranges::any_of(layers, [](const OnnxLayer& layer) {
      return layer.name == "grid" && !layer.shape.empty();
    }));
  }
}
