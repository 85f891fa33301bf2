#include "vision/encoders/onnx_encoder.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "vision/encoders/backbones/onnx_network.h"
#include "vision/encoders/grid_fusion.h"
#include "vision/encoders/onnx/dilate_model.h"
#include "vision/encoders/onnx/store_onnx.h"
#include "vision/encoders/opencv_network.h"

namespace saccade {

namespace {

// The model before anything is dilated.
std::vector<std::uint8_t> model_of(const OnnxEncoderOptions& options) {
  return options.stored ? onnx_of(*options.stored, options.model.string())
                        : read_model_bytes(options.model);
}

std::string find_layer(const OpencvNetwork& net, const OnnxEncoderOptions& options,
                       const std::string& layer) {
  std::vector<std::string> names;
  // Outputs of the model come last and may share the name of a node: the output is then meant.
  for (std::string& name : net.layer_names()) names.insert(names.begin(), std::move(name));
  for (const std::string& name : names)
    if (name == layer) return name;
  std::vector<std::string> known;
  for (const std::string& name : names) {
    if (short_name(name) == layer) return name;
    known.push_back(short_name(name));
  }
  throw DataError(str(options.model.string(), ": no layer '", layer, "'",
                      did_you_mean(layer, known), "; list the layers with: saccade inspect ",
                      options.model.string()));
}

std::string text_of(const std::vector<Index>& shape) {
  std::string text = "[";
  for (const Index extent : shape) text += str(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

// [1, features, rows, cols] or [1, features] -> [1, rows, cols, features].
Var channels_last(Tape& tape, const LayerOutput& output) {
  const std::vector<Index>& shape = output.shape;
  const Index features = shape[1], rows = shape.size() == 4 ? shape[2] : 1,
              cols = shape.size() == 4 ? shape[3] : 1, cells = rows * cols;
  const float* planes = output.numbers.get();
  const View grid{tape.scratch(cells * features), {1, rows, cols, features}};
  for (Index l = 0; l < cells; ++l)
    for (Index d = 0; d < features; ++d)
      grid.data[l * features + d] = static_cast<Real>(planes[d * cells + l]);
  return tape.constant(grid);
}

void add_numbers(Digest& digest, std::span<const float> numbers) {
  digest.add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace

void require_layer(const EncoderConfig& config) {
  const std::vector<std::string> layers = config.grid_layers();
  const bool unnamed = std::find(layers.begin(), layers.end(), "") != layers.end();
  const bool lacks_file = config.model.empty() && !config.network;
  if (lacks_file || unnamed)
    throw UsageError(str("encoder.type ", config.type, " needs encoder.",
                         lacks_file              ? "model"
                         : config.layers.empty() ? "layer"
                                                 : "layers that all have a name",
                         "; set it in the config"));
}

struct OnnxEncoder::Impl {
  OnnxEncoderOptions options;
  std::vector<std::uint8_t> model;  // what leads to the layers, checked
  std::vector<std::string> named;   // the layers as the options name them
  std::vector<std::string> layers;  // the same layers as OpenCV names them
  std::optional<GridFusion> fusion;
  GridShape grid;
  Digest identity;
  std::string digest;
  std::string content;  // as the digest, but equal wherever the network comes from
  // As many are made as threads encode at the same time.
  std::mutex mutex;
  std::vector<OpencvNetwork> idle;

  OpencvNetwork take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        OpencvNetwork net = std::move(idle.back());
        idle.pop_back();
        return net;
      }
    }
    std::optional<OpencvNetwork> net = OpencvNetwork::import(model);
    SACCADE_ASSERT(net, options.model.string(), ": cannot be read any more");
    return std::move(*net);
  }

  void give(OpencvNetwork net) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(net));
  }

  Index height() const { return options.image_size; }
  Index width() const { return options.image_width == 0 ? height() : options.image_width; }

  // The outputs of all wanted layers.
  std::vector<LayerOutput> forward(OpencvNetwork& net, const Image& image) const {
    return net.forward(image, options.normalization, layers);
  }

  [[noreturn]] void refuse_size() const;
  GridShape extents_of(const LayerOutput& output, const std::string& layer) const;
  void load(const std::vector<std::uint8_t>& whole);
  void find_grid();
  void make_digest();
};

// Takes what leads to the layers out of the whole model. Only what has passed our checks reaches
// OpenCV.
void OnnxEncoder::Impl::load(const std::vector<std::uint8_t>& whole) {
  const std::string file = options.model.string();
  const ModelParts parts(whole, file, named);
  model = parts.bytes();
  std::optional<OpencvNetwork> net = OpencvNetwork::import(model);
  if (!net) {
    const ModelNode& node = parts.nodes()[first_failing(
        parts, std::vector<bool>(parts.nodes().size(), true), read_by_opencv)];
    throw DataError(str(file, ": operator ", node.type, " of node '", node.name,
                        "' is of a form that OpenCV ", opencv_version(),
                        " cannot run; choose a layer before it"));
  }
  for (const std::string& layer : named) layers.push_back(find_layer(*net, options, layer));
  if (!net->layer_shapes(file, height(), width())) refuse_size();
  give(std::move(*net));
}

void OnnxEncoder::Impl::refuse_size() const {
  throw DataError(str(options.model.string(), ": cannot be run on ", height(), "x", width(),
                      " images up to layer '", named.back(),
                      "'; check image_size against the model"));
}

GridShape OnnxEncoder::Impl::extents_of(const LayerOutput& output, const std::string& layer) const {
  const std::vector<Index>& shape = output.shape;
  const bool is_grid = shape.size() == 4 && shape[0] == 1;
  const bool is_vector = shape.size() == 2 && shape[0] == 1;  // counts as a grid of one region
  if (!output.numbers || !(is_grid || is_vector))
    throw DataError(str(options.model.string(), ": layer '", layer, "' gives ", text_of(shape),
                        ", not a grid [1, features, rows, cols]; choose another "
                        "from: saccade inspect ",
                        options.model.string()));
  return is_grid ? GridShape{{.rows = shape[2], .cols = shape[3]}, shape[1]}
                 : GridShape{{.rows = 1, .cols = 1}, shape[1]};
}

void OnnxEncoder::Impl::find_grid() {
  OpencvNetwork net = take();
  std::vector<LayerOutput> outputs;
  try {
    outputs = forward(net, Image(height(), width()));
  } catch (const OpencvFailure&) {
    refuse_size();
  }
  std::vector<GridShape> extents;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    extents.push_back(extents_of(outputs[i], named[i]));
  fusion.emplace(std::move(extents), named, options.norm);
  grid = fusion->grid();
  give(std::move(net));
}

void OnnxEncoder::Impl::make_digest() {
  const auto finish = [&](Digest& all) {
    all.add(layers[0]);
    const std::string size = width() == height() ? str(height()) : str(height(), "x", width());
    all.add(str("size ", size, " resize ", enum_name(options.resize)));
    add_numbers(all, options.normalization.mean);
    add_numbers(all, options.normalization.scale);
    // Options enter the digest only where they differ from their defaults, so that older digests
    // stay valid. The bytes of the model are those after dilation.
    for (std::size_t i = 1; i < layers.size(); ++i) all.add(str("and ", layers[i]));
    if (options.norm != FeatureNorm::kNone) all.add(str("normalize ", enum_name(options.norm)));
    if (options.side > 0) all.add(str("side ", options.side));
    if (options.interpolation != Interpolation::kArea)
      all.add(str("interpolation ", enum_name(options.interpolation)));
    return all.hex();
  };
  digest = finish(identity);
  Digest same;
  same.add(content);
  if (options.last_stage == LastStage::kDilated) same.add("dilate");
  content = finish(same);
}

OnnxEncoder::OnnxEncoder(const OnnxEncoderOptions& options) : impl_(std::make_unique<Impl>()) {
  if (options.image_size < 1 || options.image_size > 4096 || options.image_width < 0 ||
      options.image_width > 4096)
    throw UsageError(
        str("encoder.image_size must be between 1 and 4096 and image_width at most 4096; got ",
            options.image_size, " and ", options.image_width));
  impl_->options = options;
  impl_->named = options.layers.empty() ? std::vector{options.layer} : options.layers;
  std::vector<std::uint8_t> model = model_of(options);
  impl_->content = content_digest(model, options.model.string(), impl_->named);
  if (options.last_stage == LastStage::kDilated)
    model = dilate_last_stage(model, options.model.string(), impl_->named);
  if (options.stored) {
    // Not the bytes that are made of it, which another version of protobuf might write differently.
    impl_->identity.add("stored " + options.stored->definition);
    add_numbers(impl_->identity, options.stored->weights);
    add_numbers(impl_->identity, options.stored->vectors);
    if (options.last_stage == LastStage::kDilated) impl_->identity.add("dilate");
  } else {
    impl_->identity.add({reinterpret_cast<const char*>(model.data()), model.size()});
  }
  impl_->load(model);
  impl_->find_grid();
  impl_->make_digest();
}

OnnxEncoder::~OnnxEncoder() = default;

GridShape OnnxEncoder::grid() const { return impl_->grid; }

PrepareOptions OnnxEncoder::preparation() const {
  return {.height = impl_->height(),
          .width = impl_->width(),
          .mode = impl_->options.resize,
          .padding = padding_of(impl_->options.normalization),
          .interpolation = impl_->options.interpolation,
          .side = impl_->options.side};
}

ReceptiveField OnnxEncoder::receptive_field() const {
  const OnnxEncoderOptions& options = impl_->options;
  const PrepareOptions input = preparation();
  try {
    // Without weights: the receptive field depends only on the windows.
    ParameterStore parameters;
    OnnxGraph graph =
        read_onnx(model_of(options), options.model.string(), impl_->named, options.last_stage)
            .graph;
    graph.steps.resize(static_cast<std::size_t>(graph.outputs[impl_->fusion->finest()]));
    graph.outputs.clear();
    const OnnxNetwork network({std::move(graph), {}},
                              {.height = input.height, .width = input.width},
                              ParamScope(parameters, ""));
    return network.receptive_field();
  } catch (const DataError& error) {
    throw UsageError(str("the windows of the network are not known: ", error.what()));
  }
}

std::string OnnxEncoder::digest() const { return impl_->digest; }

StoredNetwork OnnxEncoder::stored() const {
  const OnnxEncoderOptions& options = impl_->options;
  return store_onnx(model_of(options), options.model.string(), impl_->named);
}

std::string OnnxEncoder::cache_digest() const { return impl_->content; }

void OnnxEncoder::encode(const Image& network_image, const PictureArea& area,
                         std::span<float> out) const {
  const Index height = impl_->height(), width = impl_->width();
  const GridShape& grid = impl_->grid;
  SACCADE_CHECK(network_image.height == height && network_image.width == width,
                "[onnx] takes images of ", height, "x", width, "; got ", network_image.height, "x",
                network_image.width);
  SACCADE_CHECK(static_cast<Index>(out.size()) == grid.size(), "[onnx] output needs ", grid.size(),
                " numbers; got ", out.size());
  OpencvNetwork net = impl_->take();
  std::vector<LayerOutput> outputs;
  try {
    outputs = impl_->forward(net, network_image);
  } catch (const OpencvFailure& error) {
    throw InternalError(str("onnx: ", impl_->options.model.string(), ": ", error.what()));
  }
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  std::vector<Var> layers;
  for (const LayerOutput& output : outputs) layers.push_back(channels_last(tape, output));
  const Var features = (*impl_->fusion)(tape, layers, {&area, 1});
  const std::span<const Real> numbers = features.value().span();
  std::copy(numbers.begin(), numbers.end(), out.begin());
  impl_->give(std::move(net));
}

}  // namespace saccade
