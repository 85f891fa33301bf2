// metrics.jsonl: one JSON object per line for everything that happens in a run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/real.h"

namespace saccade {

class MetricsLog {
 public:
  // Opens or creates the file. A run that continues from `update` (-1: from the beginning) loses
  // the lines of later updates, which it will write again. An incomplete last line, which a killed
  // run may leave, is cut off. Throws IoError.
  MetricsLog(std::filesystem::path path, Index update);

  // Appends one JSON object. Throws IoError.
  void add(const std::string& json);

 private:
  std::filesystem::path path_;
  FileHandle file_;
};

// The numbers of a line by name: "loss"; of a nested object "estimator.advantage", except that the
// numbers of `metrics` keep their own names. Empty where the line is not a JSON object.
std::map<std::string, double> numbers_of(const std::string& line);

// What a line of metrics.jsonl says, whatever the types of its values: a value of another type than
// the expected one counts as missing.
struct MetricsLine {
  std::string event;                                      // "update", "validation", "end", ...
  std::string reason;                                     // of an end
  std::map<std::string, double> numbers;                  // as of numbers_of()
  std::vector<std::pair<std::string, double>> estimator;  // of `estimator`, in their order

  // Whether the run reached its end; one that was stopped by a signal did not.
  bool ends_run() const { return event == "end" && reason != "signal"; }
  // A count such as "update"; empty where it is missing or no run can have it.
  std::optional<Index> count(const std::string& name) const;
};

// The lines that no run can have written: not a JSON object, longer than a run's, without an event,
// or without the update at which it happened.
struct UnreadableLines {
  Index count = 0, first = 0;  // `first` counts from 1
  // "DIR/metrics.jsonl: 3 lines are not of a run and are passed over, the first is line 7"; empty
  // where there is none.
  std::string text(const std::filesystem::path& path) const;
};

// Calls `visit` for each line that a run may have written, in their order. Other lines are
// passed over and counted, except for a last one without its end, which a killed run leaves. A file
// that cannot be read has no lines.
UnreadableLines read_metrics(const std::filesystem::path& path,
                             const std::function<void(const MetricsLine&)>& visit);

}  // namespace saccade
