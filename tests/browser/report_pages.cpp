#include "tests/browser/report_pages.h"

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

}  // namespace

SceneReport::SceneReport() {
  write_small_run(run("soft"), wide(small_experiment(SelectionKind::kSoft)));
  write_small_run(run("hard"), wide(small_experiment(SelectionKind::kHard)));
  write_small_run(run("transformer"), wide(small_transformer()));
  make_report({.runs = {run("soft").string(), run("hard").string(), run("transformer").string()},
               .out = page().string(),
               .images = 4});
}

PaddedReport::PaddedReport() {
  ExperimentConfig config = small_experiment(SelectionKind::kSoft);
  config.encoder.resize = ResizeMode::kPad;
  config.search.min_length = 3;
  // Grids of 4 x 12 and 12 x 4. Their middle third shows the picture.
  config.encoder.image_width = 96;
  write_small_run(run("wide"), config);
  config.encoder.image_size = 96;
  config.encoder.image_width = 32;
  write_small_run(run("tall"), config);
  make_report(
      {.runs = {run("wide").string(), run("tall").string()}, .out = page().string(), .images = 2});
}

HostileReport::HostileReport() {
  std::string rows = "image,caption,split\n";
  const LoadedData drawn = load_data(small_experiment(SelectionKind::kSoft).data);
  for (Index i = 0; i < 6; ++i) {
    const std::string name = i == 5 ? "<b>5&amp;.png" : str(i, ".png");
    write_png(folder_ / name, drawn.image(i));
    rows += str("\"", name, "\",\"", kHostileCaption, "\",",
                i < 4    ? "train"
                : i == 4 ? "val"
                         : "test",
                "\n");
  }
  folder_.write("captions.csv", rows);
  ExperimentConfig config = small_experiment(SelectionKind::kSoft);
  config.data.type = DataKind::kFolder;
  config.data.images = folder_.path().string();
  config.data.annotations = (folder_ / "captions.csv").string();
  const fs::path run = folder_ / "<img src=x onerror=window.hacked=3>";
  write_small_run(run, config);
  make_report({.runs = {run.string()}, .out = page().string(), .images = 1});
}

}  // namespace saccade::test
