// Which data.type reads a file of captions, told by its content.
#pragma once

#include <string>

#include "captioning/data/data_config.h"

namespace saccade {

struct DataForm {
  DataKind type = DataKind::kFolder;
  std::string text;  // what it is: "COCO captions JSON"
  // Whether it is no other form that was damaged: a JSON object without COCO's or Karpathy's keys
  // may be.
  bool sure = true;
};

// The form of the file `captions`, which holds `text`. Throws DataError that names the known forms
// where it has none of them, and where it is broken.
DataForm data_form(const std::string& text, const std::string& captions);

}  // namespace saccade
