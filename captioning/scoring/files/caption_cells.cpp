#include "captioning/scoring/files/caption_cells.h"

#include "captioning/scoring/files/json_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

void add_cell_captions(const std::string& field, const std::string& place,
                       std::vector<std::string>& out) {
  if (!field.ends_with(']') || !(field.starts_with("[\"") || field.starts_with("['"))) {
    out.push_back(field);
    return;
  }
  try {
    const JsonValue list = JsonValue::parse(field, place);
    for (std::size_t i = 0; i < list.size(); ++i) out.push_back(list.at(i).text());
  } catch (const DataError&) {
    throw DataError(str(place,
                        ": a list of captions that is no JSON (a list as Python prints it?); write "
                        "it as JSON, or each caption in a line of its own"));
  }
}

bool add_missing_separator(CsvRow& row, const CaptionColumns& columns) {
  if (!columns.caption_number || columns.captions != std::vector{*columns.caption_number + 1} ||
      row.fields.size() + 1 != columns.count)
    return false;
  std::string& number = row.fields[*columns.caption_number];
  const std::size_t end = number.find_first_not_of("0123456789");
  if (end == 0 || end == std::string::npos || number[end] != ' ') return false;
  const auto place = static_cast<std::ptrdiff_t>(columns.captions.front());
  row.fields.insert(row.fields.begin() + place, number.substr(number.find_first_not_of(' ', end)));
  row.fields[*columns.caption_number].resize(end);
  return true;
}

std::string separators_note(char separator, std::span<const std::string> rows) {
  return str(
      "a ", separator_name(separator),
      " is missing between a caption and its number, and was put there: ", first_names(rows));
}

}  // namespace saccade
