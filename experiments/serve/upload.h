// What a request for captions sends: a picture, by itself or in a form with its features.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace httplib {
class ContentReader;
}

namespace saccade {

struct Upload {
  std::vector<std::uint8_t> picture{};   // the bytes of an image file, or none
  std::vector<std::uint8_t> features{};  // the bytes of a file with the picture's features, or none
  bool large = false;     // larger than was allowed; then the rest of it was not read
  bool whole = false;     // whether it arrived completely
  std::string problem{};  // of a form: what is wrong with its fields
};

// Reads the body of a request, at most so many bytes of files. `form`: multipart/form-data with the
// fields `photo` and `features`.
Upload read_upload(const httplib::ContentReader& read, bool form, Index most);

}  // namespace saccade
