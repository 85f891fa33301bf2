// Captions in tables with a header.
#include "captioning/scoring/files/caption_cells.h"
#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/caption_forms.h"
#include "captioning/scoring/files/csv.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/named_lines.h"
#include "core/base/error.h"

namespace saccade {

std::string table_name(char separator) {
  return separator == ',' ? "CSV" : str("a table with ", separator_name(separator), "s");
}

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
  out.has_ids = !columns.image;
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
    if (columns.split) set_split(out, image, row.fields[*columns.split], place(row));
  }
  if (!mended.empty()) out.notes.push_back(str(out.path, ": ", separators_note(separator, mended)));
}

}  // namespace saccade
