// Writes report.html: one file with the attention explorer, learning curves, tables, and how to
// reproduce them.
#pragma once

#include <filesystem>

#include "experiments/report/report_model.h"

namespace saccade {

struct ReportSummary {
  Index images = 0;  // that are shown
  std::size_t models = 0;
  std::size_t bytes = 0;        // of the file
  bool self_attention = false;  // whether the page has what regions or words attend to
};

// Captions the images of the request with its models and writes the page. Throws DataError where no
// image can be read, IoError, and what DatasetInputs throws.
ReportSummary write_report(const ReportRequest& request, const std::filesystem::path& out);

}  // namespace saccade
