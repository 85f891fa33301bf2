// Which files are pictures, by the endings of their names.
#pragma once

#include <filesystem>

namespace saccade {

// Whether the name ends as that of a JPEG, PNG, BMP, WebP or TIFF file (in upper or lower case) and
// does not begin with a dot.
bool named_as_picture(const std::filesystem::path& path);

// Whether the name ends as that of a picture which read_image() does not read: HEIC, AVIF, GIF,
// JPEG XL, raw files of cameras.
bool named_as_unread_picture(const std::filesystem::path& path);

}  // namespace saccade
