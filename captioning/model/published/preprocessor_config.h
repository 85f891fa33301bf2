// What the preprocessor_config.json, or the processor_config.json, of a published captioner says of
// its pictures.
#pragma once

#include <filesystem>

namespace saccade {

class JsonFile;

// That of a folder. Throws DataError, which names the file and the key, where it is missing, where
// it prepares pictures in a way that saccade does not have, or where a value is none of its key.
JsonFile read_preprocessor(const std::filesystem::path& folder);

}  // namespace saccade
