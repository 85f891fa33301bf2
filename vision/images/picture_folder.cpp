#include "vision/images/picture_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <span>

#include "core/base/error.h"
#include "core/base/picture_names.h"
#include "vision/images/image_header.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

bool holds_picture(const fs::path& path) {
  std::array<char, 32> head{};
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), head.size());
  const auto count = static_cast<std::size_t>(in.gcount());
  return begins_as_image({reinterpret_cast<const std::uint8_t*>(head.data()), count});
}

}  // namespace

FolderPictures pictures_in(const fs::path& folder) {
  FolderPictures out;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;  // a file may be removed while it is examined
    if (entry->is_directory(gone)) ++out.folders;
    if (!entry->is_regular_file(gone)) continue;
    if (named_as_picture(entry->path())) {
      out.pictures.push_back(entry->path());
    } else if (named_as_unread_picture(entry->path())) {
      out.unread.push_back(entry->path());
    } else if (!is_hidden(entry->path()) && holds_picture(entry->path())) {
      out.misnamed.push_back(entry->path());
    }
  }
  if (error)
    throw DataError(str(folder.string(), ": the folder cannot be listed: ", error.message(),
                        "; check its name and its permissions"));
  std::sort(out.pictures.begin(), out.pictures.end());
  std::sort(out.unread.begin(), out.unread.end());
  std::sort(out.misnamed.begin(), out.misnamed.end());
  return out;
}

}  // namespace saccade
