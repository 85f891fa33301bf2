#include "core/base/picture_names.h"

#include <algorithm>
#include <array>
#include <cctype>
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

}  // namespace saccade
