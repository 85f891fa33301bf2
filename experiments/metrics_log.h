// metrics.jsonl: one JSON object a line for everything that happens in a run.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/io/atomic_file.h"

namespace saccade {

class MetricsLog {
 public:
  // Opens or makes the file. A last line without its end, as a killed run leaves it, is cut off.
  // Throws IoError.
  explicit MetricsLog(std::filesystem::path path);

  // Appends one JSON object. Throws IoError.
  void add(const std::string& json);

 private:
  std::filesystem::path path_;
  FileHandle file_;
};

// The numbers of a line: "loss", of objects in it "estimator.advantage", but those of `metrics` by
// their own names. None of a line that is no JSON object.
std::map<std::string, double> numbers_of(const std::string& line);

}  // namespace saccade
