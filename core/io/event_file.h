// Event files as TensorBoard reads them. Each record is the length of its data (8 bytes, little
// endian), the masked CRC-32C of the length, the data, and their masked CRC-32C. The data are a
// serialized protocol buffer of TensorFlow's message Event (tensorflow/core/util/event.proto,
// summary.proto). The mask is ((crc >> 15) | (crc << 17)) + 0xa282ead8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/atomic_file.h"

namespace saccade {

struct EventImage {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> png;
};

// Its distribution is kept in buckets of equal width; values that are not finite are left out.
struct EventHistogram {
  std::vector<double> values;
};

// One value of an event. A tag of the form "section/name" puts it into a section of the page.
struct EventValue {
  std::string tag;
  std::variant<double, EventImage, EventHistogram> value;
};

class EventFile {
 public:
  // Makes a new file in the directory, named after the time and the process. `resumed_at`:
  // TensorBoard discards values of later steps in older files of the directory. Throws IoError.
  explicit EventFile(const std::filesystem::path& directory,
                     std::optional<std::int64_t> resumed_at = std::nullopt);

  // Appends an event; histograms without values are left out. Throws IoError.
  void add(std::int64_t step, std::span<const EventValue> values);

  const std::filesystem::path& path() const { return path_; }

 private:
  void append(const std::string& event);

  std::filesystem::path path_;
  FileHandle file_;
};

}  // namespace saccade
