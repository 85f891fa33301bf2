#include "experiments/commands/data.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "captioning/experiment_config.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/atomic_file.h"
#include "core/parallel/parallel.h"
#include "experiments/commands/data_summary.h"
#include "vision/drawing/contact_sheet.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

constexpr Index kTiles = 24, kColumns = 6;

struct DataOptions {
  std::string config, out;
  std::vector<std::string> overrides;
  bool json = false;
};

// Writes a picture with the first images of a split, each with one caption.
void write_contact_sheet(const LoadedData& data, Split split, const fs::path& path) {
  std::vector<Index> images = images_of(data.dataset, split);
  if (images.empty()) return;
  images.resize(std::min(images.size(), static_cast<std::size_t>(kTiles)));
  std::vector<ContactTile> tiles(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    tiles[at].image = data.image(images[at]);
    tiles[at].text = data.dataset.images[static_cast<std::size_t>(images[at])].captions.front();
  });
  write_png(path, draw_contact_sheet(tiles, kColumns));
  std::cerr << "wrote " << path.string() << "\n";
}

int run_data(const DataOptions& options) {
  const ExperimentConfig config =
      load_config<ExperimentConfig>(options.config, options.overrides).config;
  const LoadedData data = load_data(config.data);
  const DataSummary summary = summarize(data, config);
  std::cout << (options.json ? summary_json(summary) : summary_text(summary)) << std::flush;
  if (options.out.empty()) return static_cast<int>(ExitCode::kOk);
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) throw_io_error("make the directory", options.out, error.value());
  for (const Split split : {Split::kTrain, Split::kVal, Split::kTest})
    write_contact_sheet(data, split,
                        fs::path(options.out) / (std::string(split_name(split)) + ".png"));
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

CommandRun bind_data(Options& options) {
  const auto args = std::make_shared<DataOptions>();
  options.argument("config", args->config, "experiment file (YAML)", "CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the file",
                    "KEY.PATH=VALUE");
  options.text("--out", args->out,
               "write a contact sheet of each split into this directory: its first 24 images, each "
               "with a caption",
               "DIR");
  options.flag("--json", args->json, "print one JSON object");
  return [args] { return run_data(*args); };
}

}  // namespace saccade
