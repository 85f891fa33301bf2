// What ONNX leaves to the writer of a file: what may be left out, what the input may be, and
// numbers that it allows and the reader does not support.
#include "tests/support/onnx_file.h"
#include "tests/support/onnx_mutants.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/encoders/onnx_grids.h"

namespace saccade::test {

using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;
constexpr Index kHuge = Index{1} << 62;

// One window over the image, whose extents its weights have anyway.
void save_window(const fs::path& path, const Extents& weights, OnnxAttributes attributes,
                 bool says) {
  OnnxFile net(32, 32);
  if (says) attributes["kernel_shape"] = Extents{weights[2], weights[3]};
  const std::string x =
      net.node("Conv", "c", {"image", net.tensor("w", weights, {-1, 1})}, attributes);
  net.save(path, net.node("Relu", "last", {x}));
}

}  // namespace

TEST_CASE("the window of a convolution may be left out") {
  const TempFolder folder("onnx-window");
  const fs::path with = folder / "with.onnx", without = folder / "without.onnx";
  const Extents two{2, 2};
  struct Window {
    Extents weights;
    OnnxAttributes attributes{};
  };
  for (const Window& one :
       {Window{{4, 3, 3, 3}}, Window{{4, 3, 5, 1}},
        Window{{4, 3, 3, 3}, {{"pads", Extents{1, 1, 1, 1}}, {"strides", two}}},
        Window{{4, 3, 3, 3}, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", two}}},
        Window{{6, 1, 3, 3}, {{"group", Index{3}}}}, Window{{4, 3, 3, 3}, {{"dilations", two}}}}) {
    CAPTURE(one.weights);
    save_window(with, one.weights, one.attributes, true);
    save_window(without, one.weights, one.attributes, false);
    CHECK(grid_of(without) == grid_of(with));
    for (const OnnxLayer& layer : list_onnx_layers(without, 32)) CHECK(!layer.shape.empty());
  }
  EncoderConfig dilated = frozen_config(with, "last");
  dilated.dilate = true;
  save_window(with, {4, 3, 3, 3}, {{"strides", two}}, true);
  save_window(without, {4, 3, 3, 3}, {{"strides", two}}, false);
  const std::vector<float> want = encode_picture(frozen_network(dilated), test_picture(60, 80));
  dilated.model = without.string();
  CHECK(encode_picture(frozen_network(dilated), test_picture(60, 80)) == want);
}

TEST_CASE("bounds of a clip may be inputs, and one of them may be left out") {
  const TempFolder folder("onnx-clip");
  const fs::path file = folder / "m.onnx";
  const auto save = [&](const std::vector<std::string>& bounds, const OnnxAttributes& attributes) {
    OnnxFile net(32, 32);
    std::vector<std::string> inputs{net.conv("c", "image", {4, 3, 3, 3})};
    net.tensor("low", {}, {-0.25, -0.25});
    net.tensor("high", {1}, {0.5, 0.5});
    inputs.insert(inputs.end(), bounds.begin(), bounds.end());
    net.save(file, net.conv("last", net.node("Clip", "clip", inputs, attributes), {2, 4, 1, 1}));
  };
  struct Bounds {
    std::vector<std::string> inputs;
    OnnxAttributes attributes;
  };
  std::set<std::vector<float>> different;
  for (const Bounds& bounds :
       {Bounds{{"low", "high"}, {{"min", -0.25}, {"max", 0.5}}}, Bounds{{"low"}, {{"min", -0.25}}},
        Bounds{{"low", ""}, {{"min", -0.25}}}, Bounds{{"", "high"}, {{"max", 0.5}}},
        Bounds{{"", ""}, {}}}) {
    CAPTURE(bounds.inputs);
    save({}, bounds.attributes);
    const std::vector<float> grid = grid_of(file);
    save(bounds.inputs, {});
    CHECK(grid_of(file) == grid);
    different.insert(grid);
    for (const OnnxLayer& layer : list_onnx_layers(file, 32)) CHECK(!layer.shape.empty());
  }
  CHECK(different.size() == 4);
}

TEST_CASE("zeros may be added as many as clipped extents say") {
  const TempFolder folder("onnx-clipped-pads");
  const fs::path given = folder / "given.onnx", computed = folder / "computed.onnx";
  const Extents two{2, 2};
  const auto save = [&](const fs::path& file, bool says) {
    OnnxFile net(32, 32);
    const std::string x = net.conv("c", "image", {4, 3, 3, 3});
    std::string pads = net.integers("pads", {0, 0, 0, 0, 0, 0, 2, 2});
    net.tensor("none", {}, {0, 0});  // in both files, so that both have the same random weights
    if (!says) {  // 30 rows and columns, of which those above 28 are counted, and none below 0
      const std::string extents = net.node("Shape", "extents", {x});
      const std::string over =
          net.node("Sub", "over", {extents, net.integers("most", {28, 28, 28, 28})});
      const std::string clipped = net.node(
          "Clip", "clipped", {net.node("Cast", "real", {over}, {{"to", Index{1}}}), "none"});
      const std::string behind = net.node("Cast", "whole", {clipped}, {{"to", Index{7}}});
      pads = net.node("Concat", "all", {net.integers("before", {0, 0, 0, 0}), behind},
                      {{"axis", Index{0}}});
    }
    net.save(file, net.conv("last", net.node("Pad", "pad", {x, pads}), {2, 4, 3, 3}));
  };
  save(given, true);
  save(computed, false);
  const auto shape = [](const fs::path& file) { return list_onnx_layers(file, 32).back().shape; };
  CHECK(shape(computed) == shape(given));
  CHECK(grid_of(computed) == grid_of(given));
}

TEST_CASE("extents of the image and of the output may be unknown") {
  const TempFolder folder("onnx-bare");
  const fs::path file = folder / "m.onnx";
  save_small_onnx(file);
  const std::vector<float> grid = grid_of(file);
  const auto same = [&] {
    CHECK(grid_of(file) == grid);
    for (const OnnxLayer& layer : list_onnx_layers(file, 32)) CHECK(!layer.shape.empty());
  };
  for (const Extents& extents : {Extents{-1, 3, -1, -1}, Extents{1, -1, 32, 32}}) {
    set_image(file, extents);
    same();
  }
  forget_extents(file);
  same();
}

TEST_CASE("an input that cannot be an image is refused in a line, also in lists") {
  const TempFolder folder("onnx-input");
  const fs::path file = folder / "m.onnx";
  save_small_onnx(file);
  for (const Extents& extents :
       {Extents{}, Extents{3, 32, 32}, Extents{1, 3, 32, 32, 1}, Extents{1, 3, 0, 32},
        Extents{0, 3, 32, 32}, Extents{1, 3, 32, -5}, Extents{-kHuge, 3, 32, 32},
        Extents{1, 3, Index{1} << 40, 32}, Extents{1, 3, 32, kHuge}, Extents{1, kHuge, 32, 32},
        Extents{1, 32, 32, 3}, Extents{1, 1, 32, 32}, Extents{1, 0, 32, 32}}) {
    CAPTURE(extents);
    set_image(file, extents);
    for (const std::string& refusal : {refusal_of(file), refusal_of_list(file)})
      CHECK_THAT(refusal, Contains(file.string() + ": its input 'image' has ") &&
                              Contains("; an encoder takes images [n, 3, rows, columns]"));
  }
}

TEST_CASE("an input beside the image is in the way of those nodes alone that need it") {
  const TempFolder folder("onnx-inputs");
  const fs::path file = folder / "m.onnx";
  OnnxFile net(32, 32);
  const std::string x = net.node("Relu", "relu", {net.conv("c", "image", {4, 3, 3, 3})});
  net.save(file, net.node("Relu", "last", {net.node("Add", "sum", {x, "words"})}));
  add_input(file, "words", {1, 77});
  CHECK(!grid_of(file, "relu").empty());
  CHECK_THAT(refusal_of(file),
             Contains("of node 'sum' reads 'words', an input of the network beside its "
                      "image; choose a layer before it"));
  for (const OnnxLayer& layer : list_onnx_layers(file, 32)) {
    CAPTURE(layer.name);
    CHECK(layer.shape.empty() == (layer.name != "c" && layer.name != "relu"));
  }
}

TEST_CASE("numbers are told as the file has them, and none that ONNX allows is called damage") {
  const TempFolder folder("onnx-numbers");
  const fs::path file = folder / "m.onnx";
  struct Odd {
    const char* op;
    OnnxAttributes attributes;
    std::vector<Extents> inputs;  // integers
    const char* text;
  };
  const Extents two{2, 2};
  for (const Odd& odd :
       {Odd{"MaxPool",
            {{"kernel_shape", Extents{kHuge, 2}}},
            {},
            "has kernel_shape 4611686018427387904"},
        Odd{"MaxPool",
            {{"kernel_shape", two}, {"strides", Extents{1, kHuge}}},
            {},
            "strides 4611686018427387904"},
        Odd{"MaxPool",
            {{"kernel_shape", two}, {"pads", Extents{-1, 0, 0, 0}}},
            {},
            "has negative pads"},
        Odd{"Softmax", {{"axis", -kHuge}}, {}, "axis -4611686018427387904, and only -8 to 7"},
        Odd{"Cast",
            {{"to", (Index{1} << 31) + 5}},
            {},
            "to 2147483653, and only -2147483647 to 2147483647"},
        Odd{"Split",
            {{"axis", Index{0}}, {"split", Extents{1, 0}}},
            {},
            "split 0, and only 1 to 1048576"},
        Odd{"LeakyRelu", {{"alpha", 1e7}}, {}, "alpha 10000000, and only -1000000 to 1000000"},
        Odd{"Reshape", {}, {{1, kHuge, -1, 1}}, "of node 'last'"},
        Odd{"Gather", {{"axis", Index{1}}}, {{kHuge}}, "of node 'last'"}}) {
    CAPTURE(odd.op, odd.text);
    OnnxFile net(32, 32);
    std::vector<std::string> inputs{net.conv("c", "image", {4, 3, 3, 3})};
    for (const Extents& numbers : odd.inputs)
      inputs.push_back(net.integers(str("numbers", inputs.size()), numbers));
    net.save(file, net.node(odd.op, "last", inputs, odd.attributes));
    CHECK_THAT(refusal_of(file), Contains(odd.text) && Contains("choose a layer before it") &&
                                     !Contains("damaged") && !Contains("e+"));
  }
  // Slices: backwards, in the widest steps.
  for (const std::vector<Extents>& numbers :
       {std::vector<Extents>{{-1}, {-kHuge}, {3}, {-1}}, {{0}, {5}, {3}, {kHuge}}}) {
    OnnxFile net(32, 32);
    std::vector<std::string> inputs{net.conv("c", "image", {4, 3, 3, 3})};
    for (const Extents& each : numbers)
      inputs.push_back(net.integers(str("numbers", inputs.size()), each));
    net.save(file, net.node("Slice", "last", inputs));
    CHECK(grid_of(file).size() == 4 * 30 * (numbers[0][0] < 0 ? 30 : 1));
  }
  // The axis of images can be sliced, wherever what is left is the one image.
  for (const Extents& range : {Extents{0, 1}, Extents{0, kHuge}, Extents{-1, 7}}) {
    OnnxFile net(32, 32);
    const std::string one = net.node(
        "Slice", "one", {"image"},
        {{"axes", Extents{0}}, {"starts", Extents{range[0]}}, {"ends", Extents{range[1]}}});
    net.save(file, net.conv("last", one, {4, 3, 3, 3}));
    CHECK(grid_of(file).size() == 4 * 30 * 30);
  }
  // Channels that are joined from the end are as many as before.
  OnnxFile net(32, 32);
  const std::string x = net.conv("c", "image", {4, 3, 3, 3});
  const std::string both = net.node("Concat", "both", {x, x}, {{"axis", Index{-3}}});
  net.save(file, net.conv("last", both, {2, 8, 3, 3}));
  CHECK(!grid_of(file).empty());
}

}  // namespace saccade::test
