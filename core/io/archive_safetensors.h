// A whole archive as a safetensors file and back, bit for bit: parameters by torch's names and
// layouts for other programs, all else beside them.
#pragma once

#include <filesystem>

#include "core/io/archive.h"
#include "core/io/safetensors.h"

namespace saccade {

// Writes `parameters/<name>` as torch_tensor() says, other arrays by their names in the archive,
// and texts and single numbers into the metadata. Throws IoError as save_safetensors does.
void export_archive(const Archive& archive, const std::filesystem::path& path);

// Throws DataError when export_archive() did not write the file, or it was changed since so that
// it is no archive.
Archive import_archive(const SafetensorsFile& file);

}  // namespace saccade
