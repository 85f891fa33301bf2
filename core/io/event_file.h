// Event files as TensorBoard reads them. Each record is the length of its data (8 bytes, little
// endian), the masked CRC-32C of that, the data and its masked CRC-32C; the data is a serialized
// protocol buffer of TensorFlow's message Event (tensorflow/core/util/event.proto, summary.proto).
// The mask is ((crc >> 15) | (crc << 17)) + 0xa282ead8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/io/atomic_file.h"

namespace saccade {

struct EventImage {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> png;
};

// Its shape is kept, in buckets of equal width; values that are not finite are left out.
struct EventHistogram {
  std::vector<double> values;
};

// One value of an event; "section/name" puts it into a section of the page.
struct EventValue {
  std::string tag;
  std::variant<double, EventImage, EventHistogram> value;
};

class EventFile {
 public:
  // Makes a new file in the directory, named by the time and the process. `resumed_at`: values of
  // later steps in the directory's older files count no more. Throws IoError.
  explicit EventFile(const std::filesystem::path& directory,
                     std::optional<std::int64_t> resumed_at = std::nullopt);

  // Appends an event; a histogram without values is left out. Throws IoError.
  void add(std::int64_t step, std::span<const EventValue> values);

  const std::filesystem::path& path() const { return path_; }

 private:
  void append(const std::string& event);

  std::filesystem::path path_;
  FileHandle file_;
};

}  // namespace saccade
