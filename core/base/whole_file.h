// Whole files in memory. Everything may include it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace saccade {

// The bytes of a file; none where there is no file of this name. Throws IoError where it cannot be
// read, as a folder, and DataError where it has more than 2 GiB; both name it.
std::optional<std::string> whole_file(const std::filesystem::path& path);

}  // namespace saccade
