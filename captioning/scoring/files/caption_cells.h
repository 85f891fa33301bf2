// What the fields of a table of captions hold, for the readers of training and of scoring.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/csv.h"

namespace saccade {

// Adds the captions in a field: one, or a JSON list of them. Throws DataError that begins with
// `place` for a list in another form, such as Python prints it.
void add_cell_captions(const std::string& field, const std::string& place,
                       std::vector<std::string>& out);

// Puts back the separator that is missing between the number of a caption and the caption, as in
// one line of a published table. Returns whether it did.
bool add_missing_separator(CsvRow& row, const CaptionColumns& columns);
// The note on the rows ("line 7") in which it did.
std::string separators_note(char separator, std::span<const std::string> rows);

}  // namespace saccade
