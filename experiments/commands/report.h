// `saccade report`: writes one page about runs or comparisons, with the attention explorer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/write_report.h"

namespace saccade {

struct ReportArgs {
  std::vector<std::string> runs{};  // run directories, checkpoints, comparisons
  std::string out{};                // empty: report.html in the only run's directory, or here
  std::string split{};              // empty: test if there is one, else val
  Index images = 50;
  std::string worst{};              // a measure (worst_images.h): the worst images of the split
  std::string boxes{};              // of photos: a file that read_photo_boxes() takes
  std::vector<std::string> data{};  // `images=/new/place`, for every model
  bool seeds = false;               // whether all seeds of an arm are shown, and not the first
  bool self_attention = false;      // whether it shows how regions and words attend to each other
  bool occlusion = false;           // whether the page shows what regions do for words
  bool heads = false;               // whether it shows what every attention head does
  bool gradients = false;           // whether it shows which gradient reaches the regions
  std::string words{};              // whose neighbours it shows, with commas between them
  bool json = false;
};

// Writes the page and returns where it is. Throws what loading models and data throws.
struct WrittenReport {
  std::filesystem::path path;
  ReportSummary summary;
};
WrittenReport make_report(const ReportArgs& args);

// Writes the page of a run or comparison that has just ended into its directory; does nothing where
// `images` is 0. An error becomes a warning, because the training that the page shows succeeded.
// Returns whether the page was written.
bool offer_report(const std::filesystem::path& directory, Index images,
                  const std::string& boxes = "");

int run_report(const ReportArgs& args);

}  // namespace saccade
