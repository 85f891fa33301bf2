#include "core/base/listing.h"

#include <algorithm>

namespace saccade {

std::string counted(Index count, const std::string& noun, const std::string& plural) {
  const std::string many = plural.empty() ? noun + "s" : plural;
  return std::to_string(count) + " " + (count == 1 ? noun : many);
}

std::string first_names(std::span<const std::string> names) {
  constexpr std::size_t kMost = 3;
  std::string out;
  const std::size_t shown = std::min(names.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

}  // namespace saccade
