// ONNX files as people have them: weights in other files, operators that are not known, and files
// that were damaged or made to do damage.
#include "core/base/random.h"
#include "tests/support/onnx_file.h"
#include "tests/support/onnx_mutants.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/encoders/onnx_grids.h"
#include "vision/encoders/onnx/model_bytes.h"

namespace saccade {

using Catch::Matchers::Contains;
using test::Extents;
using test::frozen_config;
using test::frozen_network;
using test::grid_of;
using test::OnnxFile;
using test::refusal_of;
using test::TempFolder;

namespace {

namespace fs = std::filesystem;

// A network of most operators, small enough to be changed a thousand times.
void save_mixed(const fs::path& path) {
  const Extents two{2, 2}, three{3, 3}, around{1, 1, 1, 1};
  OnnxFile file(32, 32);
  std::string x = file.conv("c1", "image", {4, 3, 3, 3}, {{"strides", two}, {"pads", around}});
  x = file.node("LeakyRelu", "leaky", {file.batch_norm("n1", x, 4, {0.5, 1.5})}, {{"alpha", 0.2}});
  x = file.node("MaxPool", "max", {x}, {{"kernel_shape", two}, {"strides", two}});
  const std::string deep =
      file.conv("c2", x, {4, 1, 3, 3},
                {{"group", Index{4}}, {"dilations", two}, {"pads", Extents{2, 2, 2, 2}}});
  x = file.node("Concat", "cat", {x, file.node("Add", "add", {x, deep})}, {{"axis", Index{1}}});
  x = file.node("Clip", "clip", {x}, {{"min", 0.0}, {"max", 6.0}});
  x = file.node("AveragePool", "mean", {x}, {{"kernel_shape", three}, {"pads", around}});
  x = file.conv("last", x, {2, 8, 1, 1}, {{"strides", two}});
  file.save(path, x);
}

// A network of operators over arrays: self-attention among 8 x 8 patches, which are then put in
// another order and weighed.
void save_rearranging(const fs::path& path) {
  OnnxFile file(32, 32);
  const Extents swapped{0, 2, 1};
  std::string x = file.conv("c1", "image", {4, 3, 4, 4}, {{"strides", Extents{4, 4}}});
  x = file.node("Reshape", "flat", {x, file.integers("three", {1, 4, 64})});
  x = file.node("Transpose", "tokens", {x}, {{"perm", swapped}});
  const std::string normal =
      file.node("LayerNormalization", "norm",
                {x, file.tensor("gain", {4}, {1, 2}), file.tensor("shift", {4}, {0, 1})},
                {{"axis", Index{-1}}, {"epsilon", 1e-3}});
  const auto product = [&](const std::string& name) {
    return file.node("MatMul", name, {normal, file.tensor(name + "_weight", {4, 4}, {-1, 1})});
  };
  const std::string keys =
      file.node("Add", "keys", {product("k"), file.tensor("bias", {4}, {-1, 1})});
  const std::string scores =
      file.node("MatMul", "scores",
                {product("q"), file.node("Transpose", "kt", {keys}, {{"perm", swapped}})});
  const std::string shares = file.node("Softmax", "shares", {scores}, {{"axis", Index{2}}});
  x = file.node("Add", "residual", {x, file.node("MatMul", "mixed", {shares, normal})});
  const auto half = [&](const std::string& name, Index from) {
    return file.node(
        "Slice", name, {x},
        {{"axes", Extents{1}}, {"starts", Extents{from}}, {"ends", Extents{from + 32}}});
  };
  x = file.node("Concat", "halves", {half("second", 32), half("first", 0)}, {{"axis", Index{1}}});
  x = file.node("Gather", "shuffle", {x, file.integers("order", {1, 0, 3, 2})},
                {{"axis", Index{2}}});
  x = file.node("Reshape", "grid",
                {file.node("Transpose", "back", {x}, {{"perm", swapped}}),
                 file.integers("four", {1, 4, 8, -1})});
  const std::string mean =
      file.node("ReduceMean", "mean", {x}, {{"axes", Extents{2, 3}}, {"keepdims", Index{1}}});
  x = file.node("Mul", "weighed", {x, file.node("HardSigmoid", "gate", {mean})});
  x = file.node("Pad", "pad", {x}, {{"pads", Extents{0, 0, 1, 1, 0, 0, 1, 1}}, {"value", 0.0}});
  file.save(path, file.conv("last", x, {2, 4, 3, 3}, {{"strides", Extents{2, 2}}}));
}

}  // namespace

TEST_CASE("a network is the same with its weights in other files and in a checkpoint") {
  const TempFolder folder("onnx-outside");
  const fs::path whole = folder / "whole.onnx", outside = folder / "outside.onnx";
  test::save_small_onnx(whole);
  const FrozenNetwork network = frozen_network(frozen_config(whole, "last"));
  for (const int inside : {0, 1, 3})
    for (const char* location : {"outside.onnx.data", "weights/a.bin"}) {
      CAPTURE(inside, location);
      fs::copy_file(whole, outside, fs::copy_options::overwrite_existing);
      test::move_weights_outside(outside, location, inside);
      CHECK(grid_of(outside) == grid_of(whole));
      CHECK(list_onnx_layers(outside, 32).size() == list_onnx_layers(whole, 32).size());
      const FrozenNetwork other = frozen_network(frozen_config(outside, "last"));
      CHECK(other.digest() == network.digest());
      EncoderConfig stored = frozen_config(folder / "nowhere.onnx", "last");
      stored.network = std::make_shared<StoredNetwork>(other.stored());
      CHECK(frozen_network(stored).digest() == network.digest());
    }
}

TEST_CASE("a layer to which the image does not lead is refused with the reason") {
  const TempFolder folder("onnx_no_input");
  const fs::path model = folder / "constant.onnx";
  for (const bool other : {false, true}) {
    OnnxFile file(32, 32);
    if (other) file.conv("reads_image", "image", {4, 3, 3, 3});
    const std::string weight = file.tensor("weight", {1, 4, 8, 8}, {});
    file.save(model, file.node("Relu", "last", {weight}));
    CHECK_THAT(refusal_of(model), Contains(model.string()) &&
                                      Contains("no input of the network leads to what is read"));
  }
}

TEST_CASE("weights that are not finite are refused") {
  const TempFolder folder("onnx-nan");
  const fs::path model = folder / "m.onnx";
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, -nan, infinite, -infinite})
    for (const bool outside : {false, true}) {
      CAPTURE(bad, outside);
      OnnxFile file(32, 32);
      const std::string w = file.tensor("w", {4, 3, 3, 3}, {bad, bad});
      file.save(model, file.node("Conv", "last", {"image", w}, {{"kernel_shape", Extents{3, 3}}}));
      if (outside) test::move_weights_outside(model, "m.data");
      CHECK_THAT(refusal_of(model),
                 Contains("node 'last'") && Contains("which has a number that is not finite"));
    }
}

TEST_CASE("weights are read from below the model's folder alone, and from within their file") {
  const TempFolder folder("onnx-outside-bad");
  const fs::path place = folder / "model", model = place / "m.onnx";
  fs::create_directories(place);
  const auto fresh = [&] {
    test::save_small_onnx(model);
    test::move_weights_outside(model, "m.data");
  };
  const auto refused = [&](const std::string& text) {
    for (const std::string& refusal : {refusal_of(model), test::refusal_of_list(model)})
      CHECK_THAT(refusal, Contains(model.string()) && Contains("'first_weight'") && Contains(text));
  };
  fresh();
  fs::copy_file(place / "m.data", folder / "m.data");
  fs::create_symlink(folder / "m.data", place / "link.data");
  fs::create_directory_symlink(folder.path(), place / "up");
  for (const std::string& location : {std::string("../m.data"), (folder / "m.data").string(),
                                      std::string("up/../../m.data"), std::string("/")}) {
    CAPTURE(location);
    test::set_outside(model, "location", location);
    refused("only from the folder of their model");
    fresh();
  }
  test::set_outside(model, "location", "");
  refused("is in another file, and the model does not name it");
  for (const std::string& location : {std::string("m.data\0x", 8), std::string(1, '\0')}) {
    test::set_outside(model, "location", location);
    refused("whose name has a zero byte, '");
    refused("export it again");  // the line goes on behind the zero
  }
  test::set_outside(model, "location", "two\nlines");
  refused("'two?lines', which is not in");
  for (const char* location : {"link.data", "up/m.data"}) {
    test::set_outside(model, "location", location);
    refused("leads out of the model's folder");
    fresh();
  }
  test::set_outside(model, "location", "none.data");
  refused("'none.data', which is not in");
  test::set_outside(model, "location", ".");
  refused("is not a regular file");
  fresh();
  for (const char* offset : {"100000000", "9223372036854775807"}) {
    test::set_outside(model, "offset", offset);
    refused("of 'm.data', which has");
  }
  for (const char* number : {"-4", "99999999999999999999", "x", ""}) {
    test::set_outside(model, "offset", number);
    refused(str("has '", number, "' as its offset in another file, which is no number of bytes"));
  }
  fresh();
  test::set_outside(model, "length", "1e3");
  refused("has '1e3' as its length in another file, which is no number of bytes");
  fresh();
  test::set_outside(model, "length", "4");
  refused("has 4 bytes in 'm.data', and its extents need");
  fresh();
  fs::resize_file(place / "m.data", 100);
  refused("was cut or is of another model");
  std::ofstream(place / "m.data") << "version https://git-lfs.github.com/spec/v1\n";
  refused("Git LFS pointer");
}

TEST_CASE("an operator that is not known is named, and layers before it can be taken") {
  const TempFolder folder("onnx-unknown");
  const fs::path file = folder / "m.onnx";
  OnnxFile net(32, 32);
  const std::string first = net.node("Relu", "relu", {net.conv("c1", "image", {4, 3, 3, 3})});
  net.node("MaxPool", "uneven", {first},
           {{"kernel_shape", Extents{2, 2}}, {"pads", Extents{0, 0, 1, 1}}});
  net.node("Relu", "behind", {net.conv("wide", first, {4, 4, 3, 3}, {{"strides", Extents{1, 2}}})});
  net.save(file, net.node("Relu", "last", {net.node("Softplus", "soft", {first})}));
  CHECK(grid_of(file, "relu").size() == 30 * 30 * 4);
  for (const char* layer : {"soft", "last"})
    CHECK_THAT(refusal_of(file, layer), Contains("operator Softplus of node 'soft'") &&
                                            Contains("; choose a layer before it"));
  CHECK_THAT(refusal_of(file, "uneven"), Contains("node 'uneven'"));
  std::map<std::string, OnnxLayer> layers;
  for (const OnnxLayer& layer : list_onnx_layers(file, 32)) layers[layer.name] = layer;
  CHECK(layers.at("relu").type == "Relu");
  CHECK(layers.at("relu").shape == Extents{1, 4, 30, 30});
  for (const auto& [name, layer] : layers) {
    CAPTURE(name);
    CHECK(layer.shape.empty() == !refusal_of(file, name).empty());
  }
}

TEST_CASE("layers are listed as they can be run, also where they become parts of others") {
  const TempFolder folder("onnx-listed");
  const fs::path file = folder / "m.onnx";
  OnnxFile net(32, 32);
  std::string x = net.conv("c1", "image", {4, 3, 3, 3});
  x = net.node("Mul", "swish", {x, net.node("Sigmoid", "gate", {x})});
  net.save(file, net.node("Softmax", "shares", {net.conv("c2", x, {4, 4, 3, 3})}));
  CHECK(stated_picture_side(file) == 32);
  const std::vector<OnnxLayer> layers = list_onnx_layers(file, stated_picture_side(file));
  CHECK(layers.back().name == "shares_out");
  CHECK(layers.back().type == "output of shares");
  for (const OnnxLayer& layer : layers) {
    CAPTURE(layer.name);
    CHECK(layer.shape.empty() == !refusal_of(file, layer.name).empty());
  }
}

TEST_CASE("whatever number of a graph is wrong, it is refused in one line or runs") {
  const TempFolder folder("onnx-mutants");
  const fs::path valid = folder / "valid.onnx", file = folder / "m.onnx";
  // What a reader says, or "" where it runs.
  const auto said = [](const auto& run) -> std::string {
    try {
      run();
      return "";
    } catch (const Error& error) {
      const ExitCode code = error.code();
      INFO(error.what());
      CHECK((code == ExitCode::kData || code == ExitCode::kUsage));
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
      return error.what();
    }
  };
  for (const bool mixed : {true, false}) {
    mixed ? save_mixed(valid) : save_rearranging(valid);
    REQUIRE(!grid_of(valid).empty());
    std::size_t refused = 0;
    const std::vector<test::OnnxMutant> mutants = test::onnx_mutants(valid);
    CHECK(mutants.size() > 1000);
    for (const test::OnnxMutant& mutant : mutants) {
      INFO(mutant.what);
      folder.write("m.onnx", mutant.bytes);
      if (!said([&] { grid_of(file); }).empty()) ++refused;
      said([&] { list_onnx_layers(file, 32); });
    }
    CHECK(2 * refused > mutants.size());
  }
}

TEST_CASE("a small graph cannot ask for more memory or work than an image may take") {
  const TempFolder folder("onnx-costs");
  const fs::path file = folder / "m.onnx";
  const auto refused = [&](OnnxFile& net, const std::string& end) {
    net.save(file, net.node("Relu", "last", {end}));
    CAPTURE(end);
    CHECK_THAT(refusal_of(file), Contains("node '"));
  };
  for (const Index axis : {1, 2}) {  // a chain that doubles the channels, or the rows
    OnnxFile net(32, 32);
    std::string x = net.conv("c1", "image", {4, 3, 3, 3});
    for (int i = 0; i < 60; ++i) x = net.node("Concat", str("cat", i), {x, x}, {{"axis", axis}});
    refused(net, x);
  }
  {
    OnnxFile net(32, 32);  // padding that makes images larger and larger
    std::string x = net.conv("c1", "image", {4, 3, 3, 3});
    for (int i = 0; i < 40; ++i)
      x = net.conv(str("c", i + 2), x, {4, 4, 3, 3}, {{"pads", Extents{4096, 4096, 4096, 4096}}});
    refused(net, x);
  }
  {
    OnnxFile net(32, 32);  // strides that multiply up to a single cell
    std::string x = net.conv("c1", "image", {4, 3, 3, 3});
    for (int i = 0; i < 9; ++i)
      x = net.node("MaxPool", str("p", i), {x},
                   {{"kernel_shape", Extents{64, 64}},
                    {"strides", Extents{4096, 4096}},
                    {"pads", Extents{63, 63, 63, 63}}});
    net.save(file, net.node("Relu", "last", {x}));
    CHECK(grid_of(file).size() == 4);
  }
  {
    OnnxFile net(32, 32);  // more nodes than any network has
    std::string x = net.conv("c1", "image", {4, 3, 3, 3});
    for (int i = 0; i < 20'000; ++i) x = net.node("Relu", str("r", i), {x});
    net.save(file, x);
    for (const std::string& refusal : {refusal_of(file, x), test::refusal_of_list(file)})
      CHECK_THAT(refusal, Contains("has 20001 nodes, more than the 20000 that"));
  }
}

}  // namespace saccade
