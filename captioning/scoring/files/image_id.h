// How lists of captions name their images. A name is only a name here: no file is opened, so that
// absolute paths and paths of other systems are as good as any.
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
// "photos/a.jpg"; the number of a caption is no part of the name (bare_name).
ImageId image_id(std::string_view text);

// A name without the space around it and without the number of a caption behind it: "a.jpg" for
// " a.jpg#2".
std::string_view bare_name(std::string_view text);

// The name of an image, with slashes and without "./", and with one spelling for each accented
// letter (unicode::compose), because systems for files differ in theirs.
std::string image_name_of(std::string_view text);

// Whether the name ends as that of a picture, read here or not (picture_names.h).
bool ends_as_picture(std::string_view name);

class JsonValue;
// The image that a value names: by its number, also where that is a text, or by its name. Throws
// DataError that names the value's place for any other type.
ImageId image_id_of(const JsonValue& value);
// Its number. Throws DataError where there is a name.
std::int64_t image_number_of(const JsonValue& value);

// A name without the ending of a picture's file: "a" for "a.jpg"; "a.b" stays as it is.
std::string_view without_ending(std::string_view name);

}  // namespace saccade
