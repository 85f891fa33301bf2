#include "experiments/compare/run_record.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

Telemetry cost_of(const Json& end) {
  return {.updates = end.value("update", Index{0}),
          .seconds = end.value("seconds", 0.0),
          .ms_per_update = end.value("ms_per_update", 0.0),
          .captions_per_second = end.value("captions_per_second", 0.0),
          .peak_memory = end.value("peak_memory_bytes", std::int64_t{0})};
}

}  // namespace

RunRecord read_run_record(const std::filesystem::path& metrics) {
  RunRecord record;
  std::ifstream in(metrics);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const std::string event = json.value("event", "");
    record.finished = event == "end" && json.value("reason", "") != "signal";
    if (event == "end") record.cost = cost_of(json);
    if (event != "validation" || !json.contains("estimator")) continue;
    record.estimator.clear();
    for (const auto& [name, value] : json["estimator"].items())
      if (value.is_number()) record.estimator.emplace_back(name, value.get<double>());
  }
  return record;
}

}  // namespace saccade
