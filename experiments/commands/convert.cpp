#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/model/published/published_captioner.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/messages.h"
#include "core/io/archive_safetensors.h"
#include "core/io/checkpoint.h"
#include "experiments/commands/commands.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/output_file.h"

namespace saccade {

namespace {

bool is_safetensors(const std::string& path) {
  return std::filesystem::path(path).extension() == ".safetensors";
}

// Throws UsageError for a new checkpoint whose name would say that it is something else. Pipes and
// devices are written to whatever their names are.
void require_name_of_checkpoint(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;
  if (std::filesystem::path(path).extension() != ".h5")
    throw UsageError(
        str("convert ", path, ": the name of a checkpoint ends in .h5; choose a name that does"));
}

void export_encoder(const std::string& from, const std::string& to) {
  if (is_safetensors(from) || !is_safetensors(to))
    throw UsageError("convert --encoder goes from a checkpoint to a .safetensors file; got '" +
                     from + "' and '" + to + "'");
  const LoadedModel loaded = load_model(checkpoint_of(from));
  const Encoder* encoder = loaded.model->encoder();
  if (encoder == nullptr)
    throw UsageError(from + ": the encoder is frozen; its weights are those of the file " +
                     (loaded.config.encoder.weights.empty() ? loaded.config.encoder.model
                                                            : loaded.config.encoder.weights));
  save_torch_weights(to, pretrained(*encoder, "encoder"), loaded.model->parameters());
}

struct ConvertOptions {
  std::string from, to;
  bool encoder = false, half = false, force = false, json = false;
  std::vector<std::string> set{};
  std::string classifier{};  // an ONNX file, for --half
};

void halve(const ConvertOptions& options) {
  if (options.encoder)
    throw UsageError("--half writes a whole model, and --encoder a part of one; give one of them");
  if (is_safetensors(options.from) || is_safetensors(options.to))
    throw UsageError("convert --half goes from a checkpoint to a checkpoint; got '" + options.from +
                     "' and '" + options.to + "'");
  require_name_of_checkpoint(options.to);
  save_archive(options.to, half_checkpoint(checkpoint_of(options.from), options.set, log::show,
                                           options.classifier));
}

void convert(const ConvertOptions& options) {
  const std::string &from = options.from, &to = options.to;
  if (!options.force) refuse_existing(to, "replace it with --force");
  if (!options.half && !options.set.empty())
    throw UsageError("--set has an effect only together with --half");
  if (!options.half && !options.classifier.empty())
    throw UsageError("--classifier has an effect only together with --half");
  if (options.half) return halve(options);
  if (options.encoder) return export_encoder(from, to);
  if (const std::filesystem::path place = is_safetensors(from) ? "" : checkpoint_of(from);
      is_published_captioner(place)) {
    if (!is_safetensors(to)) require_name_of_checkpoint(to);
    const LoadedModel loaded = load_model(place);
    const Archive archive = published_archive(loaded);
    if (is_safetensors(to))
      export_archive(archive, to);
    else
      save_archive(to, archive);
    return;
  }
  if (is_safetensors(from) == is_safetensors(to))
    throw UsageError(
        "convert goes between a checkpoint and a .safetensors file, so exactly one of the two "
        "names must end in .safetensors; got '" +
        from + "' and '" + to + "'");
  if (is_safetensors(to)) {
    export_archive(load_archive(checkpoint_of(from)), to);
  } else {
    require_name_of_checkpoint(to);
    const SafetensorsFile file(from);
    const Archive archive = import_archive(file);
    if (!file.has_digest())
      warn(log::show, from +
                          ": was written by an older version, without a digest, so damage to its "
                          "numbers would not be noticed");
    save_archive(to, archive);
  }
}

int run_convert(const ConvertOptions& options) {
  convert(options);
  if (options.json) {
    std::error_code error;
    const nlohmann::ordered_json json = {{"schema_version", 1},
                                         {"file", options.to},
                                         {"bytes", std::filesystem::file_size(options.to, error)}};
    std::cout << json_text(json);
  } else {
    std::cout << options.to << "\n";
  }
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_convert(Options& options) {
  const auto args = std::make_shared<ConvertOptions>();
  options.argument("in", args->from,
                   "checkpoint file, directory of a run, folder of a published captioner, or name "
                   "of a model; or "
                   "a .safetensors file that was made from a checkpoint",
                   "IN");
  options.argument("out", args->to,
                   ".safetensors file, with the parameters in torch's names and layouts; or the "
                   "checkpoint that is made from a .safetensors file, or with --half",
                   "OUT");
  options.flag("--encoder", args->encoder,
               "write only the encoder's weights, with the names that encoder.weights reads: "
               "torchvision's, or timm's for vit");
  options.flag(
      "--half", args->half,
      "write a checkpoint for captioning alone: weights in 16-bit floats, with the network "
      "of a frozen encoder and without what only training needs; every command that "
      "captions reads it, and it needs no other file");
  options.repeatable("--set", args->set,
                     "with --half: change a value of the checkpoint's config, such as "
                     "encoder.model=PATH or search.beam=3",
                     "KEY=VALUE");
  options.text(
      "--classifier", args->classifier,
      "with --half, from a checkpoint that lacks it: an ONNX file of the encoder's network, "
      "whose classifier is kept, so that captions can name objects (search.name_objects)",
      "FILE.onnx");
  options.flag("--force", args->force, "replace OUT if it exists");
  options.flag("--json", args->json, "print a JSON object instead of the path of the file");
  return [args] { return run_convert(*args); };
}

}  // namespace

const Command kConvertCommand = {
    "convert",
    "convert a checkpoint to safetensors, which other programs read, and back, or to half the "
    "precision, for captioning alone",
    "saccade convert runs/first first.safetensors\n"
    "  saccade convert runs/first first.h5 --half",
    bind_convert};

}  // namespace saccade
