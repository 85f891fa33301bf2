// The section `encoder.text`: an encoder of texts (encoder.type bigru, text_transformer).
#pragma once

#include <cstdint>

namespace saccade {

class Section;

struct TextConfig {
  std::int64_t length = 16;
  std::int64_t width = 128;
  std::int64_t layers = 1;
  std::int64_t heads = 4;
  std::int64_t multiple = 4;
  double dropout = 0;

  void fields(Section& v);
};

}  // namespace saccade
