#include "captioning/scoring/files/named_lines.h"

#include <algorithm>
#include <set>

#include "captioning/scoring/files/caption_cells.h"
#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/csv.h"
#include "core/base/error.h"
#include "core/base/unicode.h"

namespace saccade {

bool is_blank(const TextLine& line) {
  return line.text.find_first_not_of(" \t") == std::string::npos;
}

LineLeads line_leads(const std::vector<TextLine>& lines) {
  LineLeads out;
  std::set<std::string> words;  // that are names only if all lines begin with one
  std::size_t any_words = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_blank(lines[i])) continue;
    ++out.filled;
    const auto lead = leading_id(lines[i].text);
    if ((!lead || lead->any_word) && holds_picture_name(lines[i].text)) ++out.like_files;
    if (lead) {
      out.certain += lead->certain ? 1U : 0U;
      out.like_files += lead->picture || lead->like_a_file ? 1U : 0U;
      out.counting += lead->counts ? 1U : 0U;
      if (lead->separator != 0 && out.separator == 0) out.separator = lead->separator;
      if (lead->any_word) {
        words.insert(lead->name);
        ++any_words;
      }
      // Without a mark behind it, a name with spaces may be the beginning of a sentence.
      const bool name = lead->separator != ' ' || lead->name.find(' ') == std::string::npos;
      if (lead->picture && name && !out.picture) out.picture = i;
    }
    const bool fits = lead && lead->separator != 0 && lead->separator == out.separator;
    if (!fits && !out.odd) out.odd = i;
  }
  // One line, or lines that begin with the same word, are no list of names.
  if (any_words > 0 && !out.odd && (words.size() < any_words || out.filled < 2)) out.odd = 0;
  return out;
}

bool are_named_lines(const std::string& text) {
  if (unicode::invalid_utf8(text) != std::string_view::npos) return false;
  const std::vector<TextLine> lines = lines_of(text, "");
  const LineLeads leads = line_leads(lines);
  return leads.all() && std::all_of(lines.begin(), lines.end(), [](const TextLine& line) {
           return is_blank(line) || leading_id(line.text)->picture;
         });
}

bool are_counted(const std::vector<TextLine>& lines) {
  std::optional<std::int64_t> last;
  for (const TextLine& line : lines) {
    if (is_blank(line)) continue;
    const auto lead = leading_id(line.text);
    const auto number = lead ? image_id(lead->name).number : std::nullopt;
    if (!number || (last ? *number != *last + 1 : *number != 0 && *number != 1)) return false;
    last = number;
  }
  return last.has_value();
}

std::vector<NamedRow> named_rows(const std::string& text, const std::vector<TextLine>& lines,
                                 const LineLeads& leads, const std::string& path) {
  if (kColumnSeparators.find(leads.separator) != std::string_view::npos)
    return headerless_rows(text, path, leads.separator);
  std::vector<NamedRow> out;
  for (const TextLine& line : lines) {
    if (is_blank(line)) continue;
    const auto lead = leading_id(line.text);
    out.push_back({.line = line.number,
                   .name = std::string(bare_name(lead->name)),
                   .id = image_id(lead->name),
                   .captions = {line.text.substr(lead->rest)}});
  }
  return out;
}

std::vector<NamedRow> headerless_rows(const std::string& text, const std::string& path,
                                      char separator) {
  std::vector<CsvRow> rows = parse_csv(text, path, separator).rows;
  const bool numbered = std::all_of(rows.begin(), rows.end(), [](const CsvRow& row) {
    return row.fields.size() >= 3 && image_id(row.fields[1]).number;
  });
  std::vector<NamedRow> out;
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
    // A table of its own has what stands around the name, such as "Image 7".
    const auto lead = leading_id(row.fields[0]);
    const bool whole = lead && !lead->any_word && lead->rest == row.fields[0].size();
    const std::string name(bare_name(whole ? lead->name : row.fields[0]));
    NamedRow& read = out.emplace_back(
        NamedRow{.line = row.line, .name = name, .id = image_id(name), .captions = {}});
    for (std::size_t k = first; k < row.fields.size(); ++k)
      add_cell_captions(row.fields[k], str(path, ":", row.line), read.captions);
  }
  return out;
}

void refuse_lost_lines(const CsvRow& row, const std::string& path) {
  for (const std::string& field : row.fields) {
    for (std::size_t end = field.find('\n'); end != std::string::npos;
         end = field.find('\n', end + 1)) {
      const auto lead = leading_id(std::string_view(field).substr(end + 1));
      if (lead && lead->certain && !lead->counts)
        throw DataError(
            str(path, ":", row.line,
                ": a quote that opens in this row closes only in a later line, behind '",
                lead->name, "'; double the quotes in a caption, and quote the caption"));
    }
  }
}

}  // namespace saccade
