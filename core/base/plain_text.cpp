#include "core/base/plain_text.h"

#include "core/base/unicode.h"

namespace saccade {

std::string plain_text(const std::string& text) {
  std::string out;
  for (const unicode::CodePoint point : unicode::decode(text)) {
    unicode::append(out, unicode::is_control(point) ? ' ' : point);
  }
  return out;
}

}  // namespace saccade
