#include "core/io/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/crc.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kBuckets = 30;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

template <class T>
std::string raw(T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  return {bytes.begin(), bytes.end()};
}

using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

std::uint32_t masked_crc(const std::string& bytes) {
  Crc32c crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return std::rotr(crc.checksum(), 15) + 0xa282ead8U;
}

// A message of protocol buffers: before each value stands a tag of field number and wire type.
class Message {
 public:
  void integer(unsigned field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  void real(unsigned field, double value) {
    tag(field, 1);
    bytes_ += raw(value);
  }
  void single(unsigned field, float value) {
    tag(field, 5);
    bytes_ += raw(value);
  }
  void bytes(unsigned field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(unsigned field, const Message& value) { bytes(field, value.bytes_); }
  void reals(unsigned field, const std::vector<double>& values) {  // packed
    std::string all;
    for (const double value : values) all += raw(value);
    bytes(field, all);
  }
  const std::string& text() const { return bytes_; }

 private:
  void tag(unsigned field, unsigned type) { varint(field << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7.
Message event_at(std::int64_t step) {
  Message event;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  event.real(1, std::chrono::duration<double>(now).count());
  event.integer(2, step);
  return event;
}

// Summary.Image: height = 1, width = 2, colorspace = 3 (3 is RGB), encoded_image_string = 4.
Message image_message(const EventImage& image) {
  Message out;
  out.integer(1, image.height);
  out.integer(2, image.width);
  out.integer(3, 3);
  out.bytes(4, {reinterpret_cast<const char*>(image.png.data()), image.png.size()});
  return out;
}

// HistogramProto: min = 1, max = 2, num = 3, sum = 4, sum_squares = 5, bucket_limit = 6 (right
// edges), bucket = 7 (counts).
Message histogram_message(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::size_t buckets = *low < *high ? kBuckets : 1;
  const double width = (*high - *low) / static_cast<double>(buckets);
  std::vector<double> limits(buckets, *high), counts(buckets, 0.0);
  for (std::size_t b = 0; b + 1 < buckets; ++b)
    limits[b] = *low + width * static_cast<double>(b + 1);
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    const auto bucket = std::lower_bound(limits.begin(), limits.end(), value) - limits.begin();
    counts[std::min(static_cast<std::size_t>(bucket), buckets - 1)] += 1;
  }
  Message out;
  out.real(1, *low);
  out.real(2, *high);
  out.real(3, static_cast<double>(values.size()));
  out.real(4, sum);
  out.real(5, squares);
  out.reals(6, limits);
  out.reals(7, counts);
  return out;
}

// Summary.Value: tag = 1, simple_value = 2, image = 4, histo = 5. An empty histogram gives nothing.
std::optional<Message> value_message(const EventValue& value) {
  Message out;
  out.bytes(1, value.tag);
  if (const auto* number = std::get_if<double>(&value.value))
    out.single(2, static_cast<float>(*number));
  if (const auto* image = std::get_if<EventImage>(&value.value))
    out.message(4, image_message(*image));
  if (const auto* histogram = std::get_if<EventHistogram>(&value.value)) {
    std::vector<double> finite = histogram->values;
    std::erase_if(finite, [](double one) { return !std::isfinite(one); });
    if (finite.empty()) return std::nullopt;
    out.message(5, histogram_message(finite));
  }
  return out;
}

std::filesystem::path new_path(const std::filesystem::path& directory) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  return directory / str("events.out.tfevents.", seconds, ".saccade.", ::getpid());
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& directory,
                     std::optional<std::int64_t> resumed_at) {
  const std::filesystem::path first = new_path(directory);
  path_ = first;
  // One process may start two runs within a second, as a resumed comparison can.
  for (int k = 2;; ++k) {
    file_ = FileHandle(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.fd() >= 0) break;
    if (errno != EEXIST) throw_io_error("write", path_, errno);
    path_ = first.string() + "." + std::to_string(k);
  }
  Message version = event_at(0);
  version.bytes(3, "brain.Event:2");
  append(version.text());
  if (!resumed_at) return;
  Message start;
  start.integer(1, 1);  // SessionLog: status = 1, START = 1
  Message session = event_at(*resumed_at + 1);
  session.message(7, start);
  append(session.text());
}

void EventFile::add(std::int64_t step, std::span<const EventValue> values) {
  Message summary;
  for (const EventValue& value : values)
    if (const auto message = value_message(value)) summary.message(1, *message);
  if (summary.text().empty()) return;
  Message event = event_at(step);
  event.message(5, summary);
  append(event.text());
}

void EventFile::append(const std::string& event) {
  const std::string length = raw(static_cast<std::uint64_t>(event.size()));
  const std::string record = length + raw(masked_crc(length)) + event + raw(masked_crc(event));
  const FileSizeSignalGuard guard;
  if (const int error = write_all(file_.fd(), std::as_bytes(std::span(record))))
    throw_io_error("write", path_, error);
}

}  // namespace saccade
