// metrics.jsonl: one JSON object per line for everything that happens in a run.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/io/atomic_file.h"

namespace saccade {

class MetricsLog {
 public:
  // Opens or creates the file. An incomplete last line, which a killed run may leave, is cut off.
  // Throws IoError.
  explicit MetricsLog(std::filesystem::path path);

  // Appends one JSON object. Throws IoError.
  void add(const std::string& json);

 private:
  std::filesystem::path path_;
  FileHandle file_;
};

// The numbers of a line by name: "loss"; of a nested object "estimator.advantage", except that the
// numbers of `metrics` keep their own names. Empty where the line is not a JSON object.
std::map<std::string, double> numbers_of(const std::string& line);

}  // namespace saccade
