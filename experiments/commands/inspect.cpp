#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "captioning/learning/runs/checkpoint_summary.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/plain_text.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "experiments/commands/check_files.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/inspect_attention.h"
#include "experiments/commands/inspect_weights.h"
#include "experiments/process/model_places.h"
#include "experiments/process/progress.h"
#include "vision/encoders/onnx/model_bytes.h"
#include "vision/encoders/onnx_layers.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// Prints lines that hold words of a file.
void print_lines(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) std::cout << plain_text(line) << "\n";
}

void print_text(const std::string& path, const LoadedModel& loaded, bool all) {
  const TrainingState& state = loaded.state;
  const GridShape& grid = loaded.model->grid();
  std::ostringstream out;
  out << path << "\n\n"
      << (all ? print_config(loaded.config) : chosen_values(loaded.config)) << "\n";
  const ParameterStore& store = loaded.model->parameters();
  out << to_text(all ? table_of(store) : parts_of(store));
  out << "parameters: " << store.number_count() << " in " << store.infos().size()
      << " arrays\ngrid: " << grid_text(grid)
      << "\nvocabulary: " << loaded.model->vocabulary().size()
      << (loaded.model->vocabulary().has_pieces() ? " pieces of words" : " words") << "\n";
  if (!loaded.published.empty())
    out << "published captioner: " << loaded.published << "\n";
  else
    out << "data: " << loaded.data.name << " (" << loaded.data.digest
        << ")\ntraining: " << state.update << " updates, epoch " << state.epoch + 1
        << (loaded.weights_only ? "" : str(", batch ", state.batch)) << ", "
        << duration_text(state.seconds) << (state.finished ? ", finished" : "") << "\n";
  if (loaded.weights_only && loaded.published.empty())
    out << "for captioning alone"
        << (loaded.config.encoder.network ? ", with the network of the encoder" : "")
        << "; no training goes on from here\n";
  for (const auto& [metric, value] : state.best) out << "best " << metric << ": " << value << "\n";
  if (!all)
    out << "(--all shows every value of the config, the defaults included, and every array)\n";
  print_lines(out.str());
}

// Lists the layers of a network. Any of them can give the grid if its output is
// [1, features, rows, cols].
int list_layers(const std::string& path, Index image_size, bool json) {
  constexpr Index kUsualSide = 224;
  if (image_size == 0) image_size = stated_picture_side(path);
  if (image_size == 0) image_size = kUsualSide;
  Table table{.columns = {{.key = "name"}, {.key = "type"}, {.key = "shape"}}};
  for (const OnnxLayer& layer : list_onnx_layers(path, image_size))
    table.add({layer.name, layer.type, layer.shape});
  table.note =
      str("(the shape of each layer that encoder.type onnx_native can have as its grid at ",
          image_size, " x ", image_size, " pixels; - for others)");
  std::cout << (json ? json_text(
                           {{"schema_version", 1}, {"file", path}, {"layers", rows_json(table)}})
                     : to_text(table));
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_inspect(Options& options) {
  struct Args {
    std::string checkpoint;
    Index image_size = 0;
    bool json = false, all = false;
    InspectAttentionArgs attention{};
  };
  const auto args = std::make_shared<Args>();
  options.argument(
      "checkpoint", args->checkpoint,
      "checkpoint file, directory of a run or name of a model; or an ONNX file, whose layers are "
      "listed; or a file or folder of weights (safetensors, .bin, .pth, several files), of which "
      "it "
      "is said what network they are, with the lines of a config for it, and whose tensors are "
      "listed",
      "CHECKPOINT|ONNX|WEIGHTS");
  options.count(
      "--image-size", args->image_size,
      "with an ONNX file or weights: side of the input picture in pixels, for which the "
      "shapes of the layers, or the grid, are given (default: what the files say, or else "
      "224)",
      1);
  options.flag("--all", args->all,
               "of a checkpoint, show every value of its config, the defaults included, and every "
               "array of parameters");
  options.flag("--json", args->json, "print one JSON object");
  InspectAttentionArgs& attention = args->attention;
  options.flag(
      "--heads", attention.heads,
      "show instead what each attention head of the model does on validation images: where "
      "it puts its weight, whether that depends on what it reads, and which head does the "
      "same");
  options.flag("--gradients", attention.gradients,
               "show instead how the weights of regions go together with the gradients that reach "
               "the regions, as values and as keys, in every layer and head of the decoder, on "
               "validation images");
  options.text("--occlusion", attention.occlusion,
               "show instead how the weights of regions agree with what words lose without each "
               "region, on validation images; what is removed: regions (of the grid) or picture "
               "(cells are painted over before the encoder, which takes longer)",
               "regions|picture");
  options.flag("--patches", attention.patches,
               "show instead the share of a transformer encoder's patches whose vectors are far "
               "longer than those of the others, on validation images");
  options.text(
      "--word", attention.word,
      "show instead the words near this one in the decoder's embedding and, in a decoder of "
      "transformers, before and after each self-attention, in two captions of validation "
      "images that have it",
      "WORD");
  options.repeatable("--caption", attention.captions,
                     "with --word: look at the word in this caption instead; give two to compare "
                     "what becomes of it",
                     "TEXT");
  options.count(
      "--images", attention.images,
      "with --heads, --gradients, --occlusion, --patches or --word: number of validation images "
      "(default: 8)",
      1);
  options.repeatable(
      "--data", attention.data,
      "with these five: change where the data is, such as images=/new/place; or take "
      "the data set of a config, such as mine.yaml",
      "KEY=VALUE|CONFIG");
  options.repeatable("--set", attention.set,
                     "with these five: change a value of the checkpoint's config, such as "
                     "encoder.model=PATH",
                     "KEY=VALUE");
  options.text("--out", attention.out,
               "with --heads or --gradients: also write pictures into this folder: the shares of "
               "all heads and their correlations; the norms of the gradients of every layer and "
               "head, by word and by region",
               "DIR");
  return [args] {
    const std::filesystem::path extension = std::filesystem::path(args->checkpoint).extension();
    const bool of_network = extension == ".onnx",
               of_tensors = !of_network && are_weights(args->checkpoint);
    if (!args->attention.out.empty() && !args->attention.heads && !args->attention.gradients)
      throw UsageError("--out has an effect only together with --heads or --gradients");
    if (!args->attention.captions.empty() && args->attention.word.empty())
      throw UsageError("--caption has an effect only together with --word");
    if (args->attention.any()) {
      if (of_network || of_tensors)
        throw UsageError(
            "--heads, --gradients, --occlusion, --patches and --word are for checkpoints, not for "
            "ONNX files or weights; name the checkpoint of a run");
      args->attention.checkpoint = args->checkpoint;
      args->attention.json = args->json;
      return run_inspect_attention(args->attention);
    }
    if (args->attention.images || !args->attention.data.empty() || !args->attention.set.empty())
      throw UsageError(
          "--images, --data and --set have an effect only together with --heads, --gradients, "
          "--occlusion, --patches or --word");
    if (of_tensors) return inspect_weights(args->checkpoint, args->image_size, args->json);
    if (of_network) return list_layers(args->checkpoint, args->image_size, args->json);
    const std::string path = checkpoint_of(args->checkpoint).string();
    const LoadedModel loaded = load_model(path);
    if (args->json) {
      std::cout << json_text(checkpoint_json(path, loaded));
    } else {
      print_text(path, loaded, args->all);
    }
    return static_cast<int>(ExitCode::kOk);
  };
}

}  // namespace

const Command kInspectCommand = {
    "inspect", "show what a checkpoint, an ONNX file or a safetensors file contains",
    "saccade inspect runs/first/checkpoints/last", bind_inspect};

}  // namespace saccade
