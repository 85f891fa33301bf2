// How all benchmarks print what they measured, and end.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"

namespace saccade {

// Names with texts or numbers. A time in milliseconds has a name that ends with _ms.
using MeasuredLine = nlohmann::ordered_json;

enum class MeasuredForm { kJson, kTable };

// Prints one JSON line, or one row of a table, above whose first row (`first`) stand the names.
inline void print_measured(const MeasuredLine& line, MeasuredForm form = MeasuredForm::kJson,
                           bool first = false) {
  if (form == MeasuredForm::kJson) {
    std::cout << line.dump() << std::endl;
    return;
  }
  std::ostringstream head, row;
  row << std::setprecision(4);
  for (const auto& [name, value] : line.items()) {
    const int width = static_cast<int>(std::max<std::size_t>(name.size(), 9)) + 2;
    if (value.is_string()) {
      head << std::left << std::setw(2 * width) << name << std::right;
      row << std::left << std::setw(2 * width) << value.get<std::string>() << std::right;
    } else {
      head << std::setw(width) << name;
      row << std::setw(width) << value.get<double>();
    }
  }
  if (first) std::cout << head.str() << "\n";
  std::cout << row.str() << std::endl;
}

// The most memory that the process has had, in MiB.
inline long peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// What run() returns. An error is one line on stderr and the exit code of its kind.
inline int run_benchmark(int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::cerr << "error: " << error.what() << "\n";
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return static_cast<int>(ExitCode::kInternal);
  }
}

}  // namespace saccade
