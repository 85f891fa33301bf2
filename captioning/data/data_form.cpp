#include "captioning/data/data_form.h"

#include <algorithm>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/captions_form.h"
#include "captioning/scoring/files/json_file.h"
#include "captioning/scoring/files/named_lines.h"
#include "captioning/scoring/words/plain_caption.h"
#include "core/base/error.h"

namespace saccade {

namespace {

[[noreturn]] void refuse_form(const std::string& captions, const std::string& text) {
  constexpr std::size_t kMostShown = 60;
  const std::string line = text.substr(0, std::min(text.find_first_of("\r\n"), kMostShown));
  throw DataError(str(captions,
                      ": is no captions file that this program knows. It reads tables in UTF-8 "
                      "(separated by commas, semicolons, bars or tabs) whose first line names the "
                      "columns, such as image,caption, lines that begin with the name of a "
                      "photo (a.jpg: a dog), lists and lines of JSON objects with such keys, COCO "
                      "captions JSON, Karpathy's JSON, and Flickr8k's token file; this "
                      "one begins with '",
                      clean_caption(line), "'"));
}

// "", or " (separated by semicolons)".
std::string separated(const std::string& text) {
  const char separator = header_separator(text).value_or(',');
  return separator == ',' ? "" : str(" (separated by ", separator_name(separator), "s)");
}

// What is neither COCO's nor Karpathy's form is for the reader of lists to accept or refuse.
DataForm form_of_json(const std::string& text, const std::string& captions) {
  DataForm list = {DataKind::kFolder, "a folder of photos with captions in JSON"};
  if (JsonValue::is_lines(text)) return list;
  const JsonValue root = JsonValue::parse(text, captions);
  list.sure = root.is_array();
  if (root.is_array() || !root.find("images")) return list;
  if (root.find("annotations")) return {DataKind::kCoco, "COCO captions JSON"};
  const JsonValue images = root["images"];
  const bool sentences = images.is_array() && images.size() > 0 && images.at(0).is_object() &&
                         images.at(0).find("sentences") && images.at(0).find("split");
  return sentences ? DataForm{DataKind::kKarpathy, "Karpathy's JSON"} : list;
}

}  // namespace

DataForm data_form(const std::string& text, const std::string& captions) {
  switch (captions_form(text)) {
    case CaptionsForm::kJson:
      return form_of_json(text, captions);
    case CaptionsForm::kCsv:
      return {DataKind::kFolder, str("a folder of photos with captions in CSV", separated(text))};
    case CaptionsForm::kTokens:
      return {DataKind::kFlickr8k, "Flickr8k's token file"};
    case CaptionsForm::kOther:
      if (are_named_lines(text))
        return {DataKind::kFolder, "a folder of photos with captions in lines"};
      break;
  }
  refuse_form(captions, text);
}

}  // namespace saccade
