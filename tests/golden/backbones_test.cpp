// Our backbones against torchvision's: outputs and gradients for the same weights and pixels.
#include "tests/golden/golden.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/backbones/mobilenet.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/vgg.h"

namespace saccade {
namespace {

constexpr double kTolerance = 1e-4;

using Make = std::function<std::unique_ptr<Backbone>(const ImageSize&, const ParamScope&)>;

struct Network {
  std::string name;
  ImageSize pixels;
  Make make;
  std::string image = "pixels";  // the name that gives its numbers
};

template <class Kind, class Options>
Make maker(const Options& options) {
  return [options](const ImageSize& pixels, const ParamScope& scope) {
    return std::make_unique<Kind>(options, pixels, scope);
  };
}

const Network kNetworks[] = {
    {"resnet18", {64, 96}, maker<Resnet>(ResnetOptions{.depth = ResnetDepth::k18})},
    {"resnet50", {64, 96}, maker<Resnet>(ResnetOptions{.depth = ResnetDepth::k50})},
    {"vgg16", {32, 32}, maker<Vgg>(VggOptions{.depth = VggDepth::k16}), "pixels11"},
    {"mobilenet_v2", {64, 96}, maker<MobileNetV2>(MobileNetV2Options{})},
    {"mobilenet_v2_05", {70, 51}, maker<MobileNetV2>(MobileNetV2Options{.width = 0.5})},
};

const std::string kScope = "encoder";

TorchTensor tensor_of(const ParameterInfo& info) {
  return torch_tensor(info.name.substr(kScope.size() + 1), info.shape);
}

// Images [B, C, rows, cols] in our layout [B, rows, cols, C], and back.
std::vector<Real> moved_channels(std::span<const Real> from, const Shape& shape, bool to_torch) {
  const Index images = shape[0], cells = shape[1] * shape[2], channels = shape[3];
  std::vector<Real> to(from.size());
  for (Index b = 0; b < images; ++b)
    for (Index l = 0; l < cells; ++l)
      for (Index c = 0; c < channels; ++c) {
        const auto ours = static_cast<std::size_t>((b * cells + l) * channels + c);
        const auto theirs = static_cast<std::size_t>((b * channels + c) * cells + l);
        to[to_torch ? theirs : ours] = from[to_torch ? ours : theirs];
      }
  return to;
}

Tensor golden_image(const std::string& name, const Shape& shape, double scale) {
  return Tensor(shape,
                moved_channels(test::golden_numbers(name, shape.size(), scale), shape, false));
}

std::vector<Real> sampled(std::span<const Real> values, std::size_t count) {
  std::vector<Real> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(values[i * values.size() / count]);
  return out;
}

double size_of(std::span<const Real> values) {
  double sum = 0;
  for (const Real v : values) sum += double{v} * double{v};
  return std::sqrt(sum);
}

// Checks an array against its kept size and sample. The error of a number is measured relative to a
// typical number of the array.
void check_array(std::span<const float> sample, double size, std::span<const Real> got) {
  CHECK(size_of(got) == Approx(size).epsilon(kTolerance));
  const double typical = size / std::sqrt(static_cast<double>(got.size()));
  CHECK(test::golden_difference(sample, sampled(got, sample.size()), typical) <= kTolerance);
}

}  // namespace

TEST_CASE("backbones compute what torchvision's compute, forward and backward") {
  for (const Network& network : kNetworks) DYNAMIC_SECTION(network.name) {
      ParameterStore store;
      const auto backbone = network.make(network.pixels, ParamScope(store, kScope));
      store.initialise(1);
      for (int p = 0; p < static_cast<int>(store.count()); ++p) {
        const TorchTensor tensor = tensor_of(store.info(p));
        from_torch(tensor.layout, test::golden_weight(tensor.name, tensor.shape), store.value(p));
      }
      const Tensor image =
          golden_image(network.image, {2, network.pixels.height, network.pixels.width, 3}, 4);
      test::TestTape tape(store.views());
      const Var pixels = tape.variable(image.view());
      const Var features = backbone->forward(tape, pixels);
      const GridShape grid = backbone->grid();
      const Shape shape{2, grid.rows, grid.cols, grid.features};
      REQUIRE(features.shape() == shape);
      const std::string at = network.name + "/";
      check_array(test::golden(at + "output"), test::golden(at + "output_size")[0],
                  moved_channels(features.value().span(), shape, true));

      const Tensor cotangent = golden_image("cotangent", shape, 1);
      tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});
      check_array(test::golden(at + "pixels"), test::golden(at + "pixels_size")[0],
                  moved_channels(tape.grad(pixels).span(), image.shape(), true));
      std::map<std::string, int> trained;  // in the order of torch's names
      for (int p = 0; p < static_cast<int>(store.count()); ++p) {
        const std::string name = tensor_of(store.info(p)).name;
        if (name.find("running_") == std::string::npos) trained[name] = p;
      }
      const std::vector<float> sizes = test::golden(at + "gradient_sizes");
      const std::vector<float> samples = test::golden(at + "gradients");
      REQUIRE(sizes.size() == trained.size());
      const std::size_t each = samples.size() / sizes.size();
      std::size_t k = 0;
      for (const auto& [name, p] : trained) {
        CAPTURE(name);
        const ConstView gradient = tape.parameter_grad(p);
        REQUIRE(gradient.data != nullptr);
        check_array(std::span(samples).subspan(k * each, each), sizes[k],
                    to_torch(tensor_of(store.info(p)).layout, gradient));
        ++k;
      }
    }
}

}  // namespace saccade
