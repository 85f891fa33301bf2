// Tables as text: CSV (RFC 4180: quoted fields may hold separators, line ends and doubled quotes),
// and the same with semicolons, bars or tabs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

struct CsvRow {
  std::size_t line = 0;  // where the row begins, from 1
  std::vector<std::string> fields;
};

struct CsvTable {
  std::vector<CsvRow> rows;  // without blank lines; fields without the white space around them
  // Quotes are characters like any other: a table with bars or tabs has one inside a field, as
  // text that no CSV writer made may have.
  bool plain_quotes = false;
};

// The rows of the text of a file. Throws DataError that names the line of a byte that is not UTF-8,
// of an unclosed quote, or of a stray one between commas or semicolons.
CsvTable parse_csv(const std::string& text, const std::filesystem::path& path, char separator);

}  // namespace saccade
