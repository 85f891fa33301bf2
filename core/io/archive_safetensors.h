// Writes a whole archive as a safetensors file and reads it back, bit for bit: parameters by
// torch's names and layouts for other programs, and everything else beside them.
#pragma once

#include <filesystem>

#include "core/io/archive.h"
#include "core/io/safetensors.h"

namespace saccade {

// Writes `parameters/<name>` in the form of torch_tensor(), other arrays by their names in the
// archive, and texts and single numbers into the metadata. Throws IoError as save_safetensors does.
void export_archive(const Archive& archive, const std::filesystem::path& path);

// Throws DataError when the file was not written by export_archive(), or was changed since, which
// its digest shows; a file of an older version has none (SafetensorsFile::has_digest()).
Archive import_archive(const SafetensorsFile& file);

}  // namespace saccade
