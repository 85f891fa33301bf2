#include "core/io/event_file.h"

#include <google/protobuf/unknown_field_set.h>

#include <bit>
#include <cstring>
#include <deque>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Fields = google::protobuf::UnknownFieldSet;

// The polynomial's division, bit by bit.
std::uint32_t slow_crc32c(const std::string& bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const bool one = ((rest >> 31) ^ (static_cast<unsigned>(byte) >> bit & 1)) != 0;
      rest = rest << 1 ^ (one ? 0x1EDC6F41U : 0);
    }
  std::uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (rest >> bit & 1) << (31 - bit);
  return ~reversed;
}

std::uint32_t unmasked(std::uint32_t masked) { return std::rotl(masked - 0xa282ead8U, 15); }

template <class T>
T take(const std::string& bytes, std::size_t& at) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  at += sizeof(T);
  return value;
}

// The events of a file. All checksums must be right.
std::deque<Fields> read_events(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::deque<Fields> events;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string length = bytes.substr(at, 8);
    const auto size = take<std::uint64_t>(bytes, at);
    REQUIRE(unmasked(take<std::uint32_t>(bytes, at)) == slow_crc32c(length));
    const std::string data = bytes.substr(at, size);
    at += size;
    REQUIRE(unmasked(take<std::uint32_t>(bytes, at)) == slow_crc32c(data));
    REQUIRE(events.emplace_back().ParseFromString(data));
  }
  return events;
}

const google::protobuf::UnknownField* find(const Fields& fields, int number) {
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number) return &fields.field(i);
  return nullptr;
}

std::string text_of(const Fields& fields, int number) {
  return find(fields, number)->length_delimited();
}

std::unique_ptr<Fields> message_of(const Fields& fields, int number) {
  REQUIRE(find(fields, number) != nullptr);
  auto out = std::make_unique<Fields>();
  REQUIRE(out->ParseFromString(text_of(fields, number)));
  return out;
}

double real_of(const Fields& fields, int number) {
  return std::bit_cast<double>(find(fields, number)->fixed64());
}

std::vector<double> reals_of(const Fields& fields, int number) {
  const std::string bytes = text_of(fields, number);
  std::vector<double> out;
  for (std::size_t at = 0; at < bytes.size();) out.push_back(take<double>(bytes, at));
  return out;
}

TEST_CASE("an event file holds what was added, as a second reader of the format sees it") {
  const test::TempFolder folder("events");
  REQUIRE(slow_crc32c("123456789") == 0xE3069283);  // the check value of the polynomial
  EventFile file(folder.path());
  const std::vector<EventValue> values = {
      {"train/loss", 2.5},
      {"attention/entropy", EventHistogram{{0.0, 1.0, 1.0, std::nan(""), 0.5}}},
      {"none", EventHistogram{{}}},
      {"sheets/scene", EventImage{.height = 3, .width = 300, .png = {1, 2, 0, 255}}}};
  file.add(1000, values);
  const std::deque<Fields> events = read_events(file.path());
  REQUIRE(events.size() == 2);
  CHECK(text_of(events[0], 3) == "brain.Event:2");
  CHECK(find(events[1], 2)->varint() == 1000);
  CHECK(real_of(events[1], 1) > 1.7e9);

  const auto summary = message_of(events[1], 5);
  REQUIRE(summary->field_count() == 3);
  std::deque<Fields> found(3);
  for (int i = 0; i < 3; ++i)
    REQUIRE(
        found[static_cast<std::size_t>(i)].ParseFromString(summary->field(i).length_delimited()));
  CHECK(text_of(found[0], 1) == "train/loss");
  CHECK(std::bit_cast<float>(find(found[0], 2)->fixed32()) == 2.5F);

  const auto histogram = message_of(found[1], 5);
  CHECK(real_of(*histogram, 1) == 0);
  CHECK(real_of(*histogram, 2) == 1);
  CHECK(real_of(*histogram, 3) == 4);
  CHECK(real_of(*histogram, 4) == 2.5);
  CHECK(real_of(*histogram, 5) == 2.25);
  const std::vector<double> limits = reals_of(*histogram, 6), counts = reals_of(*histogram, 7);
  REQUIRE(limits.size() == counts.size());
  CHECK(std::is_sorted(limits.begin(), limits.end()));
  CHECK(limits.back() == 1);
  CHECK(counts.front() == 1);
  CHECK(counts.back() == 2);
  CHECK(counts[14] == 1);  // 0.5 is the right edge of bin 15 of 30

  const auto image = message_of(found[2], 4);
  CHECK(find(*image, 1)->varint() == 3);
  CHECK(find(*image, 2)->varint() == 300);
  CHECK(text_of(*image, 4) == std::string("\x01\x02\x00\xff", 4));
}

TEST_CASE("the event file of a resumed run takes back what was written after its checkpoint") {
  const test::TempFolder folder("events");
  const EventFile first(folder.path()), second(folder.path(), 40);
  CHECK(first.path() != second.path());
  const std::deque<Fields> events = read_events(second.path());
  REQUIRE(events.size() == 2);
  CHECK(find(events[1], 2)->varint() == 41);  // readers drop this step and later ones
  CHECK(find(*message_of(events[1], 7), 1)->varint() == 1);
}

}  // namespace
}  // namespace saccade
