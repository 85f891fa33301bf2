// The vision transformer, with weights by timm's names, against the same network in PyTorch.
#include "vision/encoders/vit.h"

#include "tests/golden/golden_module.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/vit_weights.h"

namespace saccade::vit_test {

using Catch::Matchers::Contains;
using test::golden_difference;
using test::kGoldenTolerance;
using test::TempFolder;

namespace {

constexpr Index kWidth = 12, kHidden = 24, kPatch = 4;

EncoderConfig small(Index registers = 0) {
  EncoderConfig config;
  config.type = "vit";
  config.image_size = 8, config.image_width = 12;
  config.positions = PositionKind::kLearned;
  config.vit = {.width = kWidth, .layers = 2, .heads = 3, .patch = kPatch, .multiple = 2};
  config.vit.registers = registers;
  return config;
}

using Shapes = std::map<std::string, std::vector<Index>>;

// The entries that timm's file of such a network has.
Shapes timm_shapes(Index registers = 0, Index patches = 6) {
  Shapes shapes{{"cls_token", {1, 1, kWidth}},
                {"pos_embed", {1, registers > 0 ? patches : patches + 1, kWidth}},
                {"patch_embed.proj.weight", {kWidth, 3, kPatch, kPatch}},
                {"patch_embed.proj.bias", {kWidth}},
                {"norm.weight", {kWidth}},
                {"norm.bias", {kWidth}}};
  if (registers > 0) shapes["reg_token"] = {1, registers, kWidth};
  const auto dense = [&](const std::string& name, Index in, Index out) {
    shapes[name + ".weight"] = {out, in};
    shapes[name + ".bias"] = {out};
  };
  for (const std::string block : {"blocks.0.", "blocks.1."}) {
    dense(block + "attn.qkv", kWidth, 3 * kWidth);
    dense(block + "attn.proj", kWidth, kWidth);
    dense(block + "mlp.fc1", kWidth, kHidden);
    dense(block + "mlp.fc2", kHidden, kWidth);
    for (const std::string norm : {"norm1", "norm2"})
      for (const std::string last : {".weight", ".bias"}) shapes[block + norm + last] = {kWidth};
  }
  return shapes;
}

// A file with the weights of make_golden.py's network `name`.
SafetensorsFile timm_file(const TempFolder& folder, const std::string& name, const Shapes& shapes) {
  std::vector<std::vector<Real>> values;
  std::vector<SafetensorsArray> arrays;
  for (const auto& [array, shape] : shapes)
    values.push_back(test::golden_weight(name + "." + array, shape));
  std::size_t i = 0;
  for (const auto& [array, shape] : shapes)
    arrays.push_back({array, "F32", shape, std::as_bytes(std::span(values[i++]))});
  save_safetensors(folder / (name + ".safetensors"), arrays);
  return SafetensorsFile(folder / (name + ".safetensors"));
}

struct Model {
  explicit Model(const EncoderConfig& config)
      : encoder(make_encoder(config, ParamScope(parameters, "encoder"))) {
    parameters.initialise(1);
  }
  TorchWeights weights() const { return pretrained(*encoder, "encoder"); }
  TorchWeightReport load(const SafetensorsFile& file) {
    return load_torch_weights(file, weights(), parameters);
  }
  ParameterStore parameters;
  std::unique_ptr<Encoder> encoder;
};

// [B, 3, H, W] in the layout that the encoder takes.
Tensor golden_pixels(const std::string& name) {
  constexpr Index kImages = 2, kRows = 8, kCols = 12;
  const std::vector<Real> planes = test::golden_numbers(name, kImages * 3 * kRows * kCols, 2);
  Tensor pixels({kImages, kRows, kCols, 3});
  for (Index i = 0; i < pixels.size(); ++i) {
    const Index image = i / (3 * kRows * kCols), cell = i / 3 % (kRows * kCols);
    pixels[i] = planes[static_cast<std::size_t>((image * 3 + i % 3) * kRows * kCols + cell)];
  }
  return pixels;
}

// The part after the positions of tokens that have no position of their own in a file of ours.
std::span<const float> behind_class(std::span<const float> positions) {
  return positions.subspan(static_cast<std::size_t>(kWidth));
}

}  // namespace

TEST_CASE("a vision transformer with timm's weights equals PyTorch's, forward and backward") {
  const TempFolder folder("golden-vit");
  Model model(small());
  const SafetensorsFile file = timm_file(folder, "vit", timm_shapes());
  CHECK(model.load(file).loaded == model.parameters.count());
  const Tensor pixels = golden_pixels("vit/pixels");
  test::TestTape tape(model.parameters.views());
  const Var features = model.encoder->forward(tape, tape.constant(pixels.view()));
  REQUIRE(features.shape() == Shape({2, 6, kWidth}));
  CHECK(golden_difference("vit/output0", features.value().span()) <= kGoldenTolerance);

  const Tensor cotangent = test::golden_tensor("vit/cotangent0", features.shape(), 1);
  tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});
  // The gradients by timm's names, written in the way of weights.
  Model gradients(small());
  const std::vector<Real> flat = test::parameter_gradients(tape, model.parameters);
  std::copy(flat.begin(), flat.end(), gradients.parameters.flat().data());
  save_torch_weights(folder / "gradients.safetensors", gradients.weights(), gradients.parameters);
  const SafetensorsFile written(folder / "gradients.safetensors");
  REQUIRE(written.entries().size() == timm_shapes().size());
  for (const SafetensorsEntry& entry : written.entries()) {
    CAPTURE(entry.name);
    const std::vector<float> expected = test::golden("vit/gradient/" + entry.name),
                             got = written.floats(entry);
    const auto error = [](std::span<const float> want, std::span<const float> have) {
      return golden_difference(want, have, test::largest(want));
    };
    CHECK((entry.name == "pos_embed" ? error(behind_class(expected), behind_class(got))
                                     : error(expected, got)) <= kGoldenTolerance);
  }
}

TEST_CASE("timm's names are written as they were read") {
  const TempFolder folder("golden-vit-back");
  for (const Index registers : {0, 2}) {
    const std::string name = registers > 0 ? "vit_registers" : "vit";
    Model model(small(registers)), other(small(registers));
    const SafetensorsFile file = timm_file(folder, name, timm_shapes(registers));
    model.load(file);
    save_torch_weights(folder / "ours.safetensors", model.weights(), model.parameters);
    const SafetensorsFile ours(folder / "ours.safetensors");
    REQUIRE(ours.entries().size() == file.entries().size());
    for (std::size_t i = 0; i < ours.entries().size(); ++i) {
      const SafetensorsEntry &a = ours.entries()[i], &b = file.entries()[i];
      CAPTURE(a.name);
      CHECK(a.name == b.name);
      CHECK(a.shape == b.shape);
      // The position of the class token is then a part of the token.
      const bool moved = registers == 0 && (a.name == "cls_token" || a.name == "pos_embed");
      CHECK((ours.floats(a) == file.floats(b)) != moved);
    }
    other.load(ours);
    CHECK(std::equal(model.parameters.flat().span().begin(), model.parameters.flat().span().end(),
                     other.parameters.flat().data()));
  }
}

TEST_CASE(
    "everything that does not fit a vision transformer is reported at once, a classifier is not") {
  const TempFolder folder("golden-vit-misfits");
  Shapes shapes = timm_shapes();
  shapes["head.weight"] = {5, kWidth};
  Model model(small());
  CHECK_NOTHROW(model.load(timm_file(folder, "vit", shapes)));
  shapes.erase("blocks.1.attn.qkv.bias");
  shapes.erase("cls_token");
  shapes["dist_token"] = {1, 1, kWidth};
  shapes["pos_embed"] = {1, 8, kWidth};  // neither 6 + 1 patches nor a square
  shapes["blocks.0.attn.qkv.weight"] = {3 * kWidth, kHidden};
  const SafetensorsFile file = timm_file(folder, "vit", shapes);
  CHECK_THROWS_WITH(
      model.load(file),
      Contains("2 missing: cls_token, blocks.1.attn.qkv.bias") &&
          Contains("1 unexpected: 'dist_token'") &&
          Contains("2 of another shape: pos_embed is [1, 8, 12] and should be [1, 7, 12], "
                   "blocks.0.attn.qkv.weight is [36, 24] and should be [36, 12]"));
  EncoderConfig config = small();
  config.positions = PositionKind::kSinusoidal;
  Model placed(config);
  CHECK_THROWS_WITH(placed.load(timm_file(folder, "vit", timm_shapes())),
                    Contains("1 unexpected: 'pos_embed'"));
  config.type = "hybrid";
  config.vit.patch = 1;
  CHECK_THROWS_AS(Model(config).encoder->pretrained(), UsageError);
}

}  // namespace saccade::vit_test
