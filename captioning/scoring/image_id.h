// How files of captions name their images. In scoring a name is only a name: no file is opened, so
// that absolute paths and paths of other systems are as good as any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saccade {

// An image, as a file of captions has it. Where both are there, the name decides wherever images
// have names; a caption with neither belongs to the image that has its place in the file.
struct ImageId {
  std::string name;  // of the image's file, with slashes; empty where the file has numbers
  std::optional<std::int64_t> number{};

  bool empty() const { return name.empty() && !number; }
  // For messages.
  std::string shown() const { return name.empty() && number ? std::to_string(*number) : name; }
  bool operator==(const ImageId&) const = default;
};

// The id that a text gives, without the space around it. "7" and "7.0" are the number 7, as 7 is in
// JSON; "007" is a name and the number 7; "photos\a.jpg" and "./photos/a.jpg" are the name
// "photos/a.jpg"; what stands behind "a.jpg#" is the number of a caption and no part of the name.
ImageId image_id(std::string_view text);

// The name of an image, with slashes and without "./".
std::string image_name_of(std::string_view text);

// A name without the ending of a picture's file: "a" for "a.jpg"; "a.b" stays as it is.
std::string_view without_ending(std::string_view name);

// The name or the id at the beginning of a line, and what follows it.
struct LeadingId {
  std::string name;
  // '\t', ':', ',', '|', ';' or ' ', which stands between the name and the rest of the line; 0 at
  // its end.
  char separator = 0;
  std::size_t rest = 0;  // where the rest begins
  // Whether no caption begins so: "a.jpg ...", "7: ...", but neither "2 dogs" nor "1,000 people".
  bool certain = false;
};

// What a line begins with, if that looks like the name of a picture ("my dog.jpg: ..."), a whole
// number ("7, ..."), or a name without an ending ("COCO_val2014_000000000042 | ...").
std::optional<LeadingId> leading_id(std::string_view line);

}  // namespace saccade
