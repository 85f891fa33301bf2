// Lines that name an image and then give a caption, without a header above them. Readers of data
// and of scores share them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/leading_id.h"
#include "captioning/scoring/files/text_file.h"

namespace saccade {

bool is_blank(const TextLine& line);

// What the lines of a text that are not blank begin with (leading_id.h).
struct LineLeads {
  std::size_t filled = 0;                // lines that are not blank
  std::size_t certain = 0;               // of these, lines that no caption begins like
  std::size_t like_files = 0;            // lines with the name of a file, in any form
  std::size_t counting = 0;              // lines whose number may count them
  std::optional<std::size_t> odd{};      // the first line without an id, or with another separator
  std::optional<std::size_t> picture{};  // the first line that begins with the name of a picture
  char separator = 0;

  // Whether all lines begin with an image and one separator.
  bool all() const { return filled > 0 && !odd; }
};
LineLeads line_leads(const std::vector<TextLine>& lines);
// Whether a text without a header is lines that all begin with the name of a picture, which a list
// of captions for training needs.
bool are_named_lines(const std::string& text);

// Whether the lines begin with 1, 2, 3, ... or 0, 1, 2, ..., so that the numbers may count them.
bool are_counted(const std::vector<TextLine>& lines);

// An image and its captions, as a line has them.
struct NamedRow {
  std::size_t line = 0;  // from 1
  std::string name;      // of the image, as written (bare_name())
  ImageId id;
  std::vector<std::string> captions;
};

// The rows of lines for which leads.all() holds. With a comma, a semicolon, a bar or a tab they are
// a table, whose fields are the image and a caption, with the caption's number between them or not;
// with tabs, there may be several captions. Throws DataError that names the line and a remedy where
// there are other fields.
std::vector<NamedRow> named_rows(const std::string& text, const std::vector<TextLine>& lines,
                                 const LineLeads& leads, const std::string& path);
std::vector<NamedRow> headerless_rows(const std::string& text, const std::string& path,
                                      char separator);

// Refuses a caption over several lines of which one begins with an image: a quote that opens by
// mistake takes whole lines into a caption. Throws DataError.
struct CsvRow;
void refuse_lost_lines(const CsvRow& row, const std::string& path);

}  // namespace saccade
