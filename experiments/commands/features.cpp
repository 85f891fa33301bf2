// `saccade features`: what an encoder gives of photos, in files that other programs read.
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/model/encoder_features.h"
#include "core/base/atomic_file.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "experiments/commands/caption_photos.h"
#include "experiments/commands/commands.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/progress.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

struct FeaturesOptions {
  std::string from, out, split;
  std::vector<std::string> overrides, photos;
  bool json = false;
};

// The encoder of a config, without a model's weights.
LoadedModel encoder_of_config(const FeaturesOptions& options) {
  LoadedModel loaded;
  loaded.name = options.from;
  LoadedConfig config = load_config<ExperimentConfig>(options.from, options.overrides);
  settle(config);
  loaded.config = std::move(config.config);
  const EncoderConfig& encoder = loaded.config.encoder;
  if (!is_frozen(encoder))
    throw UsageError(str(options.from,
                         ": the encoder is trained with the model; name the directory of a run, or "
                         "set encoder.frozen_stages=-1 and the file of its weights"));
  auto pipeline = std::make_shared<InputPipeline>(encoder, log::show);
  const GridShape grid = pipeline->frozen_grid();
  loaded.pipeline = std::move(pipeline);
  loaded.model =
      std::make_shared<CaptionModel>(CaptionModel::declared(loaded.config, Vocabulary(), grid));
  return loaded;
}

LoadedModel opened(const FeaturesOptions& options) {
  const fs::path file(options.from);
  if (file.extension() == ".yaml" || file.extension() == ".yml") return encoder_of_config(options);
  LoadedModel loaded =
      open_model(checkpoint_of(options.from), {.set = options.overrides, .listener = log::show});
  loaded.name = options.from;
  return loaded;
}

// The photos, each with the name that its files get.
struct FeaturePhotos {
  LoadedData data{};  // empty where photos are named
  std::vector<std::string> names{};
  Photos::Read read{};
};

std::string file_name_of(const std::string& photo) {
  const fs::path path(photo);
  return (path.has_extension() ? path.stem() : path.filename()).string();
}

void check_names(const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const std::string& name : names)
    if (!known.insert(name).second)
      throw DataError(str("two photos are called ", name,
                          ", and each has a file of its own name; name or rename them so that they "
                          "differ"));
}

std::unique_ptr<FeaturePhotos> photos_of(const FeaturesOptions& options, const LoadedModel& model) {
  auto out = std::make_unique<FeaturePhotos>();
  const DataConfig& config = model.config.data;
  const ImageFolders folders = image_folders(model.config);
  if (!options.photos.empty()) {
    if (!options.split.empty())
      throw UsageError(
          "--split is of the config's data set, and --photos names others; leave one "
          "of them out");
    const std::vector<std::string> files = named_pictures(options.photos);
    for (const std::string& file : files) out->names.push_back(file_name_of(file));
    out->read = [files, pixels = config.max_pixels()](Index i, const MessageListener& listener) {
      const std::string& file = files[static_cast<std::size_t>(i)];
      return Source(read_image(file, listener, pixels)).called({file});
    };
  } else {
    out->data = load_data(config, folders);
    const LoadedData& data = out->data;
    std::vector<Index> images;
    const auto split =
        options.split.empty() ? std::nullopt : std::optional(parse_split(options.split));
    for (Index i = 0; i < std::ssize(data.dataset.images); ++i)
      if (const CaptionedImage& image = data.dataset.images[static_cast<std::size_t>(i)];
          !split || image.split == *split) {
        images.push_back(i);
        out->names.push_back(file_name_of(image.path.empty() ? image.id : image.path));
      }
    if (images.empty())
      throw DataError(str(data.dataset.name, ": no image is in the split ", options.split));
    const bool needed = model.pipeline->needs_pictures();
    out->read = [images, &data, needed](Index i, const MessageListener&) {
      const Index image = images[static_cast<std::size_t>(i)];
      const CaptionedImage& one = data.dataset.images[static_cast<std::size_t>(image)];
      return Source(needed || data.has_picture(image) ? data.image(image) : Image())
          .called({one.id, one.path});
    };
  }
  check_names(out->names);
  return out;
}

// Refuses a folder with something in it, among which features of other photos would be lost.
void make_new_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw BusyError(str("--out ", folder.string(),
                        ": there is something of this name already; name a new folder"));
  make_folders(folder);
}

int run_features(const FeaturesOptions& options) {
  const LoadedModel model = opened(options);
  check_encoder_features(model, model.config.encoder);
  const std::unique_ptr<FeaturePhotos> named = photos_of(options, model);
  const auto count = static_cast<Index>(named->names.size());
  const fs::path folder(options.out);
  make_new_folder(folder);
  const bool skips = model.config.data.on_bad_image == BadImage::kSkip;
  ExitCode code = ExitCode::kOk;
  Index written = 0, left_out = 0;
  EncoderFeatures last;
  {
    Progress progress("writing features");
    const auto show = progress.counting("photos");
    const Ensemble models(std::vector<OpenModel>{model});
    Photos photos(models, 0, count, named->read, false);
    for (auto block = photos.next(); !block.empty(); block = photos.next()) {
      std::vector<EncoderFeatures> features(block.size());
      parallel::for_each(std::ssize(block), [&](Index i) {
        const Photo& photo = block[static_cast<std::size_t>(i)];
        if (!photo.error)
          features[static_cast<std::size_t>(i)] =
              encoder_features(model, photo.inputs[0].view(), photo.geometry);
      });
      for (std::size_t i = 0; i < block.size(); ++i) {
        for (const std::string& warning : block[i].warnings) log::warn(plain_text(warning));
        try {
          if (block[i].error) std::rethrow_exception(block[i].error);
        } catch (const Error& error) {
          (skips ? log::warn : log::error)(plain_text(error.what()));
          if (!skips && code == ExitCode::kOk) code = error.code();
          ++left_out;
          continue;
        }
        if (!features[i].pooled.empty()) make_folders(folder / kPooledFolder);
        if (!features[i].boxes.empty()) make_folders(folder / kBoxesFolder);
        if (!features[i].times.empty()) make_folders(folder / kTimesFolder);
        write_features(folder, named->names[static_cast<std::size_t>(block[i].number)],
                       features[i]);
        last = std::move(features[i]);
        ++written;
      }
      show(written + left_out, count);
    }
  }
  if (written == 0) throw DataError(str("none of ", counted(count, "photo"), " can be read"));
  if (options.json) {
    std::cout << json_text(nlohmann::ordered_json{{"schema_version", 1},
                                                  {"folder", options.out},
                                                  {"photos", written},
                                                  {"left_out", left_out},
                                                  {"shape", last.shape},
                                                  {"boxes", !last.boxes.empty()},
                                                  {"times", !last.times.empty()},
                                                  {"pooled", !last.pooled.empty()}});
  } else {
    const std::string shape = join(last.shape, " x ", [](Index n) { return str(n); });
    std::cout << options.out << ": " << counted(written, "photo") << " (" << shape
              << " of the last one)" << (left_out > 0 ? str("; ", left_out, " left out") : "")
              << "\n";
  }
  return static_cast<int>(code);
}

CommandRun bind_features(Options& options) {
  const auto args = std::make_shared<FeaturesOptions>();
  options.argument("in", args->from,
                   "a model (checkpoint file, directory of a run, or name of a model), or an "
                   "experiment file (.yaml) whose encoder is frozen",
                   "MODEL|CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the config",
                    "KEY.PATH=VALUE");
  options.text(
      "--out", args->out,
      "a new folder: a file NAME.npy of each photo, and where there are any, its boxes, the times "
      "of frames and the vector of the photo as a whole in the folders boxes, times and pooled "
      "inside",
      "DIR", Need::kRequired);
  options.repeatable("--photos", args->photos,
                     "a photo, or a folder of photos, in place of the config's data set", "PATH");
  options.text("--split", args->split, "the photos of this split alone: train, val or test",
               "SPLIT");
  options.flag("--json", args->json, "print a JSON object");
  return [args] { return run_features(*args); };
}

}  // namespace

const Command kFeaturesCommand = {
    "features", "write the features that an encoder gives of photos, for other programs",
    "saccade features soft --photos photos --out features", bind_features};

}  // namespace saccade
