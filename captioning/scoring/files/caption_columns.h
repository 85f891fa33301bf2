// The names that columns of a table and keys of JSON have where people keep captions, and what
// separates the columns of a table. Readers of data and of scores share them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// kImage: the file of an image. kImageId: its number or another name. kCaption: one caption, or a
// list of them. kSplit: train, val or test. kCaptionNumber: which of its image's captions it is.
enum class CaptionField { kImage, kImageId, kCaption, kSplit, kCaptionNumber };

// What a column or key of this name holds, in any case, with '_', '-' or a space between its words
// ("file_name", "Image ID", "comment"); a number may follow the name of a caption ("caption_2").
// Nothing for a name that is none of the field's.
std::optional<CaptionField> caption_field(std::string_view name);

// The names of a field, the most usual first.
std::span<const std::string_view> caption_field_names(CaptionField field);

// Which columns (or keys) of a list hold what, by their place in the list.
struct CaptionColumns {
  std::size_t count = 0;  // of all columns
  std::optional<std::size_t> image, image_id, split, caption_number;
  std::vector<std::size_t> captions;  // one, or several that are numbered (caption_1, caption_2)

  // The column that says which image it is: image, else image_id.
  std::optional<std::size_t> name() const { return image ? image : image_id; }
};

// Finds the columns by their names. Of several that could hold the same, the one that has the
// field's first name is taken ("caption" before "title"). Throws DataError, whose message begins
// with `place`, where that does not decide.
CaptionColumns caption_columns(std::span<const std::string> names, const std::string& place);

// What may separate the columns of a table.
inline constexpr std::string_view kColumnSeparators = ",;|\t";

// The separator with which the first line of a text names a column of images (or of their ids) and
// one of captions; nothing where the text has no such line. Quotes around names do not count.
std::optional<char> header_separator(std::string_view text);

// "comma", "semicolon", "bar" or "tab", for messages.
std::string_view separator_name(char separator);

}  // namespace saccade
