// The pictures in a folder.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// The pictures in a folder (not in folders below it), sorted by name; those among its files that
// are pictures of the other kind, and those that begin as a picture that is read, but are named
// otherwise; how many folders are below it. Throws DataError where the folder cannot be listed.
struct FolderPictures {
  std::vector<std::filesystem::path> pictures, unread, misnamed;
  Index folders = 0;
};
FolderPictures pictures_in(const std::filesystem::path& folder);

}  // namespace saccade
