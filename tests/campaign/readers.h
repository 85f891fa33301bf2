// The readers that a campaign feeds with damaged input, by name. Each takes the bytes of a file or
// of a request; what it may throw is a saccade::Error other than InternalError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace saccade::campaign {

using Bytes = std::vector<std::uint8_t>;
using Input = std::span<const std::uint8_t>;

struct Reader {
  std::string name;
  std::function<void(Input)> read;
  // Inputs of our own making from which mutations start. Files of the reader's name in
  // tests/campaign/seeds come on top.
  std::function<std::vector<Bytes>()> seeds;
  // Words of the format, which mutations put into inputs.
  std::vector<std::string> words;
};

// The readers of texts, numbers and weights; of captions; of pictures and networks; of requests.
std::vector<Reader> all_readers();
std::vector<Reader> file_readers();
std::vector<Reader> caption_readers();
std::vector<Reader> network_readers();

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// A file of this name with these bytes, in a folder that belongs to the process and is emptied at
// its end. It replaces the file of the last call.
std::filesystem::path scratch_file(const std::string& name, Input bytes);
// The bytes of a file, which must be readable.
Bytes bytes_of_file(const std::filesystem::path& file);

}  // namespace saccade::campaign
