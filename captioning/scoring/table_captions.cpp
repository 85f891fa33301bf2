// Captions in tables: CSV with a header, and tables whose first column looks like images.
#include <algorithm>

#include "captioning/data/caption_cells.h"
#include "captioning/data/caption_columns.h"
#include "captioning/data/csv.h"
#include "captioning/scoring/caption_forms.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// "CSV", and what separates its columns where these are no commas.
std::string table_name(char separator) {
  return separator == ',' ? "CSV" : str("a table with ", separator_name(separator), "s");
}

bool is_whole_number(const std::string& text) { return image_id(text).number.has_value(); }

// Refuses a caption over several lines of which one begins with an image: a quote that opens by
// mistake takes whole lines into a caption.
void refuse_lost_lines(const CsvRow& row, const std::string& path) {
  for (const std::string& field : row.fields) {
    for (std::size_t end = field.find('\n'); end != std::string::npos;
         end = field.find('\n', end + 1)) {
      const auto lead = leading_id(std::string_view(field).substr(end + 1));
      if (lead && lead->certain)
        throw DataError(
            str(path, ":", row.line,
                ": a quote that opens in this row closes only in a later line, behind '",
                lead->name, "'; double the quotes in a caption, and quote the caption"));
    }
  }
}

}  // namespace

void read_table_captions(const std::string& text, CaptionFile& out) {
  const char separator = header_separator(text).value();
  std::vector<CsvRow> rows = parse_csv(text, out.path, separator).rows;
  const std::vector<std::string> names = rows.front().fields;
  const auto place = [&](const CsvRow& row) { return str(out.path, ":", row.line); };
  const CaptionColumns columns = caption_columns(names, place(rows.front()));
  if (!columns.name() || columns.captions.empty())
    throw DataError(str(place(rows.front()),
                        ": the first line must name a column of images and one of captions"));
  out.form = str(table_name(separator), " (", names[*columns.name()], ", ",
                 names[columns.captions[0]], ")");
  ImageCollector images(out);
  std::vector<std::string> mended;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    CsvRow& row = rows[r];
    if (add_missing_separator(row, columns)) mended.push_back(str("line ", row.line));
    if (row.fields.size() != columns.count)
      throw DataError(str(place(row), ": ", row.fields.size(), " fields, the header has ",
                          columns.count, "; a caption with a ", separator_name(separator),
                          " must be quoted"));
    refuse_lost_lines(row, out.path);
    ImageId id = image_id(row.fields[*columns.name()]);
    if (id.empty()) throw DataError(str(place(row), ": names no image"));
    if (columns.image && columns.image_id && names[*columns.image_id] != "id" && !id.number)
      id.number = image_id(row.fields[*columns.image_id]).number;
    ListedImage& image = images.image(id);
    // Where an image has a row, it may have fewer captions than there are columns for them.
    for (const std::size_t k : columns.captions)
      if (columns.captions.size() == 1 || !row.fields[k].empty())
        add_cell_captions(row.fields[k], place(row), image.captions);
    if (columns.split) set_split(image, row.fields[*columns.split], place(row));
  }
  if (!mended.empty()) out.notes.push_back(str(out.path, ": ", separators_note(separator, mended)));
}

std::vector<HeaderlessRow> headerless_rows(const std::string& text, const std::string& path,
                                           char separator) {
  std::vector<CsvRow> rows = parse_csv(text, path, separator).rows;
  const bool numbered = std::all_of(rows.begin(), rows.end(), [](const CsvRow& row) {
    return row.fields.size() >= 3 && is_whole_number(row.fields[1]);
  });
  std::vector<HeaderlessRow> out;
  for (CsvRow& row : rows) {
    refuse_lost_lines(row, path);
    const std::size_t first = numbered ? 2 : 1;
    if (row.fields.size() < 2 || (separator != '\t' && row.fields.size() > first + 1)) {
      const std::string_view mark = separator_name(separator);
      throw DataError(str(path, ":", row.line, ": ", row.fields.size(),
                          row.fields.size() == 1 ? " field" : " fields",
                          ", and it has no header; needs an image and a caption: quote a caption "
                          "with a ",
                          mark, ", or begin with a line image", separator == '\t' ? ' ' : separator,
                          "caption that names the columns"));
    }
    HeaderlessRow& read = out.emplace_back(
        HeaderlessRow{.line = row.line, .id = image_id(row.fields[0]), .captions = {}});
    for (std::size_t k = first; k < row.fields.size(); ++k)
      add_cell_captions(row.fields[k], str(path, ":", row.line), read.captions);
  }
  return out;
}

}  // namespace saccade
