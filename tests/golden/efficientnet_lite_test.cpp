// ONNX files of configs/export_efficientnet_lite.py against the original networks in PyTorch, whose
// batch norms are not folded (make_efficientnet_lite.py): features, and the gradients of a network
// that is trained.
#include "tests/golden/golden_module.h"
#include "tests/support/published_data.h"
#include "tests/support/test_tape.h"
#include "tests/vision/encoders/onnx_grids.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;

const fs::path kLiteFile = SACCADE_EFFICIENTNET_LITE ".onnx";
const std::string kName = "efficientnet_lite";
constexpr Index kSide = 44, kPictures = 2;
constexpr Normalization kPixels{.mean = {127, 127, 127},
                                .scale = {1 / 128.F, 1 / 128.F, 1 / 128.F}};

struct Layer {
  std::string golden, name;
};
const std::vector<Layer> kLayers{
    {"wide", "block6_expand_relu6"}, {"head", "head_relu6"}, {"logits", "logits"}};

EncoderConfig lite_config(const fs::path& file, const std::string& layer, Index side) {
  EncoderConfig config = frozen_config(file, layer);
  config.image_size = side;
  config.input_mean = 127;
  config.input_scale = 128;
  return config;
}

FrozenNetwork frozen(const fs::path& file, const std::string& layer, Index side) {
  return frozen_network(lite_config(file, layer, side), kPixels);
}

std::vector<Image> golden_pictures() {
  const Index levels = kSide * kSide * 3;
  const std::vector<double> unit = golden_unit(kName + "/pixels", kPictures * levels);
  std::vector<Image> pictures;
  for (Index n = 0; n < kPictures; ++n) {
    Image picture(kSide, kSide);
    for (Index i = 0; i < levels; ++i)
      picture.rgb[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
          std::floor(256 * (unit[static_cast<std::size_t>(n * levels + i)] + 0.5)));
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

std::vector<Real> reals(std::span<const float> values) { return {values.begin(), values.end()}; }

// The middle of a photo at the size of the network, with grey where the photo is smaller.
Image middle_of(const Image& photo, Index side) {
  Image middle(side, side);
  std::fill(middle.rgb.begin(), middle.rgb.end(), std::uint8_t{128});
  const Index rows = std::min(side, photo.height), cols = std::min(side, photo.width);
  for (Index y = 0; y < rows; ++y)
    std::copy_n(photo.pixel((photo.height - rows) / 2 + y, (photo.width - cols) / 2), 3 * cols,
                middle.pixel(y, 0));
  return middle;
}

// The difference as a share of the largest expected number.
double share_apart(const nlohmann::json& expected, const std::vector<Real>& got) {
  const auto numbers = expected.get<std::vector<float>>();
  return golden_difference(numbers, got, largest(numbers));
}

}  // namespace

TEST_CASE("a frozen EfficientNet-lite computes what the original computes") {
  const std::vector<Image> pictures = golden_pictures();
  for (const Layer& layer : kLayers) {
    CAPTURE(layer.name);
    const FrozenNetwork network = frozen(kLiteFile, layer.name, kSide);
    std::vector<Real> got;
    for (const Image& picture : pictures) {
      const std::vector<float> grid = encode(network, picture);
      got.insert(got.end(), grid.begin(), grid.end());
    }
    CHECK(golden_difference(kName + "/" + layer.golden, got) <= kGoldenTolerance);
  }
}

TEST_CASE("an EfficientNet-lite that is trained has the original's features and gradients") {
  EncoderConfig config = lite_config(kLiteFile, "head_relu6", kSide);
  config.frozen_stages = 0;
  ParameterStore store;
  const auto encoder = make_encoder(config, ParamScope(store, "encoder"));
  store.initialise(1);
  encoder->start(store);
  Tensor pixels({kPictures, kSide, kSide, 3});
  const std::vector<Image> pictures = golden_pictures();
  for (Index n = 0; n < kPictures; ++n)
    pixels_to_input(pictures[static_cast<std::size_t>(n)], kPixels,
                    pixels.data() + n * kSide * kSide * 3);
  TestTape tape(store.views());
  const Var features = encoder->forward(tape, tape.constant(pixels.view()));
  CHECK(golden_difference(kName + "/head", features.value().span()) <= kGoldenTolerance);

  const Tensor cotangent = golden_tensor(kName + "/cotangent", features.shape(), 1);
  tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});
  const std::vector<Real> flat = parameter_gradients(tape, store);
  std::size_t depthwise = 0;
  REQUIRE(store.count() == 2 * 22);  // a weight and a bias of every convolution
  for (int p = 0; p < static_cast<int>(store.count()); ++p) {
    const ParameterInfo& info = store.info(p);
    const std::string name = info.name.substr(std::string("encoder.backbone.").size());
    CAPTURE(name);
    const ConstView gradient(flat.data() + info.offset, info.shape);
    const std::vector<Real> got = to_torch(torch_tensor(name, info.shape).layout, gradient);
    CHECK(golden_difference(kName + "/gradient/" + name, got) <= kGoldenTolerance);
    if (name.find("depthwise") != std::string::npos) ++depthwise;
  }
  CHECK(depthwise == 2 * 7);
}

TEST_CASE("the classifier of a file gives the network's classes, also where it was stored") {
  const std::vector<Image> pictures = golden_pictures();
  const FrozenNetwork head(lite_config(kLiteFile, "head_relu6", kSide), ResizeMode::kSquash,
                           kPixels),
      logits(lite_config(kLiteFile, "logits", kSide), ResizeMode::kSquash, kPixels),
      wide(lite_config(kLiteFile, "block6_expand_relu6", kSide), ResizeMode::kSquash, kPixels);
  CHECK(wide.classifier() == nullptr);
  const ImageClassifier* const classifier = head.classifier();
  REQUIRE(classifier != nullptr);
  const ImageClassifier stored(classifier->features(),
                               {classifier->rows().begin(), classifier->rows().end()},
                               {classifier->scales().begin(), classifier->scales().end()},
                               {classifier->bias().begin(), classifier->bias().end()});
  const Index features = classifier->features(), rows = head.grid().rows, cols = head.grid().cols;
  for (const Image& picture : pictures) {
    const std::vector<float> cells = encode(head, picture), wanted = encode(logits, picture);
    std::vector<float> mean(static_cast<std::size_t>(features));
    for (std::size_t i = 0; i < cells.size(); ++i)
      mean[i % mean.size()] += cells[i] / static_cast<float>(rows * cols);
    double total = 0;
    for (const float score : wanted) total += std::exp(static_cast<double>(score));
    std::size_t probable = 0;
    for (const float score : wanted)
      probable += std::exp(static_cast<double>(score)) / total >= 0.03 ? 1 : 0;
    const std::vector<SeenClass> seen = classifier->classify(mean, 1, 1);
    CHECK(seen.size() >= probable);
    for (const SeenClass& one : seen)
      CHECK(static_cast<double>(one.probability) ==
            Approx(std::exp(static_cast<double>(wanted[static_cast<std::size_t>(one.number)])) /
                   total)
                .margin(0.01));  // weights have 8 bits
    // The windows of the whole grid, as encode_and_classify() gives them beside the grid.
    std::vector<float> grid(cells.size());
    const PictureArea area{};
    const std::vector<SeenClass> windows = head.encode_and_classify(picture, area, grid);
    CHECK(grid == cells);
    const std::vector<SeenClass> again = stored.classify(cells, rows, cols);
    REQUIRE(windows.size() == again.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      CHECK(windows[i].number == again[i].number);
      CHECK(windows[i].window == again[i].window);
      CHECK(windows[i].probability == again[i].probability);
    }
  }
  // What fills a corner is surer in the window that leaves the rest out.
  constexpr Index kCells = 10;
  const ImageClassifier two(1, std::vector<float>{10, -10}, {0, 0});
  std::vector<float> cells(kCells * kCells, -1);
  for (Index r = 0; r < 8; ++r)
    for (Index c = 0; c < 8; ++c) cells[static_cast<std::size_t>(r * kCells + c)] = 1;
  double largest = 0;
  for (const SeenClass& one : two.classify(cells, kCells, kCells))
    if (one.number == 0) largest = std::max(largest, static_cast<double>(one.probability));
  CHECK(largest == Approx(1 / (1 + std::exp(-20.0))));
}

TEST_CASE("the published EfficientNet-lite2 has the original's classes and features") {
  const fs::path file = data_folder("backbones/efficientnet_lite2.onnx");
  if (file.empty()) return;
  constexpr Index kFullSide = 320;
  const nlohmann::json photos = read_json(SACCADE_EFFICIENTNET_LITE "2.json");
  REQUIRE(photos.size() == 4);
  for (const auto& [photo, want] : photos.items()) {
    CAPTURE(photo);
    const Image picture =
        middle_of(read_image(fs::path(SACCADE_PHOTOS) / (photo + ".jpg")), kFullSide);
    Index levels = 0;
    for (const std::uint8_t level : picture.rgb) levels += level;
    REQUIRE(levels == want["sum_of_levels"].get<Index>());  // decoded as the original's input was
    for (const char* layer : {"block16_expand_relu6", "head_relu6"}) {
      CAPTURE(layer);
      const std::vector<Real> got = reals(encode(frozen(file, layer, kFullSide), picture));
      std::vector<Real> means, sample;
      const std::size_t regions = want[layer]["means"].size(), width = got.size() / regions;
      for (std::size_t r = 0; r < regions; ++r) {
        double sum = 0;
        for (std::size_t d = 0; d < width; ++d) sum += static_cast<double>(got[r * width + d]);
        means.push_back(static_cast<Real>(sum / static_cast<double>(width)));
      }
      const std::size_t count = want[layer]["sample"].size();
      for (std::size_t i = 0; i < count; ++i) sample.push_back(got[i * got.size() / count]);
      CHECK(share_apart(want[layer]["means"], means) <= kGoldenTolerance);
      CHECK(share_apart(want[layer]["sample"], sample) <= kGoldenTolerance);
    }
    std::vector<Real> logits = reals(encode(frozen(file, "logits", kFullSide), picture)), best;
    for (const nlohmann::json& number : want["classes"]) {
      const auto most = std::max_element(logits.begin(), logits.end());
      CHECK(most - logits.begin() == number.get<std::ptrdiff_t>());
      best.push_back(*most);
      *most = -INFINITY;
    }
    CHECK(share_apart(want["logits"], best) <= kGoldenTolerance);
  }
}

}  // namespace saccade::test
