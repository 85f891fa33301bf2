// `saccade report`: one page about runs or comparisons, with the attention explorer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/command.h"
#include "experiments/report/write_report.h"

namespace saccade {

struct ReportArgs {
  std::vector<std::string> runs{};  // run directories, checkpoints, comparisons
  std::string out{};                // empty: report.html in the only directory, or here
  std::string split{};              // empty: test if there is one, else val
  Index images = 50;
  std::string boxes{};              // of photos: read_photo_boxes() has which files
  std::vector<std::string> data{};  // `images=/new/place`, of every model
  bool json = false;
};

// Writes the page and returns where it is. Throws what loading models and data throws.
struct WrittenReport {
  std::filesystem::path path;
  ReportSummary summary;
};
WrittenReport make_report(const ReportArgs& args);

// The page of a run or comparison that has just ended, in its directory; nothing where images is 0.
// What goes wrong is a warning: the work that the page is about is done.
void offer_report(const std::filesystem::path& directory, Index images,
                  const std::string& boxes = "");

int run_report(const ReportArgs& args);

CommandRun bind_report(Options& options);

}  // namespace saccade
