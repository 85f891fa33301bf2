// The characters that a caption is made of. Captions from web pages hold HTML entities ("a dog
// &amp; a cat"), and characters of format that nobody sees, such as soft hyphens. Training and
// scoring take captions through this one function, so that both see the same words.
#pragma once

#include <string>
#include <string_view>

#include "core/base/real.h"

namespace saccade {

struct PlainCaption {
  std::string text;
  Index entities = 0;   // that became characters
  Index invisible = 0;  // characters of format that were left out
};

// The caption with a character for each entity of HTML 4 (&eacute; &#233; &#xE9; &quot;), also for
// those that were escaped more than once (&amp;quot;), and without characters of format: soft
// hyphens, joiners, marks of direction, variation selectors. A zero-width space separates words and
// becomes a space, and so does an entity of a control character. What is no entity stays ("AT&T").
// A second call changes nothing. Bytes that are not UTF-8 become U+FFFD.
PlainCaption plain_caption(std::string_view caption);

// Counts what was changed in the captions of a file.
class PlainCaptions {
 public:
  // The caption's characters.
  std::string add(std::string_view caption);
  // "2 captions hold HTML entities, ..."; empty where nothing was changed.
  std::string note() const;

 private:
  Index with_entities_ = 0, with_invisible_ = 0;
};

}  // namespace saccade
