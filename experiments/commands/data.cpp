#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>

#include "captioning/data/data_places.h"
#include "captioning/data/photo_check.h"
#include "captioning/data/scenes/scene_regions.h"
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/training/cost_ahead.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "core/parallel/parallel.h"
#include "experiments/commands/check_files.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/data_summary.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/output_file.h"
#include "experiments/process/progress.h"
#include "vision/drawing/contact_sheet.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

constexpr Index kTiles = 24, kSheetColumns = 6;

struct DataOptions {
  std::string config, out, regions;
  std::vector<std::string> overrides;
  bool json = false, decode = false, no_photos = false;
};

// Writes a picture with the first images of a split that can be read, each with one caption.
void write_contact_sheet(const LoadedData& data, const PhotoCheck& photos, Split split,
                         const fs::path& path) {
  std::vector<Index> images = usable_images(photos, data.dataset, split);
  if (images.empty()) return;
  images.resize(std::min(images.size(), static_cast<std::size_t>(kTiles)));
  std::vector<ContactTile> tiles(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    tiles[at].image = data.image(images[at]);
    tiles[at].text = data.dataset.images[static_cast<std::size_t>(images[at])].captions.front();
  });
  write_png(path, draw_contact_sheet(tiles, kSheetColumns));
  std::cerr << "wrote " << plain_text(path.string()) << "\n";
}

PhotoCheck look_at_photos(const LoadedData& data, PhotoReading reading) {
  Progress progress("looking at photos");
  return check_photos(data, reading, progress.counting());
}

// What to do where no photo can be used.
std::string remedy_of(const PhotoCheck& photos, const DataConfig& config,
                      const std::string& section) {
  if (!photos.hint.empty()) return photos.hint;
  if (photos.missing.empty()) return "the first: " + photos.first_problem;
  return str("no file of the first one's name is below ", config.images, "; set ", section,
             ".images to the folder from which the names in the captions start");
}

// Says of which data sets no photo can be used, and whether there is one.
bool lacks_photos(const PhotoCheck& photos, const LoadedData& data, const DataConfig& config) {
  bool lacks = false;
  const auto check = [&](const PhotoCheck& own, const DataConfig& of, const std::string& section,
                         const std::string& name) {
    if (own.photos == 0 || own.usable() > 0) return;
    log::error(str(name, "none of ", counted(own.photos, "photo"), " can be used; ",
                   remedy_of(own, of, section)));
    lacks = true;
  };
  if (photos.sets.empty()) check(photos, config, "data", "");
  for (std::size_t s = 0; s < photos.sets.size(); ++s) {
    const std::string section = "data.sets." + data.dataset.parts[s].name;
    check(photos.sets[s], data.sets[s].config, section, section + ": ");
  }
  return lacks;
}

// Throws, with a line for each file, where one is missing or not given without which the images and
// captions cannot be read.
void require_captions(const std::vector<CheckedFile>& files) {
  std::string lines;
  bool missing = false, not_given = false;
  for (const CheckedFile& one : files) {
    if (one.problem.empty()) continue;
    lines += (lines.empty() ? "" : "\n") + one.problem;
    if (!one.file.key.starts_with("data.") || is_key_of_boxes(one.file.key)) continue;
    (one.state == FileState::kNotGiven ? not_given : missing) = true;
  }
  if (not_given) throw UsageError(lines);
  if (missing) throw DataError(lines);
}

// Says what is wrong with the other files, and whether one that the config names cannot be used.
// One that is not given may still be given to another command.
bool lacks_others(const std::vector<CheckedFile>& files) {
  bool lacks = false;
  for (const CheckedFile& one : files) {
    if (one.problem.empty()) continue;
    const bool named = one.state != FileState::kNotGiven;
    (named ? log::error : log::warn)(one.problem);
    lacks = lacks || named;
  }
  return lacks;
}

// Warns of values that do not fit these captions. Arms of a comparison may have values of their
// own.
void warn_of_misfits(const ExperimentConfig& config, const LoadedData& data) {
  if (!config.compare.arms.empty()) return;
  try {
    check_with_data(config, data);
  } catch (const DataError&) {  // no image is val, as the summary shows
  } catch (const UsageError& error) {
    log::warn(error.what());
  }
}

int write_regions(const DataConfig& config, const std::string& file) {
  if (config.type != DataKind::kScenes)
    throw UsageError(str("--regions writes the objects of drawn scenes, and data.type is ",
                         enum_name(config.type), "; give a config of scenes"));
  const bool moves = config.scenes.frames > 1;
  const std::string ending = moves ? ".safetensors" : ".tsv";
  if (fs::path(file).extension() != ending &&
      (moves || fs::path(file).extension() == ".safetensors"))
    throw UsageError(str("--regions ", file, ": ",
                         moves ? "the frames of scenes that move" : "the regions of scenes",
                         " are written as ", ending, "; give the file that ending"));
  const LoadedData data = load_data(config);
  refuse_existing(file, "remove it");
  const auto seed = static_cast<std::uint64_t>(config.scenes.seed);
  if (moves)
    write_scene_frames(file, *data.scenes, seed);
  else
    write_file(file, scene_regions_table(*data.scenes, seed));
  std::cerr << "wrote " << plain_text(file) << (moves ? " (frames of " : " (regions of ")
            << counted(std::ssize(data.dataset.images), "scene") << ")\n";
  return 0;
}

constexpr std::array kSplits{Split::kTrain, Split::kVal, Split::kTest};

fs::path sheet_of(const std::string& folder, Split split) {
  return fs::path(folder) / (std::string(split_name(split)) + ".png");
}

int run_data(const DataOptions& options) {
  if (!options.out.empty())
    for (const Split split : kSplits)
      refuse_existing(sheet_of(options.out, split), "another folder with --out");
  LoadedConfig loaded = load_config<ExperimentConfig>(options.config, options.overrides);
  settle(loaded);  // arms, too, may read what it sets, so that nothing is refused
  ExperimentConfig& config = loaded.config;
  if (!options.regions.empty()) return write_regions(config.data, options.regions);
  std::vector<CheckedFile> files = checked_files(config);
  // Where the captions cannot be read, at least the files are shown.
  const LoadedData data = [&] {
    try {
      require_captions(files);
      if (const std::string cost = drawing_cost(config.data); !cost.empty()) log::info(cost);
      return load_data(config.data, image_folders(config));
    } catch (const Error&) {
      std::cout << (options.json ? files_json(files) : files_text(files)) << std::flush;
      throw;
    }
  }();
  if (config.data.vocabulary == VocabularyKind::kPublished)
    take_first_parts(config, {}, given_model_folders());
  DataSummary summary = summarize(data, config);
  if (summary.problem.empty()) check_contents(config, data, files);
  PhotoCheck photos;
  const PhotoUse use =
      encoder_traits(config.encoder).reads_features ? PhotoUse::kViews : PhotoUse::kTraining;
  if (!options.no_photos) {
    const PhotoReading reading = options.decode ? PhotoReading::kDecode : PhotoReading::kHeader;
    photos = look_at_photos(data, reading);
    summary.photos = {.looked_at = !data.is_drawn(),
                      .lines = photo_lines(photos, data, reading, use),
                      .usable = photos.usable(),
                      .missing = names_of(data.dataset, photos.missing),
                      .unreadable = names_of(data.dataset, photos.unreadable)};
  }
  std::cout << (options.json ? summary_json(summary, files)
                             : files_text(files) + summary_text(summary))
            << std::flush;
  if (!summary.problem.empty()) {
    log::error(summary.problem);
    return static_cast<int>(ExitCode::kData);
  }
  warn_of_misfits(config, data);
  const bool lacks = lacks_others(files);
  if (use == PhotoUse::kTraining && lacks_photos(photos, data, config.data))
    return static_cast<int>(ExitCode::kData);
  if (!options.out.empty()) {
    make_folders(options.out);
    for (const Split split : kSplits)
      write_contact_sheet(data, photos, split, sheet_of(options.out, split));
  }
  return static_cast<int>(lacks ? ExitCode::kData : ExitCode::kOk);
}

CommandRun bind_data(Options& options) {
  const auto args = std::make_shared<DataOptions>();
  options.argument("config", args->config, "experiment file (YAML)", "CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the file",
                    "KEY.PATH=VALUE");
  options.text("--out", args->out,
               "write a contact sheet of each split into this directory: its first 24 images, each "
               "with a caption",
               "DIR");
  options.text("--regions", args->regions,
               "write the objects of drawn scenes, and some of their background, as regions with "
               "boxes and features, in the form of bottom-up attention; of scenes that move "
               "(data.scenes.frames) the frames with their times, as FILE.safetensors: "
               "encoder.type features reads the file",
               "FILE.tsv");
  options.flag("--decode", args->decode,
               "decode every photo; the default reads their headers and looks for their ends");
  options.flag("--no-photos", args->no_photos, "do not look at the photos");
  options.flag("--json", args->json, "print one JSON object");
  return [args] { return run_data(*args); };
}

}  // namespace

const Command kDataCommand = {
    "data", "show what a data set contains, and which files of a config are missing",
    "saccade data configs/quickstart.yaml --out sheets", bind_data};

}  // namespace saccade
