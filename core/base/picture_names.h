// The names of picture files: which are pictures, by their endings, and how they are called.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

// Whether the name ends as that of a JPEG, PNG, BMP, WebP or TIFF file (in upper or lower case) and
// does not begin with a dot.
bool named_as_picture(const std::filesystem::path& path);

// Whether the name ends as that of a picture which read_image() does not read: HEIC, AVIF, GIF,
// JPEG XL, raw files of cameras.
bool named_as_unread_picture(const std::filesystem::path& path);

// What a page that is sent to others calls photos: the file name of each path without its folders,
// with as many of the folders as tell it from a photo of the same name.
std::vector<std::string> shortest_names(const std::vector<std::string>& paths);

}  // namespace saccade
