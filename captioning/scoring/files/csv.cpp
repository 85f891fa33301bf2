#include "captioning/scoring/files/csv.h"

#include <csv.h>

#include <algorithm>
#include <new>

#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

struct Rows {
  std::vector<CsvRow> rows;
  CsvRow row;
};

void end_field(void* text, std::size_t size, void* rows) {
  static_cast<Rows*>(rows)->row.fields.emplace_back(static_cast<const char*>(text), size);
}

void end_row(int, void* rows) {
  auto& out = *static_cast<Rows*>(rows);
  out.rows.push_back(std::move(out.row));
  out.row = {};
}

// A byte that no UTF-8 has.
constexpr unsigned char kNoQuote = 0xFF;

struct Parser {
  csv_parser state{};
  Parser(char separator, bool quotes) {
    if (csv_init(&state, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
    csv_set_delim(&state, static_cast<unsigned char>(separator));
    if (!quotes) csv_set_quote(&state, kNoQuote);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { csv_free(&state); }
};

std::vector<CsvRow> rows_of(const std::string& text, const std::filesystem::path& path,
                            char separator, bool quotes) {
  Parser parser(separator, quotes);
  Rows out;
  std::size_t line = 1;
  bool blank = true;  // no part of the next row was read yet
  // The parser gets one byte at a time, because it does not report its place in the file.
  for (const char c : text) {
    if (blank && c != '\n' && c != '\r') {
      out.row.line = line;
      blank = false;
    }
    const std::size_t rows = out.rows.size();
    if (csv_parse(&parser.state, &c, 1, end_field, end_row, &out) != 1) {
      const std::string spread = out.row.line == line
                                     ? std::string()
                                     : str(" of the row that begins in line ", out.row.line);
      throw DataError(
          str(path.string(), ":", line, ": ",
              csv_error(&parser.state) == CSV_EPARSE
                  ? "a quote inside a field" + spread + "; double it and quote the whole field"
                  : csv_strerror(csv_error(&parser.state))));
    }
    blank = blank || out.rows.size() > rows;
    line += c == '\n' ? 1U : 0U;
  }
  const std::size_t open = out.row.line;
  if (csv_fini(&parser.state, end_field, end_row, &out) != 0) {
    throw DataError(str(path.string(), ":", open, ": the quote that opens here is never closed"));
  }
  return std::move(out.rows);
}

// The line below the header of a Markdown table: |---|:---:|.
bool is_rule(const CsvRow& row) {
  bool dashes = false;
  for (const std::string& field : row.fields)
    for (const char c : field) {
      if (c != '-' && c != ':' && c != ' ') return false;
      dashes = dashes || c == '-';
    }
  return dashes;
}

}  // namespace

CsvTable parse_csv(const std::string& text, const std::filesystem::path& path, char separator) {
  if (const std::size_t bad = unicode::invalid_utf8(text); bad != std::string::npos)
    throw DataError(
        str(path.string(), ":",
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n'),
            ": not valid UTF-8; save the file again as UTF-8"));
  if (separator == ',' || separator == ';') return {rows_of(text, path, separator, true), false};
  CsvTable table;
  try {
    table.rows = rows_of(text, path, separator, true);
  } catch (const DataError&) {  // the quotes are not CSV's
    table = {rows_of(text, path, separator, false), true};
  }
  if (separator == '|') std::erase_if(table.rows, is_rule);
  return table;
}

}  // namespace saccade
