// Networks as hubs publish them against what the packages compute: hub/, which make_hub.py wrote,
// and, where the environment variable SACCADE_HUB names another folder of that form, those in it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <regex>

#include "core/io/tensor_files.h"
#include "tests/golden/golden.h"
#include "tests/golden/golden_module.h"
#include "tests/support/further_goldens.h"
#include "tests/support/npz.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/published_preprocessing.h"
#include "vision/images/geometry.h"

using namespace saccade;
namespace fs = std::filesystem;

namespace {

using Arrays = std::map<std::string, test::NumpyArray>;
constexpr double kTolerance = 1e-4;

// The folders of networks in a folder that has hub/ and inputs.npz.
std::vector<fs::path> networks_in(const fs::path& root) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root / "hub"))
    if (entry.is_directory()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  REQUIRE_FALSE(found.empty());
  return found;
}

// Those of this repository, and those that SACCADE_HUB names.
std::vector<fs::path> golden_roots() {
  std::vector<fs::path> roots{SACCADE_HUB_FOLDER};
  if (const auto other = test::further_goldens("SACCADE_HUB")) roots.push_back(*other);
  return roots;
}

// [1, 3, H, W] as [1, H, W, 3].
Tensor channels_last(const test::NumpyArray& array) {
  const Index rows = array.shape[2], cols = array.shape[3];
  Tensor out({1, rows, cols, 3});
  for (Index i = 0; i < out.size(); ++i)
    out[i] = array.values[static_cast<std::size_t>(i % 3 * rows * cols + i / 3)];
  return out;
}

EncoderConfig config_of(const fs::path& folder, const test::NumpyArray& pixels,
                        const std::string& layer) {
  EncoderConfig config;
  config.type = "hub";
  config.weights = folder.string();
  config.layer = layer;
  config.image_size = pixels.shape[2];
  config.image_width = pixels.shape[3];
  if (folder.filename().string().starts_with("torchvision-vit")) config.heads = 2;
  return config;
}

struct Network {
  explicit Network(const EncoderConfig& config)
      : encoder(make_encoder(config, ParamScope(parameters, "encoder"))) {
    parameters.initialise(1);
    if (!config.weights.empty()) {
      const TorchWeightReport report = load_encoder_weights(config, *encoder, parameters);
      CHECK(report.loaded == parameters.count());
    }
  }
  ParameterStore parameters;
  std::unique_ptr<Encoder> encoder;
};

double difference(const test::NumpyArray& expected, std::span<const Real> got) {
  return test::golden_difference(expected.values, got, test::largest(expected.values));
}

double grid_difference(const EncoderConfig& config, const test::NumpyArray& pixels,
                       const test::NumpyArray& grid) {
  const Network network(config);
  const Tensor input = channels_last(pixels);
  test::TestTape tape(network.parameters.views());
  tape.set_recording(false);
  const Var features = network.encoder->forward(tape, tape.constant(input.view()));
  CHECK(network.encoder->grid().rows == grid.shape[0]);
  CHECK(network.encoder->grid().cols == grid.shape[1]);
  return difference(grid, features.value().span());
}

// What transformers 5 calls a parameter in memory, by the name that it writes.
std::string written_name(std::string name, const std::string& network) {
  const bool swin = network == "hf-swin";
  const bool vit = network.starts_with("hf-vit") || network.starts_with("hf-deit");
  if (!swin && !vit && !network.starts_with("hf-dinov2")) return name;
  const auto replace = [&](const char* from, const std::string& to) {
    name = std::regex_replace(name, std::regex(from), to);
  };
  const std::string attention = swin ? ".attention.self." : ".attention.attention.";
  replace("\\.attention\\.q_proj", attention + "query");
  replace("\\.attention\\.k_proj", attention + "key");
  replace("\\.attention\\.v_proj", attention + "value");
  replace("\\.attention\\.o_proj", ".attention.output.dense");
  replace("\\.attention\\.relative_position_bias\\.", ".attention.self.");
  replace("mlp\\.(gate|up)_proj", "mlp.weights_in");
  replace("mlp\\.down_proj", "mlp.weights_out");
  if (!swin && !vit) return name;
  replace("\\.mlp\\.fc1", ".intermediate.dense");
  replace("\\.mlp\\.fc2", ".output.dense");
  if (!swin) replace("(^|\\.)layers\\.", "$1encoder.layer.");
  return name;
}

// Steps along the gradients of the last stage alone, as in fine-tuning it, lower sum(grid r).
void check_tuning(const EncoderConfig& config, const Tensor& input, const Tensor& r,
                  const ParameterStore& gradients) {
  Network network(config);
  const EncoderStage last = network.encoder->stages().back();
  const auto sum_now = [&] {
    test::TestTape tape(network.parameters.views());
    tape.set_recording(false);
    const ConstView grid = network.encoder->forward(tape, tape.constant(input.view())).value();
    double sum = 0;
    for (Index i = 0; i < grid.size(); ++i) sum += double{grid[i]} * r[i];
    return sum;
  };
  const double before = sum_now();
  double size = 0, slope = 0;
  std::vector<int> tuned;
  for (std::size_t p = 0; p < network.parameters.count(); ++p)
    for (const std::string& prefix : last.prefixes)
      if (network.parameters.info(static_cast<int>(p)).name.starts_with("encoder." + prefix + "."))
        tuned.push_back(static_cast<int>(p));
  for (const int p : tuned)
    for (Index i = 0; i < network.parameters.value(p).size(); ++i) {
      size += std::pow(double{network.parameters.value(p)[i]}, 2);
      slope += std::pow(double{gradients.value(p)[i]}, 2);
    }
  REQUIRE(slope > 0);
  for (const int p : tuned)
    for (Index i = 0; i < network.parameters.value(p).size(); ++i)
      network.parameters.value(p)[i] -=
          static_cast<Real>(1e-3 * std::sqrt(size / slope)) * gradients.value(p)[i];
  CHECK(sum_now() < before);
}

// The gradients of sum(grid cotangent), compared with those in the file.
void check_gradients(const EncoderConfig& config, const Arrays& inputs, const Arrays& expected,
                     bool conv, const test::TempFolder& folder) {
  Network network(config);
  const Tensor input = channels_last(inputs.at(conv ? "pixels_conv" : "pixels"));
  test::TestTape tape(network.parameters.views());
  const Var pixels = tape.variable(input.view());
  const Var features = network.encoder->forward(tape, pixels);
  Tensor cotangent(features.shape());
  const std::vector<float>& r = expected.at("cotangent").values;
  REQUIRE(static_cast<std::size_t>(cotangent.size()) == r.size());
  std::copy(r.begin(), r.end(), cotangent.data());
  tape.backward(std::vector{features}, std::vector<ConstView>{cotangent.view()});

  const ConstView dx = tape.grad(pixels);
  const Index rows = input.shape()[1], cols = input.shape()[2], step = conv ? 3 : 1;
  std::vector<Real> seen;
  for (Index c = 0; c < 3; ++c)
    for (Index y = 0; y < rows; y += step)
      for (Index x = 0; x < cols; x += step) seen.push_back(dx[(y * cols + x) * 3 + c]);
  CHECK(difference(expected.at(conv ? "grad_pixels_every_third" : "grad_pixels"), seen) <=
        kTolerance);

  const std::vector<Real> flat = test::parameter_gradients(tape, network.parameters);
  std::copy(flat.begin(), flat.end(), network.parameters.flat().data());
  check_tuning(config, input, cotangent, network.parameters);
  save_torch_weights(folder / "gradients.safetensors", pretrained(*network.encoder, "encoder"),
                     network.parameters);
  const SafetensorsFile written(folder / "gradients.safetensors");
  const HubTensors tensors(open_tensors(config.weights));
  // The rows of which of our tensors a tensor of the file is.
  const std::unique_ptr<TensorFile> file = open_tensors(config.weights);
  struct Place {
    std::string name;
    std::size_t first = 0;
  };
  std::map<std::string, Place> places;
  for (const SafetensorsEntry& entry : tensors.entries()) {
    std::size_t first = 0;
    for (const std::string& name : tensors.originals(entry.name)) {
      places[name] = {entry.name, first};
      first += static_cast<std::size_t>(file->find(name)->count());
    }
  }
  double largest = 0;
  for (const auto& [name, array] : expected)
    if (name.starts_with("grad/")) largest = std::max(largest, test::largest(array.values));
  std::size_t compared = 0;
  for (const auto& [name, array] : expected) {
    if (!name.starts_with("grad/")) continue;
    const std::string own = written_name(name.substr(5), fs::path(config.weights).filename());
    INFO(own);
    REQUIRE(places.contains(own));
    const Place& place = places.at(own);
    REQUIRE(written.find(place.name));
    const std::vector<float> all = written.floats(*written.find(place.name));
    const std::size_t first =
        place.first + (name.find("up_proj") != std::string::npos ? array.values.size() : 0);
    REQUIRE(first + array.values.size() <= all.size());
    // Some gradients are nothing but rounding: that of the keys' bias is 0.
    const double scale = std::max(test::largest(array.values), 1e-2 * largest);
    CHECK(test::golden_difference(array.values, std::span(all).subspan(first, array.values.size()),
                                  scale) <= kTolerance);
    ++compared;
  }
  CHECK((compared > 0 || config.weights.find("efficientnet") != std::string::npos));
}

}  // namespace

TEST_CASE("published networks compute what their packages do, forward and backward") {
  const test::TempFolder folder("golden-hub");
  for (const fs::path& root : golden_roots()) {
    const Arrays inputs = test::read_npz((root / "inputs.npz").string());
    for (const fs::path& network : networks_in(root)) {
      INFO(network.string());
      const Arrays expected = test::read_npz((network / "expected.npz").string());
      const bool conv = expected.contains("grad_pixels_every_third");
      const test::NumpyArray& pixels = inputs.at(conv ? "pixels_conv" : "pixels");
      // CLIP's grid of transformers and OpenCLIP is that of the last block, before its
      // normalisation.
      const std::string layer = expected.contains("grid_post_norm") ? "block2" : "";
      CHECK(grid_difference(config_of(network, pixels, layer), pixels, expected.at("grid")) <=
            kTolerance);
      if (expected.contains("grid_post_norm"))
        CHECK(grid_difference(config_of(network, pixels, ""), pixels,
                              expected.at("grid_post_norm")) <= kTolerance);
      if (expected.contains("grid_wide")) {
        const test::NumpyArray& wide = inputs.at(conv ? "pixels_conv_wide" : "pixels_wide");
        CHECK(grid_difference(config_of(network, wide, layer), wide, expected.at("grid_wide")) <=
              kTolerance);
      }
      check_gradients(config_of(network, pixels, layer), inputs, expected, conv, folder);
    }
  }
}

TEST_CASE("a published network is made again from its text, without the folder") {
  for (const fs::path& network : networks_in(SACCADE_HUB_FOLDER)) {
    INFO(network.string());
    const Arrays inputs = test::read_npz(SACCADE_HUB_FOLDER "/inputs.npz");
    const Arrays expected = test::read_npz((network / "expected.npz").string());
    const bool conv = expected.contains("grad_pixels_every_third");
    EncoderConfig config = config_of(network, inputs.at(conv ? "pixels_conv" : "pixels"), "");
    const Network first(config);
    const EncoderTraits traits = encoder_traits(config);
    config.graph = first.encoder->graph();
    config.weights.clear();
    const Network second(config);
    CHECK(second.encoder->graph() == config.graph);
    REQUIRE(second.parameters.count() == first.parameters.count());
    for (std::size_t p = 0; p < first.parameters.count(); ++p) {
      const ParameterInfo &a = first.parameters.info(static_cast<int>(p)),
                          &b = second.parameters.info(static_cast<int>(p));
      CHECK((a.name == b.name && a.shape == b.shape));
    }
    CHECK(traits.has_tokens == (first.encoder->token_encoder() != nullptr));
    CHECK(encoder_traits(config).has_tokens == traits.has_tokens);
    CHECK(encoder_traits(config).can_have_class_token() == traits.can_have_class_token());
    // Every parameter but the last normalisation of a transformer lies in a stage.
    for (const ParameterInfo& info : first.parameters.infos()) {
      bool staged = false;
      for (const EncoderStage& stage : first.encoder->stages())
        for (const std::string& prefix : stage.prefixes)
          staged = staged || info.name.starts_with("encoder." + prefix + ".");
      INFO(info.name);
      CHECK((staged || info.name.find("norm.") != std::string::npos));
    }
  }
}

TEST_CASE("pictures are prepared as the files beside weights say, within one level of PIL") {
  for (const fs::path& root : golden_roots())
    for (const auto& entry : fs::directory_iterator(root / "preprocess")) {
      if (!entry.is_directory()) continue;
      INFO(entry.path().string());
      const auto published = published_pixels(entry.path());
      if (!published) continue;  // settings that are no file of a hub
      REQUIRE((published->resize && published->interpolation));
      const Arrays expected = test::read_npz((entry.path() / "expected.npz").string());
      for (const std::string photo : {"photo", "tall"}) {
        const std::string name =
            expected.contains(photo + "_levels") ? photo + "_levels" : photo + "_pil_levels";
        const test::NumpyArray& levels = expected.at(name);
        const Image made = prepare(read_image(root / (photo + ".png")),
                                   {.height = published->height,
                                    .width = published->width,
                                    .mode = *published->resize,
                                    .interpolation = *published->interpolation,
                                    .side = published->resize_side})
                               .image;
        REQUIRE(levels.shape == std::vector<Index>{made.height, made.width, 3});
        double most = 0;
        for (std::size_t i = 0; i < levels.values.size(); ++i)
          most =
              std::max(most, std::abs(double{levels.values[i]} - static_cast<double>(made.rgb[i])));
        CHECK(most <= 1);
      }
    }
}

TEST_CASE(
    "a tensor inside a published network that the network has not is refused, strict or not") {
  const test::TempFolder folder("hub-foreign");
  // The head of the classifier gets another name in the file.
  for (const auto& [network, name] : std::map<std::string, std::string>{
           {"hf-vit", "vit.encoder.layer.0.attention.q_norm.weight"},
           {"hf-convnextv2", "convnextv2.encoder.stages.0.layers.0.gamma"},
           {"hf-swin", "swin.encoder.layers.0.blocks.0.extra.weight"}})
    for (const bool renamed : {false, true}) {
      INFO(network);
      const fs::path to = folder / "copy";
      fs::remove_all(to);
      fs::copy(fs::path(SACCADE_HUB_FOLDER "/hub") / network, to);
      if (renamed) {
        std::ifstream in(to / "model.safetensors", std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(in), {}};
        std::uint64_t header = 0;
        std::memcpy(&header, bytes.data(), sizeof header);
        const std::string before = "\"classifier.bias\"", after = "\"" + name + "\"";
        bytes.replace(bytes.find(before), before.size(), after);
        header += after.size() - before.size();
        std::memcpy(bytes.data(), &header, sizeof header);
        fs::remove(to / "model.safetensors");
        std::ofstream(to / "model.safetensors", std::ios::binary) << bytes;
      }
      EncoderConfig config;
      config.type = "hub";
      config.weights = to.string();
      config.image_size = 64;
      config.weights_strict = false;
      const std::string message = test::message_of<Error>([&] { Network{config}; });
      if (renamed)
        CHECK_THAT(message, Catch::Contains("computes something else"));
      else
        CHECK(message.empty());
    }
}

TEST_CASE("what tensors do not tell is asked for by its key, and unknown networks are refused") {
  const test::TempFolder folder("hub-refused");
  const auto copy = [&](const char* network, const char* without) {
    const fs::path to = folder / "copy";
    fs::remove_all(to);
    fs::copy(fs::path(SACCADE_HUB_FOLDER "/hub") / network, to);
    if (*without != 0) fs::remove(to / without);
    EncoderConfig config;
    config.type = "hub";
    config.weights = to.string();
    config.image_size = 64;
    return config;
  };
  const auto says = [](const EncoderConfig& config) {
    return test::message_of<Error>([&] { Network{config}; });
  };
  CHECK_THAT(says(copy("hf-vit", "config.json")), Catch::Contains("set encoder.heads"));
  CHECK_THAT(says(copy("hf-efficientnet", "config.json")), Catch::Contains("strides"));
  CHECK_THAT(says(copy("timm-mobilenetv3", "config.json")), Catch::Contains("\"architecture\""));
  EncoderConfig clip = copy("hf-clip", "config.json");
  clip.heads = 2;
  CHECK_THAT(says(clip), Catch::Contains("set encoder.activation"));
  clip.activation = HubActivation::kQuickGelu;
  CHECK(says(clip).empty());
  EncoderConfig other = copy("hf-clip", "");
  other.heads = 4;
  CHECK_THAT(says(other), Catch::Contains("encoder.heads is 4") && Catch::Contains("says 2"));
  other.heads = 2;
  CHECK(says(other).empty());
  other.activation = HubActivation::kTanhGelu;
  CHECK_THAT(says(other), Catch::Contains("encoder.activation is gelu_tanh"));
  EncoderConfig unsaid = copy("torchvision-vit", "");
  unsaid.heads = 5;
  CHECK_THAT(says(unsaid), Catch::Contains("encoder.heads 5 does not divide"));
  EncoderConfig uneven = copy("hf-vit", "");
  uneven.image_size = 30;
  CHECK_THAT(says(uneven), Catch::Contains("multiples of 4"));
  for (const char* text : {"{", "[]", R"({"num_attention_heads": "two"})",
                           R"({"num_attention_heads": 2, "hidden_act": "relu"})"}) {
    const EncoderConfig config = copy("hf-vit", "");
    std::ofstream(folder / "copy" / "config.json") << text;
    CHECK_THAT(says(config), Catch::Contains("config.json"));
  }
  const EncoderConfig part = copy("hf-vit", "");
  std::ofstream(folder / "copy" / "config.json")
      << R"({"num_attention_heads": 2, "num_hidden_layers": 5})";
  CHECK_THAT(says(part), Catch::Contains("num_hidden_layers is 5") && Catch::Contains("2 blocks"));
  // A tensor more within the network, one less, and names of nobody.
  const auto changed = [&](const char* network, auto change) {
    const EncoderConfig config = copy(network, "");
    const auto file = open_tensors(config.weights);
    std::vector<std::vector<float>> values;
    std::vector<SafetensorsArray> arrays;
    for (const SafetensorsEntry& entry : file->entries()) {
      std::string name = entry.name;
      if (entry.type != "F32" || !change(name)) continue;
      values.push_back(file->floats(entry));
      arrays.push_back({name, "F32", entry.shape, {}});
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      arrays[i].bytes = std::as_bytes(std::span(values[i]));
    save_safetensors(config.weights + "/model.safetensors", arrays);
    return says(config);
  };
  CHECK_THAT(changed("timm-vit",
                     [](std::string& name) {
                       if (name == "head.weight") name = "blocks.0.attn.q_norm.weight";
                       return true;
                     }),
             Catch::Contains("q_norm"));
  CHECK_THAT(
      changed("timm-vit", [](const std::string& name) { return name != "blocks.1.mlp.fc2.bias"; }),
      Catch::Contains("missing"));
  CHECK_THAT(changed("timm-vit",
                     [](std::string& name) {
                       name = "x." + name.substr(1);
                       return true;
                     }),
             Catch::Contains("of no network that encoder.type hub knows"));
  // A description of unknown origin does no harm.
  EncoderConfig config = copy("hf-swin", "");
  config.image_size = 32;
  const std::string good = Network(config).encoder->graph();
  config.weights.clear();
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const char with : {'0', '9', '-', '"'}) {
      config.graph = good;
      config.graph[at] = with;
      try {
        ParameterStore store;
        make_encoder(config, ParamScope(store, "encoder"));
      } catch (const Error&) {
      }
    }
}
