// What a report's page holds as data, for the script of the page. write_report.cpp makes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/report/report_model.h"

namespace saccade {

// The data of the page of a request, for report_page(). kFacts leaves out images and their
// captions, and what is computed of them, so that nothing is decoded. Throws as write_report().
enum class ReportContent { kFacts, kAll };
nlohmann::ordered_json report_data(const ReportRequest& request, ReportContent content);

}  // namespace saccade
