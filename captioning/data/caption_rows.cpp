#include "captioning/data/caption_rows.h"

#include <algorithm>

#include "captioning/data/reader_support.h"
#include "captioning/scoring/files/caption_cells.h"
#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/captions_form.h"
#include "captioning/scoring/files/csv.h"
#include "captioning/scoring/files/json_file.h"
#include "captioning/scoring/files/named_lines.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/picture_names.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNamesOfColumns =
    "image (or file_name, filename, image_name, ...) and caption (or text, sentence, comment, "
    "title, ...)";

// Refuses a list that says which image by a number alone.
void require_files(const CaptionColumns& columns, const std::string& first,
                   const std::string& place) {
  if (columns.image || named_as_picture(first)) return;
  throw DataError(str(place, ": says which image by an id, '", clean_caption(first),
                      "', and not by its file; add the files' names as image. Results have this "
                      "form, and saccade score reads them"));
}

[[noreturn]] void refuse_header(const CsvRow& row, const std::string& file,
                                const std::string& text) {
  if (captions_form(text) == CaptionsForm::kTokens)
    throw DataError(file + ": is in the form of Flickr8k's token file");
  throw DataError(str(file, ":", row.line, ": the first line must name the columns ",
                      kNamesOfColumns, ", and split, if wanted; write such a line above"));
}

CaptionRows rows_of_table(const std::string& text, const fs::path& path) {
  const std::string file = path.string();
  const char separator = header_separator(text).value_or(',');
  CsvTable table = parse_csv(text, path, separator);
  if (table.rows.empty()) throw DataError(file + ": is empty; expected a line image,caption");
  const CsvRow& header = table.rows.front();
  const CaptionColumns columns = caption_columns(header.fields, str(file, ":", header.line));
  if (!columns.name() || columns.captions.empty()) refuse_header(header, file, text);
  CaptionRows out;
  std::vector<std::string> repaired;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    CsvRow& row = table.rows[i];
    const std::string place = str(file, ":", row.line);
    if (add_missing_separator(row, columns)) repaired.push_back(str("line ", row.line));
    if (row.fields.size() != columns.count)
      throw DataError(str(place, ": ", row.fields.size(), " fields, the header has ", columns.count,
                          "; a caption with a ", separator_name(separator), " must be quoted"));
    const std::string& name = row.fields[*columns.name()];
    if (i == 1) require_files(columns, name, place);
    CaptionRow entry{.place = place, .image = name, .captions = {}, .split = {}};
    for (const std::size_t column : columns.captions)
      add_cell_captions(row.fields[column], place, entry.captions);
    if (columns.split) entry.split = row.fields[*columns.split];
    out.rows.push_back(std::move(entry));
  }
  if (table.plain_quotes)
    out.notes.push_back(
        "quotes are taken as characters of the captions, because not all of them "
        "enclose a field");
  if (!repaired.empty()) out.notes.push_back(separators_note(separator, repaired));
  return out;
}

// Lines without a header: a picture's name, what separates it, and a caption.
CaptionRows rows_of_lines(const std::string& text, const fs::path& path) {
  const std::vector<TextLine> lines = lines_of(text, path);
  CaptionRows out;
  for (NamedRow& row : named_rows(text, lines, line_leads(lines), path.string()))
    out.rows.push_back({.place = str(path.string(), ":", row.line),
                        .image = std::move(row.name),
                        .captions = std::move(row.captions),
                        .split = {}});
  return out;
}

// A caption, or a list of them; a caption is text, or an object that has it.
void add_captions(const JsonValue& value, std::vector<std::string>& out, int depth = 0) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest)
    throw DataError(
        value.place() +
        ": lists within lists; a photo has a caption, which is a text, or a list of them");
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) add_captions(value.at(i), out, depth + 1);
  } else if (value.is_object()) {
    const std::vector<std::string> keys = value.names();
    const CaptionColumns columns = caption_columns(keys, value.place());
    if (columns.captions.empty())
      throw DataError(value.place() + ": an object without a caption; expected {\"caption\": ...}");
    for (const std::size_t key : columns.captions)
      if (const auto caption = value.find(keys[key].c_str()))
        add_captions(*caption, out, depth + 1);
  } else {
    out.push_back(value.text());
  }
}

// Reads objects that have an image and its captions.
class ObjectRows {
 public:
  void add(const JsonValue& entry) {
    if (!entry.is_object())
      throw DataError(
          entry.place() +
          ": expected an object such as {\"image\": \"a.jpg\", \"caption\": \"a dog\"}");
    std::vector<std::string> keys = entry.names();
    if (keys != keys_ || keys.empty()) {
      columns_ = caption_columns(keys, entry.place());
      keys_ = std::move(keys);
    }
    if (!columns_.name() || columns_.captions.empty())
      throw DataError(str(entry.place(), ": expected an object with the keys ", kNamesOfColumns,
                          "; got ", keys_.empty() ? "none" : first_names(keys_)));
    const JsonValue image = entry[keys_[*columns_.name()].c_str()];
    if (!image.is_text() && !columns_.image)
      require_files(columns_, std::to_string(image.integer()), entry.place());
    require_files(columns_, image.text(), entry.place());
    CaptionRow row{.place = entry.place(), .image = image.text(), .captions = {}, .split = {}};
    for (const std::size_t key : columns_.captions)
      if (const auto caption = entry.find(keys_[key].c_str())) add_captions(*caption, row.captions);
    if (columns_.split)
      if (const auto split = entry.find(keys_[*columns_.split].c_str())) row.split = split->text();
    out_.rows.push_back(std::move(row));
  }
  CaptionRows take() { return std::move(out_); }

 private:
  std::vector<std::string> keys_;  // of the entry before
  CaptionColumns columns_;
  CaptionRows out_;
};

CaptionRows rows_of_list(const JsonValue& list) {
  ObjectRows rows;
  for (std::size_t i = 0; i < list.size(); ++i) rows.add(list.at(i));
  return rows.take();
}

// Whether a value is a list of objects with an image and captions, as far as its first one tells.
bool holds_captions(const JsonValue& value) {
  if (!value.is_array() || value.size() == 0 || !value.at(0).is_object()) return false;
  const std::vector<std::string> keys = value.at(0).names();
  const auto has = [&](CaptionField field) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return caption_field(key) == field; });
  };
  return has(CaptionField::kCaption) && (has(CaptionField::kImage) || has(CaptionField::kImageId));
}

// {"a.jpg": captions, ...}, {"annotations": [...]} or one object of a list.
CaptionRows rows_of_object(const JsonValue& root, const std::string& file) {
  const std::vector<std::string> keys = root.names();
  const auto images = root.find("images");
  if (images && root.find("annotations"))
    throw DataError(file + ": is in the form of COCO's captions JSON");
  if (images && images->is_array() && images->size() > 0 && images->at(0).is_object() &&
      images->at(0).find("sentences") && images->at(0).find("split"))
    throw DataError(file + ": is in the form of Karpathy's JSON");
  if (!keys.empty() && std::all_of(keys.begin(), keys.end(), named_as_picture)) {
    CaptionRows out;
    for (const std::string& name : keys) {
      CaptionRow row{
          .place = str(file, ": '", name, "'"), .image = name, .captions = {}, .split = {}};
      if (const auto captions = root.find(name.c_str())) add_captions(*captions, row.captions);
      out.rows.push_back(std::move(row));
    }
    return out;
  }
  std::vector<JsonValue> lists;
  for (const std::string& key : keys)
    if (const auto value = root.find(key.c_str()); value && holds_captions(*value))
      lists.push_back(*value);
  if (lists.size() > 1)
    throw DataError(str(file, ": has several lists, ", lists[0].place().substr(file.size() + 2),
                        " and ", lists[1].place().substr(file.size() + 2),
                        ", and either could hold the captions; leave one of them"));
  if (lists.size() == 1) return rows_of_list(lists.front());
  ObjectRows rows;
  rows.add(root);
  return rows.take();
}

CaptionRows rows_of_json(const std::string& text, const fs::path& path) {
  if (JsonValue::is_lines(text)) {
    ObjectRows rows;
    for (const TextLine& line : lines_of(text, path))
      if (line.text.find_first_not_of(" \t") != std::string::npos)
        rows.add(JsonValue::parse(line.text, str(path.string(), ":", line.number)));
    return rows.take();
  }
  const JsonValue root = JsonValue::parse(text, path);
  return root.is_array() ? rows_of_list(root) : rows_of_object(root, path.string());
}

}  // namespace

CaptionRows read_caption_rows(const fs::path& path) {
  const std::string text = read_captions_text(path, "list of captions");
  const CaptionsForm form = captions_form(text);
  if (form == CaptionsForm::kJson) return rows_of_json(text, path);
  if (form == CaptionsForm::kOther && are_named_lines(text)) return rows_of_lines(text, path);
  return rows_of_table(text, path);
}

}  // namespace saccade
