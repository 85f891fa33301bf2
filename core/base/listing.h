// Names and counts in messages, and lists of them as one text.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/real.h"

namespace saccade {

// The items with a separator between them: join(names, ", "). `text_of` makes a text of each.
template <class Items, class TextOf = std::identity>
std::string join(const Items& items, std::string_view separator, TextOf text_of = {}) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    out += std::invoke(text_of, item);
    first = false;
  }
  return out;
}

// "a, b or c".
std::string join_or(std::span<const std::string> names);

// "1 image", "0 images". `plural` is given where it is not the noun with an s.
std::string counted(Index count, const std::string& noun, const std::string& plural = "");

// The size of data, "12 MB", "5.4 GB"; MB and GB are powers of ten.
std::string data_size(double bytes);

// "a.jpg, b.jpg, c.jpg and 66 more": the first three names.
std::string first_names(std::span<const std::string> names);

}  // namespace saccade
