// encoder.layers, encoder.normalize and encoder.dilate with networks from ONNX files.
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensor_difference.h"
#include "tests/vision/encoders/onnx_readers.h"
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
  explicit Layer(const OnnxEncoder& encoder, const PictureArea& area = {})
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

Layer frozen(const OnnxEncoderOptions& options) { return Layer(OnnxEncoder(options)); }

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
  const auto at = [&](const std::string& layer) {
    return frozen({.model = model, .layer = layer, .image_size = 32, .image_width = 48});
  };
  const Layer coarse = at("last"), fine = at("first_relu");
  OnnxEncoderOptions options{
      .model = model, .layers = {"last", "first_relu"}, .image_size = 32, .image_width = 48};
  const Layer joined = frozen(options);
  REQUIRE(joined.grid == GridShape{{.rows = 16, .cols = 24}, 24, {16, 8}});
  REQUIRE(coarse.grid == GridShape{{.rows = 4, .cols = 6}, 16});
  for (Index row = 0; row < 16; ++row)
    for (Index col = 0; col < 24; ++col) {
      for (Index d = 0; d < 16; ++d)
        REQUIRE(static_cast<double>(joined.at(row, col, d)) ==
                Approx(upsampled(coarse, joined.grid, row, col, d)).margin(1e-5));
      for (Index d = 0; d < 8; ++d) REQUIRE(joined.at(row, col, 16 + d) == fine.at(row, col, d));
    }

  options.norm = FeatureNorm::kLayerNorm;
  const Layer normal = frozen(options);
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
  OnnxEncoderOptions options{.model = model,
                             .layer = "last",
                             .image_size = 32,
                             .image_width = 48,
                             .resize = ResizeMode::kPad};
  // 8 of 48 columns at each side, which is a column of the coarse grid; and 9 of 32 rows at the
  // top, which is more than a row of the coarse grid and not quite five of the fine one.
  const PictureArea area{.left = 8.0 / 48, .top = 9.0 / 32, .right = 40.0 / 48};
  const Layer coarse(OnnxEncoder(options), area);
  options.layer = "", options.layers = {"last", "first_relu"};
  const OnnxEncoder encoder(options);
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

TEST_CASE("a list of one layer is that layer, and any other setting changes the digest") {
  const TempFolder folder("grid-digests");
  const fs::path model = folder / "small.onnx";
  test::save_small_onnx(model);
  const auto digest = [&](const OnnxEncoderOptions& options) {
    OnnxEncoderOptions all = options;
    all.model = model, all.image_size = 32;
    return OnnxEncoder(all).digest();
  };
  CHECK(digest({.layers = {"last"}}) == digest({.layer = "last"}));
  const std::vector<std::string> digests{
      digest({.layer = "last"}),
      digest({.layer = "last", .norm = FeatureNorm::kLayerNorm}),
      digest({.layer = "last", .last_stage = LastStage::kDilated}),
      digest({.layers = {"last", "sum"}}),
      digest({.layers = {"sum", "last"}}),
      digest({.layers = {"sum", "last"}, .norm = FeatureNorm::kLayerNorm})};
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
    OnnxEncoderOptions options{
        .model = model, .layer = "deep", .image_size = 32, .image_width = 48};
    const Layer strided = frozen(options);
    options.last_stage = LastStage::kDilated;
    const OnnxEncoder encoder(options);
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
  OnnxEncoderOptions options{.model = model, .layer = "wide", .image_size = 32};
  const Layer fine = frozen(options);
  options.layer = "deep";
  options.last_stage = LastStage::kDilated;
  const Layer deep = frozen(options);
  options.layer = "", options.layers = {"wide", "deep"};
  const OnnxEncoder encoder(options);
  const Layer both(encoder);
  REQUIRE(both.grid == GridShape{{.rows = 16, .cols = 16}, 20, {12, 8}});
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
  CHECK_THROWS_WITH(OnnxEncoder({.model = model, .layers = {"fine", "depe"}, .image_size = 32}),
                    Contains("no layer 'depe' (did you mean 'deep'?)"));
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
    return message_of<UsageError>([&] {
      OnnxEncoder({.model = folder / "pool.onnx",
                   .layer = layer,
                   .last_stage = LastStage::kDilated,
                   .image_size = 16});
    });
  };
  CHECK_THAT(refusal("pool"), Contains("MaxPool 'pool' makes the last stride") &&
                                  Contains("encoder.dilate to false"));
  CHECK_THAT(refusal("a"), Contains("nothing strides"));
}

}  // namespace saccade::grid_layers_test
