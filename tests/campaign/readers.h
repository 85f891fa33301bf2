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

// The readers of a program.
std::vector<Reader> all_readers();
// Its parts: weights, arrays and checkpoints; captions to score; captions and boxes of data sets;
// what decides a model; pictures, networks and what hubs publish; requests, and what runs wrote.
std::vector<Reader> file_readers();
std::vector<Reader> scoring_readers();
std::vector<Reader> caption_readers();
std::vector<Reader> model_readers();
std::vector<Reader> network_readers();
std::vector<Reader> run_readers();

// What other packages made, of which some readers take their seeds.
inline const std::filesystem::path kGolden = std::filesystem::path(SACCADE_SOURCE) / "tests/golden";

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// Damages small files byte by byte (flips.cpp), all or those of these names; every N-th byte where
// `every` is not 0. Returns the exit code.
int flips(const std::vector<std::string>& names, std::size_t every);

// A file of this name with these bytes, in a folder that belongs to the process and is emptied at
// its end. It replaces the file of the last call.
std::filesystem::path scratch_file(const std::string& name, Input bytes);
// The bytes of a file, which must be readable.
Bytes bytes_of_file(const std::filesystem::path& file);
// The bytes that `write` gives a file of this name.
Bytes written_bytes(const std::string& name,
                    const std::function<void(const std::filesystem::path&)>& write);
// A cache with two rows and the place of a third that was left out.
Bytes cached_rows(bool half);
// The bytes of all files of a folder with this ending, in the order of their names.
std::vector<Bytes> files(const std::filesystem::path& folder, const std::string& ending);

}  // namespace saccade::campaign
