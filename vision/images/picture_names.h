// Which files are pictures, by the endings of their names.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// Whether the name ends as that of a JPEG, PNG, BMP, WebP or TIFF file (in upper or lower case) and
// does not begin with a dot.
bool named_as_picture(const std::filesystem::path& path);

// Whether the name ends as that of a picture which read_image() does not read: HEIC, AVIF, GIF,
// JPEG XL, raw files of cameras.
bool named_as_unread_picture(const std::filesystem::path& path);

// The pictures in a folder (not in folders below it), sorted by name; those among its files that
// are pictures of the other kind, and those that begin as a picture that is read, but are named
// otherwise; how many folders are below it. Throws DataError where the folder cannot be listed.
struct FolderPictures {
  std::vector<std::filesystem::path> pictures, unread, misnamed;
  Index folders = 0;
};
FolderPictures pictures_in(const std::filesystem::path& folder);

}  // namespace saccade
