// Captions in JSON, in the forms in which programs save them.
#include <algorithm>
#include <functional>
#include <optional>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/caption_forms.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/json_file.h"
#include "captioning/scoring/files/named_lines.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

constexpr const char* kExamples =
    "forms that are read: [{\"image_id\": 7, \"caption\": \"a dog runs\"}], {\"7\": [\"a dog "
    "runs\"]}, COCO's {\"images\": ..., \"annotations\": ...} and Karpathy's {\"images\": "
    "[{\"sentences\": ...}]}";

// A caption as a text.
std::string text_of(const JsonValue& value) {
  if (value.is_text()) return value.text();
  throw DataError(str(value.place(), ": expected a string, which is a caption; ", kExamples));
}

std::string words_of(const JsonValue& tokens) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) words.push_back(tokens.at(i).text());
  return join_words(words);
}

// The caption of {"caption": ...}, {"raw": ...} or {"tokens": [...]}.
std::optional<std::string> caption_of_object(const JsonValue& object) {
  for (const char* key : {"raw", "caption"})
    if (const auto text = object.find(key)) return text_of(*text);
  if (const auto tokens = object.find("tokens")) return words_of(*tokens);
  return std::nullopt;
}

// Adds the captions of a text, an object or a list of them.
void add_captions(const JsonValue& value, std::vector<std::string>& out) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const JsonValue one = value.at(i);
      if (one.is_array())
        throw DataError(str(one.place(), ": expected a caption, got a list; ", kExamples));
      add_captions(one, out);
    }
  } else if (value.is_object()) {
    const auto caption = caption_of_object(value);
    if (!caption)
      throw DataError(str(value.place(), ": has no key caption, raw or tokens; ", kExamples));
    out.push_back(*caption);
  } else {
    out.push_back(text_of(value));
  }
}

// Whether add_captions would find texts here.
bool holds_captions(const JsonValue& value) {
  if (value.is_text()) return true;
  if (value.is_object()) return value.find("caption") || value.find("raw") || value.find("tokens");
  if (!value.is_array()) return false;
  return value.size() == 0 || (!value.at(0).is_array() && holds_captions(value.at(0)));
}

// COCO's lists of images and of their captions.
void read_coco(const JsonValue& root, CaptionFile& out) {
  out.form = "COCO's JSON";
  ImageCollector images(out);
  std::unordered_map<std::int64_t, std::size_t> places;
  const JsonValue list = root["images"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonValue entry = list.at(i);
    const auto name = entry.find("file_name");
    const std::int64_t number = image_number_of(entry["id"]);
    if (!places.emplace(number, out.images.size()).second)
      throw DataError(str(entry.place(), ": image id ", number, " is there twice"));
    images.add({.name = name ? image_name_of(name->text()) : "", .number = number}, entry.place());
  }
  const JsonValue annotations = root["annotations"];
  Index unlisted = 0;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const JsonValue entry = annotations.at(i);
    const std::int64_t number = image_number_of(entry["image_id"]);
    const auto [found, fresh] = places.emplace(number, out.images.size());
    if (fresh) {
      images.add({.name = "", .number = number}, entry.place());
      ++unlisted;
    }
    const auto caption = entry.find("caption");
    if (!caption)
      throw DataError(str(entry.place(),
                          ": 'caption' is missing; is this the instances file? use "
                          "captions_*.json"));
    add_captions(*caption, out.images[found->second].captions);
  }
  if (unlisted > 0)
    out.notes.push_back(str(out.path, ": ", counted(unlisted, "image has", "images have"),
                            " captions and ", unlisted == 1 ? "is" : "are",
                            " not in the list 'images'; they are known by their ids alone"));
}

void read_karpathy(const JsonValue& list, CaptionFile& out) {
  out.form = "Karpathy's JSON";
  ImageCollector images(out);
  bool raw = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonValue entry = list.at(i);
    std::optional<JsonValue> number = entry.find("cocoid");
    if (!number) number = entry.find("imgid");
    const auto name = entry.find("filename");
    if (!number && !name)
      throw DataError(
          str(entry.place(), ": 'filename' is missing, and so are 'cocoid' and 'imgid'"));
    ListedImage& image =
        images.add({.name = name ? image_name_of(name->text()) : "",
                    .number = number ? std::optional(image_number_of(*number)) : std::nullopt},
                   entry.place());
    if (const auto split = entry.find("split"))
      set_split(out, image, split->text(), split->place());
    const JsonValue sentences = entry["sentences"];
    add_captions(sentences, image.captions);
    raw = raw || (sentences.size() > 0 && sentences.at(0).find("raw"));
  }
  if (!raw) out.form += " (tokens)";
}

// The keys of an object that are not null.
std::vector<std::string> names_of(const JsonValue& object) {
  std::vector<std::string> out = object.names();
  std::erase_if(out, [&](const std::string& name) { return !object.find(name.c_str()); });
  // Of Karpathy's sentences, which have both, the raw one is the caption.
  if (object.find("raw")) std::erase(out, "tokens");
  return out;
}

CaptionColumns columns_of(const JsonValue& object) {
  return caption_columns(names_of(object), object.place());
}

// Reads rows that have an image and captions each: objects, or rows of a table.
class EntryReader {
 public:
  using Value = std::function<JsonValue(std::size_t)>;  // of the name with this place
  explicit EntryReader(CaptionFile& out) : out_(&out), images_(out) {}

  void read(const JsonValue& entry) {
    const std::vector<std::string> names = names_of(entry);
    read(
        names, [&](std::size_t k) { return entry[names[k].c_str()]; }, entry.place());
  }
  void read(const std::vector<std::string>& names, const Value& value, const std::string& place) {
    // Most entries have the keys of the one before.
    if (names != names_ || form_.empty()) {
      columns_ = caption_columns(names, place);
      names_ = names;
    }
    const CaptionColumns& columns = columns_;
    if (!columns.name())
      throw DataError(str(place, ": 'image_id' is missing, and so is 'image'; ", kExamples));
    const auto tokens = std::find(names.begin(), names.end(), "tokens");
    if (columns.captions.empty() && tokens == names.end())
      throw DataError(
          str(place, ": 'caption' is missing or null; ", kExamples, "; an empty caption is \"\""));
    ImageId id = image_id_of(value(*columns.name()));
    // An "id" beside the name of an image may be that of the caption.
    if (columns.image && columns.image_id && names[*columns.image_id] != "id" && !id.number)
      id.number = image_id_of(value(*columns.image_id)).number;
    if (form_.empty()) {
      form_ = str(names[*columns.name()], ", ",
                  columns.captions.empty() ? "tokens" : names[columns.captions[0]]);
      out_->has_ids = !columns.image;
    }
    ListedImage& image = images_.image(id);
    for (const std::size_t k : columns.captions) add_captions(value(k), image.captions);
    if (columns.captions.empty())
      image.captions.push_back(words_of(value(static_cast<std::size_t>(tokens - names.begin()))));
    if (columns.split) set_split(*out_, image, value(*columns.split).text(), place);
  }
  // The keys of the first entry: "image_id, caption".
  const std::string& form() const { return form_; }

 private:
  CaptionFile* out_;
  ImageCollector images_;
  std::vector<std::string> names_;  // the keys of the last entry
  CaptionColumns columns_;
  std::string form_;
};

bool names_image(const JsonValue& value) { return value.is_object() && columns_of(value).name(); }

// Whether a text is the name or the number of an image, and nothing more.
bool is_image(const std::string& text) {
  const auto lead = leading_id(text);
  return image_id(text).number || ends_as_picture(text) ||
         (lead && !lead->any_word && lead->rest == text.size());
}

// [image, caption] or [image, caption, caption ...].
bool is_pair(const JsonValue& list) {
  if (list.size() < 2) return false;
  const JsonValue first = list.at(0);
  return first.is_number() || (first.is_text() && is_image(first.text()));
}

// The names of columns, if the list is such names, and an image and captions are among them.
std::optional<std::vector<std::string>> header_of(const JsonValue& list) {
  std::vector<std::string> names;
  bool image = false, caption = false;
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    if (!list.at(i).is_text()) return std::nullopt;
    const auto field = caption_field(names.emplace_back(list.at(i).text()));
    image = image || field == CaptionField::kImage || field == CaptionField::kImageId;
    caption = caption || field == CaptionField::kCaption;
  }
  return image && caption ? std::optional(names) : std::nullopt;
}

// A table: lists of values, from the one at `first` on.
void read_rows(const std::vector<std::string>& names, const JsonValue& rows, std::size_t first,
               const char* kind, CaptionFile& out) {
  EntryReader reader(out);
  for (std::size_t i = first; i < rows.size(); ++i) {
    const JsonValue row = rows.at(i);
    if (row.size() != names.size())
      throw DataError(
          str(row.place(), ": has ", row.size(), " values for ", names.size(), " columns"));
    reader.read(
        names, [&](std::size_t k) { return row.at(k); }, row.place());
  }
  out.form = str(kind, " (", reader.form(), ")");
}

// Elements that are texts, or lists of texts: captions in order, or pairs of image and captions.
void read_texts(const JsonValue& list, CaptionFile& out) {
  if (const auto names = list.at(0).is_array() ? header_of(list.at(0)) : std::nullopt)
    return read_rows(*names, list, 1, "a JSON list of lists with a header", out);
  std::size_t pairs = 0;
  std::vector<TextLine> lines;
  for (std::size_t i = 0; i < list.size(); ++i) {
    pairs += list.at(i).is_array() && is_pair(list.at(i)) ? 1U : 0U;
    if (list.at(i).is_text()) lines.push_back({i, list.at(i).text()});
  }
  if (pairs > 0 && pairs < list.size())
    throw DataError(str(out.path, ": ", pairs, " of the ", list.size(),
                        " lists in its list begin with an image, the others do not; ", kExamples));
  if (const LineLeads leads = line_leads(lines); leads.certain * 2 > leads.filled)
    throw DataError(str(out.path, ": the texts of its list begin with images; ", kExamples));
  out.form =
      pairs > 0 ? "a JSON list of lists (image, caption)" : "a JSON list of captions, in order";
  out.in_order = pairs == 0;
  ImageCollector images(out);
  if (out.in_order && list.at(0).is_array())
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t k = 0; k < list.at(i).size(); ++k)
        if (list.at(i).at(k).is_text() && ends_as_picture(list.at(i).at(k).text()))
          throw DataError(str(list.at(i).at(k).place(),
                              ": is the name of an image, which is the first of a list; ",
                              kExamples));
  bool numbers = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonValue element = list.at(i);
    if (out.in_order) {
      add_captions(element, out.images.emplace_back().captions);
      continue;
    }
    ListedImage& image = images.image(image_id_of(element.at(0)));
    for (std::size_t k = 1; k < element.size(); ++k) {
      const bool score = k > 1 && element.at(k).is_number();
      if (!score) add_captions(element.at(k), image.captions);
      numbers = numbers || score;
    }
  }
  if (numbers) out.notes.push_back(out.path + ": the numbers behind captions are left out");
}

// Whether an object is {image: captions}.
bool is_by_image(const JsonValue& value) {
  const std::vector<std::string> names = value.names();
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto captions = value.find(name.c_str());
    return is_image(name) && captions && holds_captions(*captions);
  });
}

void read_list(const JsonValue& list, const std::string& kind, CaptionFile& out) {
  if (list.size() == 0)
    throw DataError(out.path + ": there is no caption in it; its list is empty");
  const JsonValue first = list.at(0);
  const bool nested = first.is_array() && first.size() > 0 && names_image(first.at(0));
  if (!nested && !first.is_object()) return read_texts(list, out);
  if (!nested && is_by_image(first)) {
    out.form = str(kind, " of objects by image");
    ImageCollector images(out);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonValue element = list.at(i);
      if (!is_by_image(element))
        throw DataError(
            str(element.place(), ": is not {image: captions}, as others are; ", kExamples));
      for (const std::string& name : element.names())
        add_captions(element[name.c_str()], images.image(image_id(name)).captions);
    }
    return;
  }
  EntryReader reader(out);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonValue element = list.at(i);
    if (!nested) {
      reader.read(element);
      continue;
    }
    for (std::size_t k = 0; k < element.size(); ++k) reader.read(element.at(k));
  }
  out.form = str(kind, nested ? " of lists" : "", " (", reader.form(), ")");
}

// A table by its columns, each a list or, as pandas writes it, an object by the row's number:
// {"image": {"0": "a.jpg"}, "caption": {"0": "a dog"}}. Returns whether the object is one.
bool read_columns(const JsonValue& root, CaptionFile& out) {
  std::vector<std::string> names;
  for (const std::string& name : names_of(root))
    if (caption_field(name) && (root[name.c_str()].is_object() || root[name.c_str()].is_array()))
      names.push_back(name);
  const CaptionColumns columns = caption_columns(names, root.place());
  if (!columns.name() || columns.captions.empty()) return false;
  const JsonValue images = root[names[*columns.name()].c_str()];
  const bool lists = images.is_array();
  std::vector<std::string> rows;
  if (lists)
    for (std::size_t i = 0; i < images.size(); ++i) rows.push_back(std::to_string(i));
  else
    rows = images.names();
  std::stable_sort(rows.begin(), rows.end(), [](const std::string& a, const std::string& b) {
    return a.size() < b.size();  // 2 before 10
  });
  for (const std::string& name : names) {
    const JsonValue column = root[name.c_str()];
    if (column.is_array() != lists ||
        (lists ? column.size() : column.names().size()) != rows.size())
      throw DataError(str(column.place(), ": has another number of rows than ",
                          names[*columns.name()], "; ", kExamples));
  }
  EntryReader reader(out);
  for (std::size_t i = 0; i < rows.size(); ++i)
    reader.read(
        names,
        [&](std::size_t k) {
          const JsonValue column = root[names[k].c_str()];
          if (lists) return column.at(i);
          const auto cell = column.find(rows[i].c_str());
          if (!cell)
            throw DataError(
                str(column.place(), ": has no value, or null, in row ", rows[i], "; ", kExamples));
          return *cell;
        },
        str(out.path, ": row ", rows[i]));
  out.form = str("a JSON object of columns (", reader.form(), ")");
  return true;
}

// {image: captions}, in the order of the text.
void read_by_id(const JsonValue& root, const std::string& text, CaptionFile& out) {
  out.form = "a JSON object by image";
  ImageCollector images(out);
  for (const std::string& name : json_member_names(text)) {
    const auto value = root.find(name.c_str());
    if (!value || !holds_captions(*value))
      throw DataError(str(out.path, ": '", name.substr(0, 60), "' holds no captions; ", kExamples));
    add_captions(*value, images.add(image_id(name), out.path).captions);
  }
}

}  // namespace

void read_json_captions(const std::string& text, CaptionFile& out) {
  if (JsonValue::is_lines(text))
    return read_list(JsonValue::parse_lines(text, out.path), "JSON lines", out);
  const JsonValue root = JsonValue::parse(text, out.path);
  // A table of captions by image may have any names, so that its keys come last.
  if (root.is_array()) return read_list(root, "a JSON list", out);
  const auto images = root.find("images");
  if (images && images->is_array()) {
    if (const auto captions = root.find("annotations"); captions && captions->is_array())
      return read_coco(root, out);
    if (images->size() == 0) throw DataError(out.path + ": its list 'images' is empty");
    if (images->at(0).is_object() && images->at(0).find("sentences"))
      return read_karpathy(*images, out);
    return read_list(*images, "a JSON object with the list 'images'", out);
  }
  const auto rows = root.find("data");  // as pandas writes a table with its columns apart
  if (const auto names = root.find("columns"); names && rows && rows->is_array())
    if (const auto header = header_of(*names))
      return read_rows(*header, *rows, 0, "a JSON object of columns and data", out);
  if (read_columns(root, out)) return;
  for (const char* key : {"annotations", "results", "captions", "predictions", "data"}) {
    const auto list = root.find(key);
    if (!list || !list->is_array() || list->size() == 0 || list->at(0).is_text()) continue;
    return read_list(*list, str("a JSON object with the list '", key, "'"), out);
  }
  const CaptionColumns columns = columns_of(root);
  if (columns.name() && !columns.captions.empty()) {
    EntryReader reader(out);
    reader.read(root);
    out.form = str("a JSON object (", reader.form(), ")");
    return;
  }
  read_by_id(root, text, out);
}

}  // namespace saccade
