#include "captioning/scoring/files/caption_columns.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"

namespace saccade {

namespace {

using Names = std::span<const std::string_view>;

// As plain() writes them.
constexpr std::array<std::string_view, 15> kImageNames = {
    "image",     "filename",      "filepath", "imagename", "imagefile",
    "imagepath", "imagefilename", "imgname",  "imagesrc",  "imgpath",
    "img",       "file",          "path",     "photo",     "picture"};
constexpr std::array<std::string_view, 5> kImageIdNames = {"imageid", "imgid", "photoid", "cocoid",
                                                           "id"};
constexpr std::array<std::string_view, 12> kCaptionNames = {
    "caption", "captions",    "text", "comment", "sentence",    "sentences",
    "title",   "description", "raw",  "texts",   "captiontext", "comments"};
constexpr std::array<std::string_view, 3> kSplitNamesOfColumns = {"split", "subset", "partition"};
constexpr std::array<std::string_view, 5> kCaptionNumberNames = {
    "commentnumber", "captionnumber", "captionid", "sentenceid", "sentid"};

constexpr std::array<CaptionField, 5> kFields = {CaptionField::kImage, CaptionField::kImageId,
                                                 CaptionField::kCaption, CaptionField::kSplit,
                                                 CaptionField::kCaptionNumber};

// A name without case, white space, quotes and what stands between its words.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '"' && c != '\'' && c != '_' && c != '-' &&
        !std::isspace(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_one_of(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The name without the number at its end.
std::string_view without_number(std::string_view name) {
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0)
    name.remove_suffix(1);
  return name;
}

// The places in the list whose names are of this field.
std::vector<std::size_t> places_of(CaptionField field, std::span<const std::string> names) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (caption_field(names[i]) == field) out.push_back(i);
  return out;
}

// Whether all names are one, with different numbers at their ends.
bool are_numbered(std::span<const std::string> names, const std::vector<std::size_t>& places) {
  std::vector<std::string> seen;
  for (const std::size_t place : places) {
    std::string name = plain(names[place]);
    const std::string_view stem = without_number(name);
    if (stem.size() == name.size() || stem != without_number(plain(names[places.front()])) ||
        std::find(seen.begin(), seen.end(), name) != seen.end())
      return false;
    seen.push_back(std::move(name));
  }
  return true;
}

// The one place that holds the field.
std::optional<std::size_t> one_of(CaptionField field, const std::vector<std::size_t>& places,
                                  std::span<const std::string> names, const std::string& place) {
  if (places.empty()) return std::nullopt;
  if (places.size() == 1) return places.front();
  const std::string_view first = caption_field_names(field).front();
  std::vector<std::size_t> exact;
  std::copy_if(places.begin(), places.end(), std::back_inserter(exact),
               [&](std::size_t i) { return plain(names[i]) == first; });
  if (exact.size() == 1) return exact.front();
  throw DataError(str(place, ": '", names[places[0]], "' and '", names[places[1]],
                      "' could both hold the ",
                      field == CaptionField::kImageId ? "image_id" : first,
                      "; rename one of them, so that one is called ",
                      field == CaptionField::kImageId ? "image_id" : first));
}

}  // namespace

std::span<const std::string_view> caption_field_names(CaptionField field) {
  switch (field) {
    case CaptionField::kImage:
      return kImageNames;
    case CaptionField::kImageId:
      return kImageIdNames;
    case CaptionField::kCaption:
      return kCaptionNames;
    case CaptionField::kSplit:
      return kSplitNamesOfColumns;
    case CaptionField::kCaptionNumber:
      break;
  }
  return kCaptionNumberNames;
}

std::optional<CaptionField> caption_field(std::string_view name) {
  const std::string key = plain(name);
  for (const CaptionField field : kFields)
    if (is_one_of(caption_field_names(field), key)) return field;
  if (is_one_of(kCaptionNames, without_number(key))) return CaptionField::kCaption;
  return std::nullopt;
}

CaptionColumns caption_columns(std::span<const std::string> names, const std::string& place) {
  CaptionColumns out;
  out.count = names.size();
  const auto find = [&](CaptionField field) {
    return one_of(field, places_of(field, names), names, place);
  };
  out.image = find(CaptionField::kImage);
  out.split = find(CaptionField::kSplit);
  // A column "id" beside "image_id" numbers the rows, and so do others where there is an image.
  out.image_id = find(CaptionField::kImageId);
  if (const auto numbers = places_of(CaptionField::kCaptionNumber, names); !numbers.empty())
    out.caption_number = numbers.front();
  const std::vector<std::size_t> captions = places_of(CaptionField::kCaption, names);
  if (captions.size() > 1 && are_numbered(names, captions))
    out.captions = captions;
  else if (const auto caption = one_of(CaptionField::kCaption, captions, names, place))
    out.captions = {*caption};
  return out;
}

std::optional<char> header_separator(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\r\n");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  for (const char separator : kColumnSeparators) {
    bool image = false, caption = false;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      const auto field = caption_field(line.substr(at, end - at));
      image = image || field == CaptionField::kImage || field == CaptionField::kImageId;
      caption = caption || field == CaptionField::kCaption;
      at = end + 1;
    }
    if (image && caption) return separator;
  }
  return std::nullopt;
}

std::string_view separator_name(char separator) {
  switch (separator) {
    case ',':
      return "comma";
    case ';':
      return "semicolon";
    case '|':
      return "bar";
    default:
      return "tab";
  }
}

}  // namespace saccade
