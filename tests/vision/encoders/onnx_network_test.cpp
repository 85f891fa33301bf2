// The network of an ONNX file, built from saccade's ops, computes what OpenCV's dnn computes.
#include "vision/encoders/backbones/onnx_network.h"

#include "tests/support/onnx_file.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"
#include "tests/vision/encoders/onnx_grids.h"

namespace saccade::onnx_network_test {

using Catch::Matchers::Contains;
using test::OnnxFile;
using test::TempFolder;

namespace {

namespace fs = std::filesystem;
using Sizes = std::vector<Index>;

EncoderConfig config_of(const fs::path& file, const std::string& layer, Index height, Index width) {
  EncoderConfig config = test::frozen_config(file, layer);
  config.image_size = height;
  config.image_width = width;
  config.frozen_stages = 0;
  return config;
}

struct Native {
  explicit Native(const EncoderConfig& config)
      : encoder(make_encoder(config, ParamScope(parameters, "encoder"))) {
    parameters.initialise(1);
    encoder->start(parameters);
  }
  Tensor encode(const Image& image) const {
    Tensor pixels({1, image.height, image.width, 3});
    pixels_to_input(image, Normalization{}, pixels.data());
    test::TestTape tape(parameters.views(), test::Recording::kNo);
    const ConstView features = encoder->forward(tape, tape.constant(pixels.view())).value();
    return Tensor(features.shape, features.span());
  }
  ParameterStore parameters;
  std::unique_ptr<Encoder> encoder;
};

// The largest difference from OpenCV's outputs, as a share of the largest output.
double difference(const fs::path& file, const std::string& layer, Index height, Index width) {
  const Native native(config_of(file, layer, height, width));
  const Image image = test_picture(height, width, 3);
  const std::vector<float> expected = test::by_opencv(file, layer, image);
  const Tensor got = native.encode(image);
  REQUIRE(got.size() == static_cast<Index>(expected.size()));
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double want = static_cast<double>(expected[i]);
    most = std::max(most, std::abs(want - static_cast<double>(got[static_cast<Index>(i)])));
    largest = std::max(largest, std::abs(want));
  }
  REQUIRE(largest > 0);
  return most / largest;
}

// Saves a network with every operator that has a step, and one more at the end.
void save_all_operators(const fs::path& path) {
  const Sizes two{2, 2}, three{3, 3}, around{1, 1, 1, 1};
  OnnxFile file(24, 32);
  std::string x =
      file.conv("c1", "image", {8, 3, 3, 3}, {{"strides", two}, {"pads", Sizes{0, 0, 1, 1}}});
  x = file.node("Clip", "relu6", {file.batch_norm("n1", x, 8, {4, 8})},
                {{"min", 0.0}, {"max", 6.0}});
  const std::string deep = file.node(
      "Relu", "relu", {file.conv("c2", x, {8, 1, 3, 3}, {{"group", Index{8}}, {"pads", around}})});
  const std::string grouped = file.conv("c3", deep, {8, 4, 1, 1}, {{"group", Index{2}}});
  // c3 is read twice, so no relu may be merged into it.
  x = file.node("Add", "add",
                {file.node("Add", "sum", {deep, grouped}), file.node("Relu", "r3", {grouped})});
  x = file.node("LeakyRelu", "leaky", {x}, {{"alpha", 0.2}});
  x = file.node("Dropout", "dropout", {file.node("Identity", "same", {x})});
  x = file.node("MaxPool", "max", {x}, {{"kernel_shape", two}, {"strides", two}});
  const std::string gate =
      file.node("Sigmoid", "sigmoid", {file.batch_norm("n2", x, 8, {0.5, 1.5})});
  const std::string mean =
      file.node("AveragePool", "mean", {x}, {{"kernel_shape", three}, {"pads", around}});
  x = file.conv("c4", file.node("Concat", "concat", {gate, mean}, {{"axis", Index{1}}}),
                {12, 16, 1, 3}, {{"pads", Sizes{0, 0, 0, 0}}});
  x = file.node("Clip", "clip", {x}, {{"min", -1.0}, {"max", 1.5}});
  const std::string flat = file.node("Flatten", "flat", {x});
  const std::string pooled =
      file.node("Flatten", "pooled", {file.node("GlobalAveragePool", "pool", {x})});
  const auto dense = [&](const std::string& name, const std::string& from, Index in) {
    return file.node(
        "Gemm", name,
        {from, file.tensor(name + "_w", {5, in}, {-1, 1}), file.tensor(name + "_b", {5}, {-1, 1})},
        {{"transB", Index{1}}});
  };
  dense("dense", flat, 12 * 6 * 6);
  x = dense("logits", pooled, 12);
  file.save(path, file.node("Softmax", "shares", {x}));
}

}  // namespace

TEST_CASE("every operator computes what OpenCV computes") {
  const TempFolder folder("onnx-operators");
  save_all_operators(folder / "all.onnx");
  for (const char* layer : {"c1", "relu6", "relu", "add", "leaky", "max", "n2", "sigmoid", "mean",
                            "c4", "clip", "pool", "logits"}) {
    CAPTURE(layer);
    CHECK(difference(folder / "all.onnx", layer, 24, 32) <= 1e-4);
  }
  CHECK(difference(folder / "all.onnx", "dense", 24, 32) <= 1e-4);
  test::save_small_onnx(folder / "small.onnx");
  CHECK(difference(folder / "small.onnx", "last", 56, 40) <= 1e-4);
}

TEST_CASE("the published backbones compute what OpenCV computes") {
  const fs::path backbones = test::data_folder("backbones");
  if (backbones.empty()) return;
  const fs::path v1 = backbones / "mobilenet_v1_0.25_128.onnx",
                 v2 = backbones / "mobilenet_v2_1.0_224.onnx";
  CHECK(difference(v1, "t83", 128, 128) <= 1e-4);
  CHECK(difference(v1, "conv14_relu6", 96, 160) <= 1e-4);
  CHECK(difference(v1, "logits", 128, 128) <= 1e-4);
  CHECK(difference(v2, "t168", 224, 224) <= 1e-4);
}

TEST_CASE("automatic padding is replaced by the numbers that it gives for the image's extents") {
  const TempFolder folder("onnx-same");
  const auto features = [&](const std::string& name, const test::OnnxAttributes& padding,
                            Index height, Index width) {
    OnnxFile file(height, width);
    test::OnnxAttributes attributes = padding;
    attributes["strides"] = Sizes{2, 2};
    file.save(folder / name, file.conv("c", "image", {4, 3, 3, 3}, attributes));
    const Native native(config_of(folder / name, "c", height, width));
    return native.encode(test_picture(height, width, 5));
  };
  const auto equal = [](const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::equal(a.span().begin(), a.span().end(), b.span().begin());
  };
  const auto kind = [](const char* name) {
    return test::OnnxAttributes{{"auto_pad", std::string(name)}};
  };
  const auto pads = [](Index before, Index after) {
    return test::OnnxAttributes{{"pads", Sizes{before, before, after, after}}};
  };
  CHECK(equal(features("a", kind("SAME_UPPER"), 16, 24), features("b", pads(0, 1), 16, 24)));
  CHECK(equal(features("a", kind("SAME_LOWER"), 16, 24), features("b", pads(1, 0), 16, 24)));
  CHECK(equal(features("a", kind("SAME_UPPER"), 17, 23), features("b", pads(1, 1), 17, 23)));
  CHECK(equal(features("a", kind("VALID"), 16, 24), features("b", pads(0, 0), 16, 24)));
  // Rows and columns that are padded differently.
  CHECK(features("a", kind("SAME_UPPER"), 16, 23).size() == 4 * 8 * 12);
}

TEST_CASE("the matrix of a product may be transposed and scaled") {
  const TempFolder folder("onnx-gemm");
  const auto weights = [&](const Sizes& shape, const test::OnnxAttributes& attributes) {
    OnnxFile file(1, 1);
    const std::string matrix = file.tensor("w", shape, {-1, 1}),
                      bias = file.tensor("b", {shape[shape[0] == 3 ? 1 : 0]}, {-1, 1});
    file.save(
        folder / "gemm.onnx",
        file.node("Gemm", "g", {file.node("Flatten", "f", {"image"}), matrix, bias}, attributes));
    return read_onnx(folder / "gemm.onnx", "g").weights.back();
  };
  const OnnxWeights as_torch = weights({2, 3}, {{"transB", Index{1}}});
  const OnnxWeights other = weights({3, 2}, {{"alpha", 2.0}, {"beta", 0.5}});
  const OnnxWeights plain = weights({3, 2}, {});
  REQUIRE(as_torch.weight.size() == 6);
  for (std::size_t o = 0; o < 2; ++o) {
    // The same numbers as the file has, row by row.
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(plain.weight[o * 3 + i] == as_torch.weight[i * 2 + o]);
      CHECK(other.weight[o * 3 + i] == 2 * plain.weight[o * 3 + i]);
    }
    CHECK(other.bias[o] == plain.bias[o] / 2);
  }
}

TEST_CASE("a product may add the same numbers to every image, but not others to each") {
  const TempFolder folder("onnx-gemm-bias");
  const auto bias = [&](const Sizes& shape) {
    OnnxFile file(1, 1);
    const std::string matrix = file.tensor("w", {2, 3}, {-1, 1}),
                      added = file.tensor("b", shape, {-1, 1});
    file.save(folder / "gemm.onnx",
              file.node("Gemm", "g", {file.node("Flatten", "f", {"image"}), matrix, added},
                        {{"transB", Index{1}}, {"beta", 0.5}}));
    return read_onnx(folder / "gemm.onnx", "g").weights.back().bias;
  };
  const std::vector<float> each = bias({2}), all = bias({1});
  REQUIRE(each.size() == 2);
  REQUIRE(all.size() == 2);
  CHECK(bias({1, 2}) == each);
  CHECK(all == std::vector<float>{each[0], each[0]});
  CHECK(bias({}) == all);
  CHECK(bias({1, 1}) == all);
  const auto refusal = [&](const Sizes& shape) {
    return test::message_of<DataError>([&] { bias(shape); });
  };
  CHECK_THAT(refusal({2, 1}),
             Contains("Gemm of node 'g' adds other numbers to every row (its C is 2 x 1)"));
  CHECK_THAT(refusal({2, 2}), Contains("its C is 2 x 2"));
  CHECK_THAT(refusal({3}), Contains("node 'g' (Gemm) is damaged"));
  CHECK_THAT(refusal({1, 1, 2}), Contains("is damaged"));
}

TEST_CASE("without a backward pass, layers that follow each other share memory") {
  const TempFolder folder("onnx-memory");
  OnnxFile file(32, 32);
  std::string x = "image";
  for (int block = 0; block < 6; ++block) {
    const test::OnnxAttributes same{{"pads", Sizes{1, 1, 1, 1}}};
    const std::string start =
        file.conv(str("start", block), x, {8, block == 0 ? 3 : 8, 3, 3}, same);
    x = file.node("Add", str("add", block),
                  {start, file.conv(str("branch", block), start, {8, 8, 3, 3}, same)});
  }
  file.save(folder / "deep.onnx", x);
  const Native native(config_of(folder / "deep.onnx", "add5", 32, 32));
  Tensor pixels({1, 32, 32, 3});
  pixels_to_input(test_picture(32, 32, 5), Normalization{}, pixels.data());
  const auto run = [&](bool recording) {
    Arena arena;
    Tape tape(arena);
    tape.set_recording(recording);
    tape.set_parameters(native.parameters.views());
    const ConstView grid = native.encoder->forward(tape, tape.constant(pixels.view())).value();
    return std::pair(Tensor(grid.shape, grid.span()), arena.high_water());
  };
  const auto [recorded, all_memory] = run(true);
  const auto [value, memory] = run(false);
  CHECK(std::equal(value.span().begin(), value.span().end(), recorded.span().begin()));
  CHECK(memory < all_memory / 2);
}

TEST_CASE("stages end where the grid becomes smaller, and have the weights that nodes name") {
  const TempFolder folder("onnx-stages");
  test::save_small_onnx(folder / "small.onnx");
  const Native native(config_of(folder / "small.onnx", "last", 32, 32));
  std::vector<std::vector<std::string>> prefixes;
  for (const EncoderStage& stage : native.encoder->stages()) prefixes.push_back(stage.prefixes);
  CHECK(prefixes == std::vector<std::vector<std::string>>{{"backbone.first"},
                                                          {"backbone.second", "backbone.depthwise"},
                                                          {"backbone.third"}});
  CHECK(native.parameters.find("encoder.backbone.depthwise.weight") >= 0);
  CHECK(native.parameters.find("encoder.backbone.first.bias") >= 0);
  CHECK(native.encoder->grid() == GridShape{{4, 4}, 16});
}

TEST_CASE("the message on an operator that is not supported names the first one and the remedy") {
  const TempFolder folder("onnx-refused");
  const fs::path all = folder / "all.onnx";
  save_all_operators(all);
  const auto refusal = [](const fs::path& file, const std::string& layer) {
    return test::message_of<DataError>([&] { read_onnx(file, layer); });
  };
  CHECK_THAT(refusal(all, "shares"),
             Contains(all.string() + ": operator Softmax of node 'shares' is none that "
                                     "encoder.type onnx_native can train"));
  CHECK_THAT(refusal(all, "leakey"), Contains("no layer 'leakey' (did you mean 'leaky'?)"));
  CHECK_THAT(refusal(all, "image"), Contains("no layer 'image'"));
  const auto conv = [&](const test::OnnxAttributes& attributes) {
    OnnxFile file(16, 16);
    file.save(folder / "conv.onnx", file.conv("c", "image", {4, 3, 3, 3}, attributes));
    return refusal(folder / "conv.onnx", "c");
  };
  CHECK_THAT(conv({{"strides", Sizes{1, 2}}}), Contains("strides differently"));
  CHECK_THAT(conv({{"dilations", Sizes{1, 2}}}), Contains("dilated differently"));
  OnnxFile padded(16, 16);
  padded.save(folder / "padded.onnx",
              padded.node("AveragePool", "p", {padded.conv("c", "image", {4, 3, 3, 3})},
                          {{"kernel_shape", Sizes{3, 3}},
                           {"auto_pad", std::string("SAME_UPPER")},
                           {"count_include_pad", Index{1}}}));
  CHECK_THAT(refusal(folder / "padded.onnx", "p"), Contains("count_include_pad"));
  // Weights that the network computes, and then missing weights.
  OnnxFile computed(16, 16);
  computed.node("Relu", "r", {"image"});
  computed.save(folder / "computed.onnx", computed.node("Conv", "c", {"image", "r_out"}));
  CHECK_THAT(refusal(folder / "computed.onnx", "c"), Contains("weights that are computed"));
  OnnxFile bare(16, 16);
  bare.save(folder / "bare.onnx", bare.node("Conv", "c", {"image"}));
  CHECK_THAT(refusal(folder / "bare.onnx", "c"), Contains("node 'c' (Conv) is damaged"));
  CHECK_THROWS_WITH(Native(config_of(folder / "computed.onnx", "r", 16, 16)),
                    Contains("nothing before encoder.layer has weights"));
  OnnxFile wide(16, 16);
  wide.save(folder / "wide.onnx", wide.conv("c", "image", {4, 5, 3, 3}));
  CHECK_THROWS_WITH(Native(config_of(folder / "wide.onnx", "c", 16, 16)),
                    Contains("node 'c' has weights for 5 channels and gets 3"));
}

TEST_CASE("an infinite bound means no bound, also in a stored graph") {
  const TempFolder folder("onnx-unbounded");
  OnnxFile file(16, 16);
  const double infinite = std::numeric_limits<double>::infinity();
  file.save(folder / "clip.onnx", file.node("Clip", "last", {file.conv("c", "image", {4, 3, 3, 3})},
                                            {{"min", -0.5}, {"max", infinite}}));
  const OnnxGraph graph = read_onnx(folder / "clip.onnx", "last").graph;
  const OnnxGraph stored = graph_of_text(graph_text(graph));
  REQUIRE(stored.steps.size() == graph.steps.size());
  CHECK(stored.steps.back().lowest == -0.5);
  CHECK(stored.steps.back().highest > 1e38);
}

}  // namespace saccade::onnx_network_test
