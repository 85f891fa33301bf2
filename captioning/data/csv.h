// CSV files (RFC 4180: quoted fields may hold commas, line ends and doubled quotes).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

struct CsvRow {
  std::size_t line = 0;  // where the row begins, from 1
  std::vector<std::string> fields;
};

// The rows of a file, without blank lines. Throws DataError that names the line of a stray or an
// unclosed quote.
std::vector<CsvRow> read_csv(const std::filesystem::path& path, const std::string& what);

}  // namespace saccade
