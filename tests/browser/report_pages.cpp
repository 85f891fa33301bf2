#include "tests/browser/report_pages.h"

#include <algorithm>

#include "experiments/commands/report.h"
#include "tests/experiments/small_run.h"

namespace saccade::test {

namespace {

namespace fs = std::filesystem;

// Makes the grid 4 x 8.
ExperimentConfig wide(ExperimentConfig config) {
  config.encoder.image_width = 64;
  config.search.min_length = 3;
  return config;
}

// Writes `count` photos with a captions.csv into a folder, the last of them for testing, and makes
// the config read them.
template <class Photo, class Name>
void write_folder(const TempFolder& folder, ExperimentConfig& config, Index count,
                  const Photo& photo, const Name& name, const std::string& caption) {
  std::string rows = "image,caption,split\n";
  for (Index i = 0; i < count; ++i) {
    write_png(folder / name(i), photo(i));
    const char* split = i + 1 == count ? "test" : i + 2 == count ? "val" : "train";
    rows += str("\"", name(i), "\",\"", caption, "\",", split, "\n");
  }
  folder.write("captions.csv", rows);
  config.data.type = DataKind::kFolder;
  config.data.images = folder.path().string();
  config.data.annotations = (folder / "captions.csv").string();
}

}  // namespace

SceneReport::SceneReport() {
  write_small_run(run("soft"), wide(small_experiment()));
  write_small_run(run("hard"), wide(small_experiment("hard")));
  write_small_run(run("transformer"), wide(small_transformer()));
  make_report({.runs = {run("soft").string(), run("hard").string(), run("transformer").string()},
               .out = page().string(),
               .images = 4});
}

PhotoReport::PhotoReport(Index height, Index width) {
  // Scenes, side by side or one above the other.
  const LoadedData drawn = load_data(small_experiment().data);
  const auto photo = [&](Index i) {
    Image out(height, width);
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x) {
        const Image scene = drawn.image(i + y / 32 + x / 32);
        std::copy_n(scene.pixel(y % 32, x % 32), 3, out.pixel(y, x));
      }
    return out;
  };
  ExperimentConfig config = small_transformer();
  write_folder(
      folder_, config, 6, photo, [](Index i) { return str(i, ".png"); }, "a red square");
  config.search.min_length = 3;
  config.encoder.image_size = 64;  // a grid of 8 x 8
  // Scores of untrained weights are small. The maps shall not be uniform, which a page draws faint.
  config.attention.temperature = Ramp::constant(0.02);
  config.encoder.resize = ResizeMode::kPad;
  write_small_run(run(0), config);
  ExperimentConfig soft = small_experiment();
  soft.data = config.data;
  soft.search = config.search;
  soft.encoder.image_size = 64;
  soft.encoder.resize = ResizeMode::kCrop;
  soft.attention.temperature = config.attention.temperature;
  write_small_run(run(1), soft);
  make_report({.runs = {run(0).string(), run(1).string()}, .out = page().string(), .images = 1});
}

HostileReport::HostileReport() {
  const LoadedData drawn = load_data(small_experiment().data);
  ExperimentConfig config = small_experiment();
  write_folder(
      folder_, config, 6, [&](Index i) { return drawn.image(i); },
      [](Index i) { return i == 5 ? "<b>5&amp;.png" : str(i, ".png"); }, kHostileCaption);
  const fs::path run = folder_ / "<img src=x onerror=window.hacked=3>";
  write_small_run(run, config);
  make_report({.runs = {run.string()}, .out = page().string(), .images = 1});
}

}  // namespace saccade::test
