// encoder.layers, encoder.normalize and encoder.dilate with networks from ONNX files.
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensor_difference.h"
#include "tests/vision/encoders/onnx_grids.h"
#include "vision/encoders/grid_fusion.h"

namespace saccade::grid_layers_test {

using Catch::Matchers::Contains;
using test::message_of;
using test::OnnxFile;
using test::TempFolder;

namespace {

namespace fs = std::filesystem;
using Sizes = std::vector<Index>;

// The output of a frozen layer for a picture, [rows, cols, features].
struct Layer {
  explicit Layer(const FrozenNetwork& encoder, const PictureArea& area = {})
      : grid(encoder.grid()),
        numbers(test::encode(
            encoder, test_picture(encoder.preparation().height, encoder.preparation().width, 3),
            area)) {}
  float at(Index row, Index col, Index feature) const {
    return numbers[static_cast<std::size_t>((row * grid.cols + col) * grid.features + feature)];
  }
  GridShape grid;
  std::vector<float> numbers;
};

Layer frozen(const EncoderConfig& config) { return Layer(test::frozen_network(config)); }

// A config for images of 32 x 48.
EncoderConfig config_of(const fs::path& model, const std::string& layer) {
  EncoderConfig config = test::frozen_config(model, layer);
  config.image_width = 48;
  return config;
}
EncoderConfig config_of(const fs::path& model, std::vector<std::string> layers) {
  EncoderConfig config = config_of(model, "");
  config.layers = std::move(layers);
  config.normalize = FeatureNorm::kNone;
  return config;
}

// The weight of coarse row p in fine row i, from the sum that defines ops::upsample.
double share(Index i, Index fine, Index p, Index coarse) {
  const double at = std::clamp(
      (static_cast<double>(i) + 0.5) * static_cast<double>(coarse) / static_cast<double>(fine) -
          0.5,
      0.0, static_cast<double>(coarse - 1));
  return std::max(0.0, 1 - std::abs(at - static_cast<double>(p)));
}

// Takes the cells that show some of the picture alone, whose weights are divided by their sum.
double upsampled(const Layer& layer, const GridShape& to, Index row, Index col, Index feature,
                 const PictureArea& area = {}) {
  const CellBlock shown = picture_cells(area, layer.grid);
  double sum = 0, weights = 0;
  for (Index p = 0; p < layer.grid.rows; ++p)
    for (Index q = 0; q < layer.grid.cols; ++q) {
      if (!shown.has(p, q)) continue;
      const double weight =
          share(row, to.rows, p, layer.grid.rows) * share(col, to.cols, q, layer.grid.cols);
      weights += weight;
      sum += weight * static_cast<double>(layer.at(p, q, feature));
    }
  return sum / weights;
}

// Saves a network with two strides; behind the second one is a branch with depthwise, wide and
// pointwise windows.
void save_two_strides(const fs::path& path, bool automatic) {
  const Sizes two{2, 2};
  const auto window = [&](Index group, bool strided) {
    test::OnnxAttributes all{{"group", group}};
    if (strided) all["strides"] = two;
    if (automatic)
      all["auto_pad"] = std::string("SAME_UPPER");
    else
      all["pads"] = Sizes{1, 1, 1, 1};
    return all;
  };
  OnnxFile file(32, 48);
  std::string x =
      file.node("Relu", "fine", {file.conv("a", "image", {6, 3, 3, 3}, window(1, true))});
  x = file.node("Relu", "wide", {file.conv("b", x, {12, 6, 1, 1})});
  x = file.node("Relu", "strided", {file.conv("c", x, {12, 1, 3, 3}, window(12, true))});
  const std::string branch = file.conv("d", x, {12, 1, 3, 3}, window(12, false));
  x = file.node("Add", "sum", {x, file.conv("e", branch, {12, 12, 1, 1})});
  x = file.node("Relu", "deep", {file.conv("f", x, {8, 12, 3, 3}, window(1, false))});
  file.node("GlobalAveragePool", "mean", {x});
  file.save(path, "mean_out");
}

}  // namespace

TEST_CASE("layers are joined on the finest grid, the coarse ones by interpolation") {
  const TempFolder folder("grid-layers");
  const fs::path model = folder / "small.onnx";
  test::save_small_onnx(model);
  const Layer coarse = frozen(config_of(model, "last")),
              fine = frozen(config_of(model, "first_relu"));
  EncoderConfig config = config_of(model, std::vector<std::string>{"last", "first_relu"});
  const Layer joined = frozen(config);
  REQUIRE(joined.grid == GridShape{{.rows = 16, .cols = 24}, 24, {16, 8}});
  REQUIRE(coarse.grid == GridShape{{.rows = 4, .cols = 6}, 16});
  for (Index row = 0; row < 16; ++row)
    for (Index col = 0; col < 24; ++col) {
      for (Index d = 0; d < 16; ++d)
        REQUIRE(static_cast<double>(joined.at(row, col, d)) ==
                Approx(upsampled(coarse, joined.grid, row, col, d)).margin(1e-5));
      for (Index d = 0; d < 8; ++d) REQUIRE(joined.at(row, col, 16 + d) == fine.at(row, col, d));
    }

  config.normalize = FeatureNorm::kLayerNorm;
  const Layer normal = frozen(config);
  for (Index row = 0; row < 16; ++row) {
    double sum = 0, squares = 0;
    for (Index d = 16; d < 24; ++d) {
      const auto x = static_cast<double>(normal.at(row, row, d));
      sum += x, squares += x * x;
    }
    CHECK(std::abs(sum) <= 1e-4);
    CHECK(squares / 8 == Approx(1).epsilon(0.01));
  }
  // A corner of the fine grid has the vector of a single coarse cell, so it is normalised there,
  // too.
  double squares = 0;
  for (Index d = 0; d < 16; ++d) squares += std::pow(static_cast<double>(normal.at(0, 0, d)), 2);
  CHECK(squares / 16 == Approx(1).epsilon(0.01));
}

TEST_CASE("a coarse layer of a padded picture is interpolated without its cells of padding") {
  const TempFolder folder("grid-padding");
  const fs::path model = folder / "small.onnx";
  test::save_small_onnx(model);
  // 8 of 48 columns at each side, which is a column of the coarse grid; and 9 of 32 rows at the
  // top, which is more than a row of the coarse grid and not quite five of the fine one.
  const PictureArea area{.left = 8.0 / 48, .top = 9.0 / 32, .right = 40.0 / 48};
  const Layer coarse(test::frozen_network(config_of(model, "last")), area);
  const FrozenNetwork encoder =
      test::frozen_network(config_of(model, std::vector<std::string>{"last", "first_relu"}));
  const Layer joined(encoder, area), whole(encoder);
  const CellBlock shown = picture_cells(area, {16, 24});
  REQUIRE(shown.top == 4);
  double most = 0;
  for (Index row = 0; row < 16; ++row)
    for (Index col = 0; col < 24; ++col)
      for (Index d = 0; d < 16; ++d) {
        const float got = joined.at(row, col, d);
        REQUIRE(std::isfinite(got));
        if (!shown.has(row, col)) continue;
        REQUIRE(static_cast<double>(got) ==
                Approx(upsampled(coarse, joined.grid, row, col, d, area)).margin(1e-5));
        most = std::max(most, std::abs(static_cast<double>(got - whole.at(row, col, d))));
      }
  CHECK(most > 0.01);  // with the cells of padding, regions at the border are others
}

TEST_CASE("every setting of the grid changes the digest") {
  const TempFolder folder("grid-digests");
  const fs::path model = folder / "small.onnx";
  test::save_small_onnx(model);
  const auto digest = [&](auto change) {
    EncoderConfig config = config_of(model, "last");
    change(config);
    return test::frozen_network(config).digest();
  };
  const auto join = [](std::vector<std::string> layers, std::optional<FeatureNorm> norm = {}) {
    return [=](EncoderConfig& c) { c.layer = "", c.layers = layers, c.normalize = norm; };
  };
  const std::vector<std::string> digests{
      digest([](EncoderConfig&) {}),
      digest([](EncoderConfig& c) { c.normalize = FeatureNorm::kLayerNorm; }),
      digest([](EncoderConfig& c) { c.dilate = true; }),
      digest(join({"last", "sum"})),
      digest(join({"sum", "last"})),
      digest(join({"sum", "last"}, FeatureNorm::kNone))};
  for (std::size_t i = 0; i < digests.size(); ++i)
    CHECK(std::count(digests.begin(), digests.end(), digests[i]) == 1);
}

// Every number of the strided network is one of the dilated network: the same weights are applied
// to the same inputs, including the zeros at the border.
TEST_CASE("a dilated last stage has the numbers of the strided one on a grid twice as fine") {
  const TempFolder folder("dilated");
  for (const bool automatic : {false, true}) {
    CAPTURE(automatic);
    const fs::path model = folder / "two.onnx";
    save_two_strides(model, automatic);
    EncoderConfig config = config_of(model, "deep");
    const Layer strided = frozen(config);
    config.dilate = true;
    const FrozenNetwork encoder = test::frozen_network(config);
    const Layer dilated(encoder);
    REQUIRE(strided.grid == GridShape{{.rows = 8, .cols = 12}, 8});
    REQUIRE(dilated.grid == GridShape{{.rows = 16, .cols = 24}, 8});
    // SAME_UPPER puts its zeros behind the image, so the strided cells are shifted by one.
    const Index first = automatic ? 1 : 0;
    double most = 0, largest = 0, between = 0;
    for (Index row = 0; row < 8; ++row)
      for (Index col = 0; col < 12; ++col)
        for (Index d = 0; d < 8; ++d) {
          const auto want = static_cast<double>(strided.at(row, col, d));
          const auto got = [&](Index r, Index c) {
            return static_cast<double>(dilated.at(2 * row + r, 2 * col + c, d));
          };
          most = std::max(most, std::abs(want - got(first, first)));
          between = std::max(between, std::abs(want - got(1 - first, first)));
          largest = std::max(largest, std::abs(want));
        }
    CHECK(most <= 1e-5 * largest);
    CHECK(between > 0.1 * largest);  // the cells in between differ

    // Four windows of 3 taps, 1, 2, 4 and 4 pixels apart, and the grid in the middle.
    const ReceptiveField field = encoder.receptive_field();
    CHECK(field.rows.step == 2);
    CHECK(field.rows.extent == 1 + 2 * (1 + 2 + 4 + 4));
    CHECK(std::abs(2 * field.rows.first + field.rows.extent - 2) <= 2);
  }
}

TEST_CASE("dilating the last stage does not change the layers before the last stride") {
  const TempFolder folder("dilated-joined");
  const fs::path model = folder / "two.onnx";
  save_two_strides(model, false);
  const Layer fine = frozen(config_of(model, "wide"));
  EncoderConfig config = config_of(model, "deep");
  config.dilate = true;
  const Layer deep = frozen(config);
  config.layer = "", config.layers = {"wide", "deep"}, config.normalize = FeatureNorm::kNone;
  const FrozenNetwork encoder = test::frozen_network(config);
  const Layer both(encoder);
  REQUIRE(both.grid == GridShape{{.rows = 16, .cols = 24}, 20, {12, 8}});
  for (Index row = 0; row < 16; ++row)
    for (Index d = 0; d < 20; ++d)
      REQUIRE(both.at(row, 3, d) ==
              Approx(d < 12 ? fine.at(row, 3, d) : deep.at(row, 3, d - 12)).margin(1e-6));
  // The receptive field is that of the first of the finest layers.
  CHECK(encoder.receptive_field().rows.extent == 3);
}

TEST_CASE("grids that cannot be joined are refused with a remedy") {
  const TempFolder folder("grid-refusals");
  const fs::path model = folder / "two.onnx";
  save_two_strides(model, false);
  EncoderConfig config;
  config.layer = "a", config.layers = {"a", "b"};
  CHECK_THROWS_WITH(check_layers(config), Contains("encoder.layer empty"));
  config.layer = "", config.layers = {"a", "b", "a"};
  CHECK_THROWS_WITH(check_layers(config), Contains("names 'a' twice"));
  CHECK_THROWS_WITH(frozen(config_of(model, std::vector<std::string>{"fine", "depe"})),
                    Contains("no layer 'depe' (did you mean 'deep'?)"));
  CHECK_THROWS_WITH(frozen(config_of(model, "")),
                    Contains("encoder.type onnx_native needs encoder.layer; set it in the config"));
  CHECK_THROWS_WITH(frozen(config_of(model, std::vector<std::string>{"fine", ""})),
                    Contains("needs encoder.layers that all have a name"));
  const std::vector<std::string> names{"tall", "wide"};
  CHECK_THROWS_WITH(GridFusion({{{.rows = 4, .cols = 2}, 1}, {{.rows = 2, .cols = 4}, 1}}, names,
                               FeatureNorm::kNone),
                    Contains("neither is the finer grid"));

  OnnxFile pooled(16, 16);
  const std::string x = pooled.conv("a", "image", {4, 3, 3, 3});
  pooled.save(folder / "pool.onnx",
              pooled.node("MaxPool", "pool", {x},
                          {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}}));
  const auto refusal = [&](const std::string& layer) {
    EncoderConfig dilated = config_of(folder / "pool.onnx", layer);
    dilated.dilate = true;
    return message_of<UsageError>([&] { frozen(dilated); });
  };
  CHECK_THAT(refusal("pool"), Contains("MaxPool 'pool' makes the last stride") &&
                                  Contains("encoder.dilate to false"));
  CHECK_THAT(refusal("a"), Contains("nothing strides"));
}

}  // namespace saccade::grid_layers_test
