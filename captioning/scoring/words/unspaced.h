// Captions in scripts that put no spaces between words, such as Chinese, Japanese and Thai. Words
// are what stands between spaces and punctuation (tokenizer.h), so that a whole sentence would be
// one word.
#pragma once

#include <string>
#include <string_view>

#include "core/base/real.h"

namespace saccade {

// Whether a word is longer than words of such a script are, and so several words without spaces.
bool lacks_spaces(std::string_view word);

// Counts captions, and tells whether it is many that lack spaces.
class UnspacedCaptions {
 public:
  void add(const std::string& caption);
  // A warning that says what to do; empty unless a tenth of the captions lack spaces.
  std::string warning() const;

 private:
  Index captions_ = 0, unspaced_ = 0;
};

}  // namespace saccade
