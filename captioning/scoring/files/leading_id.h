// The image that a line of text names before its caption: "a.jpg: a dog", "a.jpg -> a dog",
// "(7) a dog", "Image 7: a dog".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace saccade {

struct LeadingId {
  std::string name;  // without the quotes, brackets and words around it: "7" of "Image 7:"
  // What stands between the name and the rest of the line: '\t', ':', ',', '|', ';', '=' or ' ';
  // '>' for an arrow, '-' for a dash between spaces; ')' or '.' behind a number ("1)", "1."), '('
  // for a name in brackets; 0 at the end of the line.
  char separator = 0;
  std::size_t rest = 0;  // where the rest begins
  // Whether no caption begins so: "a.jpg ...", "7: ...", but neither "2 dogs" nor "1,000 people".
  bool certain = false;
  bool picture = false;  // the name is that of a picture's file
  // It is a name of a kind that words are not (3f2a9c1b77), with or without an ending.
  bool like_a_file = false;
  // The number may also count the lines: "1)", "(1)", "1.", "#1", "Image 1:".
  bool counts = false;
  // Any word before a colon, a bar, an arrow, an equals sign or a dash: a name only if all lines
  // have one.
  bool any_word = false;
};

// What a line begins with, if that may be an image: the name of a picture ("my dog.jpg: ..."), a
// whole number ("7, ..."), a name without an ending ("COCO_val2014_000000000042 | ..."), these in
// quotes or brackets, or any word before a mark.
std::optional<LeadingId> leading_id(std::string_view line);

// Whether one of the first three words of a line holds the name of a picture, wherever it ends
// ("- **a.jpg**: ...", "a.jpg?w=3"), or the last word is one.
bool holds_picture_name(std::string_view line);

// "a tab", "an arrow", ...: the name of LeadingId::separator, for messages.
const char* lead_separator_name(char separator);

}  // namespace saccade
