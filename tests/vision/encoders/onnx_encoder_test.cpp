// The ONNX encoder computes the outputs that were recorded for the backbones, on any number of
// threads.
#include "vision/encoders/onnx_encoder.h"

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/parallel/kernel_parts.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/encoders/onnx_readers.h"

namespace saccade::onnx_encoder_test {
namespace {

namespace fs = std::filesystem;

fs::path backbones() { return test::data_folder("backbones"); }

struct Backbone {
  std::string file, key, layer;
  Index size;
  GridShape grid;
};

const std::vector<Backbone> kBackbones{
    {"mobilenet_v2_1.0_224.onnx", "mobilenet_v2_1.0_224_quant/", "t168", 224, {7, 7, 1280}},
    {"mobilenet_v1_0.25_128.onnx", "mobilenet_v1_0.25_128_quant/", "t83", 128, {4, 4, 256}}};

TEST_CASE("the encoder reproduces the recorded features and classes") {
  const auto folder = backbones();
  if (folder.empty()) return;
  const nlohmann::json golden = test::read_json(folder / "golden.json");
  for (const Backbone& backbone : kBackbones) {
    const OnnxEncoder features(
        {.model = folder / backbone.file, .layer = backbone.layer, .image_size = backbone.size});
    const OnnxEncoder logits(
        {.model = folder / backbone.file, .layer = "logits", .image_size = backbone.size});
    REQUIRE(features.grid() == backbone.grid);
    REQUIRE(logits.grid() == GridShape{{1, 1}, 1001});
    CHECK(features.digest() != logits.digest());
    int images = 0;
    for (const auto& [key, want] : golden.items()) {
      if (!key.starts_with(backbone.key)) continue;
      ++images;
      INFO(key);
      const Image image = read_image(folder / "test_images" / key.substr(backbone.key.size()));
      const std::vector<float> grid = test::encode_picture(features, image);
      double sum = 0;
      for (const float value : grid) sum += static_cast<double>(value);
      CHECK(sum / static_cast<double>(grid.size()) ==
            Approx(want["feature_mean"].get<double>()).margin(1e-3));
      const auto region = static_cast<std::size_t>(3 * backbone.grid.cols + 3);
      for (std::size_t d = 0; d < 8; ++d)
        CHECK(static_cast<double>(
                  grid[region * static_cast<std::size_t>(backbone.grid.features) + d]) ==
              Approx(want["first8_at_3_3"][d].get<double>()).margin(2e-3));

      std::vector<float> scores = test::encode_picture(logits, image);
      double total = 0;
      for (float& score : scores) total += static_cast<double>(score = std::exp(score));
      for (const auto& entry : want["top5"]) {
        const auto best = std::max_element(scores.begin(), scores.end());
        CHECK(best - scores.begin() == entry[0].get<long>());
        CHECK(static_cast<double>(*best) / total == Approx(entry[2].get<double>()).margin(1e-3));
        *best = 0;
      }
    }
    CHECK(images == 5);
  }
}

TEST_CASE("an encoder computes the same numbers on many threads") {
  const auto folder = backbones();
  if (folder.empty()) return;
  const OnnxEncoder encoder(
      {.model = folder / kBackbones[1].file, .layer = "t83", .image_size = 128});
  std::vector<std::vector<float>> want;
  for (std::uint64_t i = 0; i < 12; ++i)
    want.push_back(test::encode_picture(encoder, test_picture(90, 70, i)));
  parallel::set_threads(4);
  std::atomic<int> wrong = 0;
  parallel::for_each(48, [&](Index i) {
    const auto k = static_cast<std::size_t>(i % 12);
    if (test::encode_picture(encoder, test_picture(90, 70, k)) != want[k]) ++wrong;
  });
  parallel::set_threads(2);
  CHECK(wrong == 0);
}

TEST_CASE("one picture is encoded in parts, with the same bits for any number of threads") {
  const test::TempFolder folder("onnx-test");
  const std::vector<Index> two{2, 2}, same{1, 1, 1, 1};
  // Images of 33 x 49 cells, whose parts do not end where vectors of numbers do.
  test::OnnxFile file(65, 97);
  std::string x = file.conv("first", "image", {16, 3, 3, 3}, {{"strides", two}, {"pads", same}});
  x = file.node("Relu", "first_relu", {x});
  x = file.conv("second", x, {32, 16, 3, 3}, {{"pads", same}});
  file.save(folder / "net.onnx", file.node("Relu", "last", {x}));
  const OnnxEncoder encoder(
      {.model = folder / "net.onnx", .layer = "last", .image_size = 65, .image_width = 97});
  const Image picture = test_picture(90, 70, 1);
  const std::vector<float> whole = test::encode_picture(encoder, picture);
  const int before = parallel::threads();
  std::vector<std::vector<float>> cut;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    const parallel::SplitKernels split;
    const parallel::CountParts count;
    cut.push_back(test::encode_picture(encoder, picture));
    CHECK(count.parts() >= 8);
    CHECK(cut.back() == cut[0]);
  }
  parallel::set_threads(before);
  float most = 0, apart = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    apart = std::max(apart, std::abs(whole[i] - cut[0][i]));
    most = std::max(most, std::abs(whole[i]));
  }
  CHECK(most > 0.1F);
  CHECK(apart <= 2e-5F * most);
  // OpenCV's other loops, and those outside of the request, stay on the calling thread.
  const parallel::CountParts none;
  CHECK(test::encode_picture(encoder, picture) == whole);
  CHECK(none.parts() == 0);
}

TEST_CASE(
    "layers are listed with their shapes, and the message on a wrong name has the nearest one") {
  const auto folder = backbones();
  if (folder.empty()) return;
  const fs::path model = folder / kBackbones[1].file;
  const std::vector<OnnxLayer> layers = list_onnx_layers(model, 128);
  const auto found = std::find_if(layers.begin(), layers.end(), [](const OnnxLayer& layer) {
    return layer.name == "conv26_relu6";
  });
  REQUIRE(found != layers.end());
  CHECK(found->shape == std::vector<Index>{1, 256, 4, 4});
  CHECK(OnnxEncoder({.model = model, .layer = "conv14_relu6", .image_size = 128}).grid() ==
        GridShape{{8, 8}, 128});
  CHECK_THROWS_WITH(OnnxEncoder({.model = model, .layer = "conv14_relu", .image_size = 128}),
                    Catch::Contains("no layer 'conv14_relu' (did you mean 'conv14_relu6'?)") &&
                        Catch::Contains("saccade inspect"));
  const OnnxEncoder a({.model = model, .layer = "t83", .image_size = 128});
  CHECK(
      a.digest() !=
      OnnxEncoder({.model = model, .layer = "t83", .image_size = 128, .resize = ResizeMode::kCrop})
          .digest());
  CHECK(a.digest() == OnnxEncoder({.model = model, .layer = "t83", .image_size = 128}).digest());
}

TEST_CASE("files that are not models are refused with their names") {
  const test::TempFolder folder("onnx-test");
  const auto refused = [](const fs::path& path) {
    CHECK_THROWS_AS(OnnxEncoder({.model = path, .layer = "x"}), DataError);
    CHECK_THROWS_WITH(OnnxEncoder({.model = path, .layer = "x"}), Catch::StartsWith(path.string()));
  };
  refused(folder / "missing.onnx");
  refused(folder.path());
  write_bytes(folder / "empty.onnx", {});
  refused(folder / "empty.onnx");
  const Image noise = test_picture(30, 30);
  write_bytes(folder / "noise.onnx", noise.rgb);
  refused(folder / "noise.onnx");
  const auto real = backbones();
  if (real.empty()) return;
  std::ifstream in(real / kBackbones[1].file, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  for (const double share : {0.1, 0.5, 0.99}) {
    const auto size = static_cast<std::size_t>(share * static_cast<double>(bytes.size()));
    write_bytes(folder / "cut.onnx", {reinterpret_cast<const std::uint8_t*>(bytes.data()), size});
    refused(folder / "cut.onnx");
  }
}

}  // namespace
}  // namespace saccade::onnx_encoder_test
