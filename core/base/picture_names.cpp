#include "core/base/picture_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace saccade {

namespace fs = std::filesystem;

namespace {

bool ends_with_one_of(const fs::path& path, std::span<const std::string_view> endings) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return !path.filename().string().starts_with(".") &&
         std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// The last `parts` parts of a path.
std::string end_of(const std::filesystem::path& path, std::ptrdiff_t parts) {
  std::filesystem::path out;
  const std::ptrdiff_t all = std::distance(path.begin(), path.end());
  for (auto part = std::next(path.begin(), std::max<std::ptrdiff_t>(all - parts, 0));
       part != path.end(); ++part)
    out /= *part;
  return out.string();
}

}  // namespace

bool named_as_picture(const fs::path& path) {
  constexpr std::array<std::string_view, 9> kEndings = {".jpg", ".jpeg", ".jfif", ".jpe", ".png",
                                                        ".bmp", ".webp", ".tif",  ".tiff"};
  return ends_with_one_of(path, kEndings);
}

bool named_as_unread_picture(const fs::path& path) {
  constexpr std::array<std::string_view, 10> kEndings = {".heic", ".heif", ".avif", ".gif", ".jxl",
                                                         ".jp2",  ".dng",  ".cr2",  ".nef", ".arw"};
  return ends_with_one_of(path, kEndings);
}

std::vector<std::string> shortest_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names(paths.size());
  std::vector<bool> named(paths.size(), false);
  for (std::ptrdiff_t parts = 1; std::count(named.begin(), named.end(), false) > 0; ++parts) {
    std::map<std::string, std::string> owner;  // the path that has a name; "" where several have it
    for (const std::string& path : paths) {
      const auto [it, first] = owner.try_emplace(end_of(path, parts), path);
      if (!first && it->second != path) it->second.clear();
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (named[i]) continue;
      names[i] = end_of(paths[i], parts);
      named[i] = owner.at(names[i]) == paths[i] || names[i] == end_of(paths[i], parts + 1);
    }
  }
  return names;
}

}  // namespace saccade
