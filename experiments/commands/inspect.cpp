#include "experiments/commands/inspect.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "captioning/training/checkpoint_content.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/io/checkpoint.h"
#include "core/io/safetensors.h"
#include "experiments/commands/inspect_attention.h"
#include "experiments/plain_text.h"
#include "experiments/progress.h"
#include "experiments/run_directory.h"
#include "vision/encoders/onnx_encoder.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// Of the names, shapes and bits of all number arrays below a prefix.
std::string numbers_digest(const Archive& archive, const std::string& prefix) {
  Digest digest;
  for (const auto& [name, entry] : archive.entries()) {
    if (!name.starts_with(prefix)) continue;
    digest.add(name);
    digest.add(Archive::describe(entry));
    const auto add = [&](const auto& values) {
      digest.add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    };
    if (const auto* floats = std::get_if<NumberArray<float>>(&entry)) add(floats->values());
    if (const auto* doubles = std::get_if<NumberArray<double>>(&entry)) add(doubles->values());
    if (const auto* ints = std::get_if<NumberArray<std::int64_t>>(&entry)) add(ints->values());
  }
  return digest.hex();
}

struct Row {
  std::string name, shape;
  Index numbers = 0;
};

std::vector<Row> parameter_rows(const ParameterStore& store) {
  std::vector<Row> rows;
  for (const ParameterInfo& info : store.infos())
    rows.push_back({info.name, str(info.shape), info.shape.size()});
  return rows;
}

Json inspect_json(const std::string& path, const LoadedModel& loaded, const Archive& archive) {
  const TrainingState& state = loaded.state;
  const GridShape& grid = loaded.model->grid();
  Json parameters = Json::array();
  for (const ParameterInfo& info : loaded.model->parameters().infos()) {
    Json shape = Json::array();
    for (int a = 0; a < info.shape.rank(); ++a) shape.push_back(info.shape[a]);
    parameters.push_back({{"name", info.name}, {"shape", shape}, {"numbers", info.shape.size()}});
  }
  return {
      {"schema_version", 1},
      {"checkpoint", path},
      {"content_digest", archive_digest(path)},
      {"parameters_digest", numbers_digest(archive, "parameters/")},
      {"optimizer_digest", numbers_digest(archive, "optimizer/")},
      {"dataset", {{"name", loaded.data.name}, {"digest", loaded.data.digest}}},
      {"vocabulary_size", loaded.model->vocabulary().size()},
      {"grid", {{"rows", grid.rows}, {"cols", grid.cols}, {"features", grid.features}}},
      {"state",
       {{"update", state.update},
        {"epoch", state.epoch},
        {"batch", state.batch},
        {"seconds", state.seconds},
        {"finished", state.finished},
        {"validations_without_gain", state.validations_without_gain},
        {"reward_baseline", state.baseline.all.started ? Json(state.baseline.all.value) : Json()},
        {"best", state.best}}},
      {"parameter_count", loaded.model->parameters().number_count()},
      {"parameters", parameters},
      {"config", print_config(loaded.config)}};
}

void print_text(const std::string& path, const LoadedModel& loaded) {
  const TrainingState& state = loaded.state;
  const GridShape& grid = loaded.model->grid();
  std::cout << path << "\n\n" << print_config(loaded.config) << "\n";
  const std::vector<Row> rows = parameter_rows(loaded.model->parameters());
  std::size_t name = 0, shape = 0;
  for (const Row& row : rows) {
    name = std::max(name, row.name.size());
    shape = std::max(shape, row.shape.size());
  }
  for (const Row& row : rows)
    std::cout << row.name << std::string(name - row.name.size() + 2, ' ') << row.shape
              << std::string(shape - row.shape.size() + 2, ' ') << row.numbers << "\n";
  std::cout << "parameters: " << loaded.model->parameters().number_count() << " in " << rows.size()
            << " arrays\ngrid: " << grid.rows << " x " << grid.cols << " regions of "
            << grid.features << " features\nvocabulary: " << loaded.model->vocabulary().size()
            << (loaded.model->vocabulary().subwords() ? " pieces of words" : " words")
            << "\ndata: " << loaded.data.name << " (" << loaded.data.digest
            << ")\ntraining: " << state.update << " updates, epoch " << state.epoch + 1
            << ", batch " << state.batch << ", " << duration_text(state.seconds)
            << (state.finished ? ", finished" : "") << "\n";
  for (const auto& [metric, value] : state.best)
    std::cout << "best " << metric << ": " << value << "\n";
}

// The layers of a network, any of which can be the grid if its output is [1, features, rows, cols].
int list_layers(const std::string& path, Index image_size, bool json) {
  Json rows = Json::array();
  for (const OnnxLayer& layer : list_onnx_layers(path, image_size)) {
    if (json) {
      rows.push_back({{"name", layer.name}, {"type", layer.type}, {"shape", layer.shape}});
      continue;
    }
    std::cout << layer.name << "  " << layer.type;
    for (std::size_t i = 0; i < layer.shape.size(); ++i)
      std::cout << (i == 0 ? "  " : " x ") << layer.shape[i];
    std::cout << "\n";
  }
  if (json) std::cout << rows.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  return static_cast<int>(ExitCode::kOk);
}

// A text on one line, and no more of it than a line holds.
std::string short_text(const std::string& text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return plain_text(text);
  return str(plain_text(text.substr(0, kMost)), "... (", text.size(), " bytes; --json has all)");
}

int list_tensors(const std::string& path, bool json) {
  const SafetensorsFile file(path);
  if (json) {
    Json tensors = Json::array();
    for (const SafetensorsEntry& entry : file.entries())
      tensors.push_back({{"name", entry.name}, {"type", entry.type}, {"shape", entry.shape}});
    const Json all = {
        {"schema_version", 1}, {"file", path}, {"metadata", file.metadata()}, {"tensors", tensors}};
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return static_cast<int>(ExitCode::kOk);
  }
  for (const auto& [key, text] : file.metadata())
    std::cout << "metadata " << short_text(key) << ": " << short_text(text) << "\n";
  Index numbers = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    std::cout << plain_text(entry.name) << "  " << entry.type;
    for (std::size_t i = 0; i < entry.shape.size(); ++i)
      std::cout << (i == 0 ? "  " : " x ") << entry.shape[i];
    std::cout << "\n";
    numbers += entry.count();
  }
  std::cout << "numbers: " << numbers << " in " << file.entries().size() << " tensors\n";
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

CommandRun bind_inspect(Options& options) {
  struct Args {
    std::string checkpoint;
    Index image_size = 224;
    bool json = false;
    InspectAttentionArgs attention{};
  };
  const auto args = std::make_shared<Args>();
  options.argument(
      "checkpoint", args->checkpoint,
      "checkpoint file or a run's directory; of an ONNX file its layers are listed, of "
      "a .safetensors file its tensors",
      "CHECKPOINT|ONNX|SAFETENSORS");
  options.count("--image-size", args->image_size,
                "side of the picture that an ONNX file's shapes are for (default: 224)", 1);
  options.flag("--json", args->json, "print one JSON object");
  InspectAttentionArgs& attention = args->attention;
  options.flag("--heads", attention.heads,
               "instead: what each head does on validation images, in shares of its weight");
  options.flag("--gradients", attention.gradients,
               "instead: weights of regions against the gradients that reach them, on validation "
               "images");
  options.flag("--patches", attention.patches,
               "instead: how many patches of a transformer encoder are far longer than the others, "
               "on validation images");
  options.count("--images", attention.images,
                "so many validation images for these three (default: 8)", 1);
  options.repeatable("--data", attention.data,
                     "change where the data of these three is: images=/new/place", "KEY=VALUE");
  options.repeatable("--set", attention.set,
                     "change the checkpoint's config for these three: encoder.model=PLACE",
                     "KEY=VALUE");
  return [args] {
    const std::filesystem::path extension = std::filesystem::path(args->checkpoint).extension();
    const bool of_network = extension == ".onnx", of_tensors = extension == ".safetensors";
    if (args->attention.heads || args->attention.gradients || args->attention.patches) {
      if (of_network || of_tensors)
        throw UsageError(
            "--heads, --gradients and --patches are for checkpoints, not for ONNX files or "
            "safetensors");
      args->attention.checkpoint = args->checkpoint;
      args->attention.json = args->json;
      return run_inspect_attention(args->attention);
    }
    if (args->attention.images || !args->attention.data.empty() || !args->attention.set.empty())
      throw UsageError("--images, --data and --set are for --heads, --gradients and --patches");
    if (of_tensors) return list_tensors(args->checkpoint, args->json);
    if (of_network) return list_layers(args->checkpoint, args->image_size, args->json);
    const std::string path = resolve_checkpoint(args->checkpoint).string();
    const LoadedModel loaded = load_model(path);
    if (args->json) {
      std::cout << inspect_json(path, loaded, load_archive(path))
                       .dump(2, ' ', false, Json::error_handler_t::replace)
                << "\n";
    } else {
      print_text(path, loaded);
    }
    return static_cast<int>(ExitCode::kOk);
  };
}

}  // namespace saccade
