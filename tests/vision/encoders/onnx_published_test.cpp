// Published networks from ONNX files compute the outputs that were recorded for them, on any number
// of threads; their layers are listed and named.
#include <atomic>
#include <nlohmann/json.hpp>

#include "core/parallel/parallel.h"
#include "tests/support/onnx_file.h"
#include "tests/support/published_data.h"
#include "tests/vision/encoders/onnx_grids.h"

namespace saccade::onnx_published_test {
namespace {

namespace fs = std::filesystem;
using namespace test;

struct Backbone {
  std::string file, key, layer;
  Index size;
  GridShape grid;
};

const std::vector<Backbone> kBackbones{
    {"mobilenet_v2_1.0_224.onnx", "mobilenet_v2_1.0_224_quant/", "t168", 224, {7, 7, 1280}},
    {"mobilenet_v1_0.25_128.onnx", "mobilenet_v1_0.25_128_quant/", "t83", 128, {4, 4, 256}}};

EncoderConfig config_of(const fs::path& folder, const Backbone& backbone,
                        const std::string& layer) {
  EncoderConfig config = frozen_config(folder / backbone.file, layer);
  config.image_size = backbone.size;
  return config;
}

TEST_CASE("published networks have the recorded features and classes") {
  const fs::path folder = data_folder("backbones");
  if (folder.empty()) return;
  const nlohmann::json golden = read_json(folder / "golden.json");
  for (const Backbone& backbone : kBackbones) {
    const FrozenNetwork features = frozen_network(config_of(folder, backbone, backbone.layer)),
                        logits = frozen_network(config_of(folder, backbone, "logits"));
    REQUIRE(features.grid() == backbone.grid);
    REQUIRE(logits.grid() == GridShape{{1, 1}, 1001});
    CHECK(features.digest() != logits.digest());
    int images = 0;
    for (const auto& [key, want] : golden.items()) {
      if (!key.starts_with(backbone.key)) continue;
      ++images;
      INFO(key);
      const Image image = read_image(folder / "test_images" / key.substr(backbone.key.size()));
      const std::vector<float> grid = encode_picture(features, image);
      double sum = 0;
      for (const float value : grid) sum += static_cast<double>(value);
      CHECK(sum / static_cast<double>(grid.size()) ==
            Approx(want["feature_mean"].get<double>()).margin(1e-3));
      const auto region = static_cast<std::size_t>(3 * backbone.grid.cols + 3);
      for (std::size_t d = 0; d < 8; ++d)
        CHECK(static_cast<double>(
                  grid[region * static_cast<std::size_t>(backbone.grid.features) + d]) ==
              Approx(want["first8_at_3_3"][d].get<double>()).margin(2e-3));

      std::vector<float> scores = encode_picture(logits, image);
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
  const fs::path folder = data_folder("backbones");
  if (folder.empty()) return;
  const FrozenNetwork encoder = frozen_network(config_of(folder, kBackbones[1], "t83"));
  std::vector<std::vector<float>> want;
  for (std::uint64_t i = 0; i < 12; ++i)
    want.push_back(encode_picture(encoder, test_picture(90, 70, i)));
  parallel::set_threads(4);
  std::atomic<int> wrong = 0;
  parallel::for_each(48, [&](Index i) {
    const auto k = static_cast<std::size_t>(i % 12);
    if (encode_picture(encoder, test_picture(90, 70, k)) != want[k]) ++wrong;
  });
  parallel::set_threads(2);
  CHECK(wrong == 0);
}

TEST_CASE(
    "layers are listed with their shapes, and the message on a wrong name has the nearest one") {
  const fs::path folder = data_folder("backbones");
  if (folder.empty()) return;
  const std::vector<OnnxLayer> layers = list_onnx_layers(folder / kBackbones[1].file, 128);
  const auto found = std::ranges::find(layers, "conv26_relu6", &OnnxLayer::name);
  REQUIRE(found != layers.end());
  CHECK(found->shape == Extents{1, 256, 4, 4});
  const auto of = [&](const std::string& layer) {
    return frozen_network(config_of(folder, kBackbones[1], layer));
  };
  CHECK(of("conv14_relu6").grid() == GridShape{{8, 8}, 128});
  CHECK_THROWS_WITH(of("conv14_relu"),
                    Catch::Contains("no layer 'conv14_relu' (did you mean 'conv14_relu6'?)") &&
                        Catch::Contains("saccade inspect"));
}

TEST_CASE("files that are not models, or were cut short anywhere, are refused with their names") {
  const TempFolder folder("onnx-test");
  const auto refused = [](const fs::path& path) {
    CHECK_THAT(refusal_of(path), Catch::StartsWith(path.string()));
  };
  refused(folder / "missing.onnx");
  refused(folder.path());
  refused(folder.write("empty.onnx", ""));
  write_bytes(folder / "noise.onnx", test_picture(30, 30).rgb);
  refused(folder / "noise.onnx");
  save_small_onnx(folder / "small.onnx");
  const std::string bytes = TempFolder::read(folder / "small.onnx");
  for (std::size_t size = 1; size < bytes.size(); size += 1 + size / 3)
    refused(folder.write("cut.onnx", bytes.substr(0, size)));
}

}  // namespace
}  // namespace saccade::onnx_published_test
