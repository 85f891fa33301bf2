#include "core/io/archive_index.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/shallow_json.h"
#include "core/io/half.h"
#include "core/io/packing.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr const char* kPacked = "packed";
constexpr const char* kFilters = "shuffle deflate";

class Reader {
 public:
  Reader(std::span<const std::byte> image, const std::string& source, const EntryVisitor& visitor,
         const std::shared_ptr<const void>& memory)
      : image_(image), source_(source), visitor_(visitor), memory_(memory) {}

  void read(std::string_view text) {
    const Json index = shallow_json<Json>(text);
    if (!index.is_array()) refuse("?", "no readable index");
    for (const Json& item : index) entry(item);
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw CheckpointError(source_ + ": entry '" + name + "': " + why +
                          "; this is no checkpoint that this version of the program can read");
  }

  void entry(const Json& item) {
    EntryPlace place;
    if (!item.is_object()) refuse("?", "an index of another form");
    place.name = text(item, "name");
    const bool new_name = names_.insert(place.name).second;
    if (!new_name || !Archive::bad_name(place.name).empty()) refuse("?", "a name not allowed");
    place.type = text(item, "type");
    place.offset = number(item, "offset", place.name);
    place.bytes = number(item, "bytes", place.name);
    place.packed = item.contains(kPacked);
    const bool may_be_packed = place.type == "f16" || place.type == "i16";
    if (place.packed && (!may_be_packed || text(item, kPacked) != kFilters))
      refuse(place.name, "packed in a way not allowed");
    const std::size_t count = read_shape(item, place);
    if (place.offset > image_.size() || place.bytes > image_.size() - place.offset) {
      refuse(place.name, "lies outside the file");
    }
    // Every byte may belong to one entry only, so that no more is read than the file holds.
    total_ += place.bytes;
    if (total_ > image_.size()) refuse(place.name, "overlaps another");
    give(place, count);
  }

  std::string text(const Json& item, const char* key) const {
    const auto found = item.find(key);
    if (found == item.end() || !found->is_string()) refuse("?", "an index of another form");
    return found->get<std::string>();
  }

  std::uint64_t number(const Json& item, const char* key, const std::string& name) const {
    const auto found = item.find(key);
    if (found == item.end() || !found->is_number_unsigned()) refuse(name, "a number not allowed");
    return found->get<std::uint64_t>();
  }

  // Reads the shape and returns its number of elements.
  std::size_t read_shape(const Json& item, EntryPlace& place) const {
    const auto found = item.find("shape");
    if (found == item.end() || !found->is_array() || found->size() > kMostExtents) {
      refuse(place.name, "a shape not allowed");
    }
    std::size_t count = 1;
    for (const Json& extent : *found) {
      const bool small = extent.is_number_unsigned() &&
                         extent.get<std::uint64_t>() <= kMostPackedPerByte * image_.size() &&
                         !__builtin_mul_overflow(count, extent.get<std::uint64_t>(), &count);
      if (!small) refuse(place.name, "claims more values than the file has bytes");
      place.shape.push_back(extent.get<Index>());
    }
    return count;
  }

  void give(const EntryPlace& place, std::size_t count) {
    if (place.type == "f32") return numbers<float>(place, count);
    if (place.type == "f16") return halves(place, count);
    if (place.type == "f64") return numbers<double>(place, count);
    if (place.type == "i64") return numbers<std::int64_t>(place, count);
    if (place.type == "u64") {
      std::uint64_t value = 0;
      if (!place.shape.empty() || place.bytes != sizeof value)
        refuse(place.name, "is not a number");
      std::memcpy(&value, image_.data() + place.offset, sizeof value);
      return visitor_(place.name, value);
    }
    const char* start = reinterpret_cast<const char*>(image_.data()) + place.offset;
    if (place.type == "text") {
      if (!place.shape.empty()) refuse(place.name, "is not a text");
      return visitor_(place.name, unpadded({start, place.bytes}));
    }
    if (place.type == "texts") {
      if (place.shape.size() != 1 || (count == 0 ? place.bytes != 0 : place.bytes % count != 0) ||
          place.bytes < count) {
        refuse(place.name, "is not a list of texts");
      }
      std::vector<std::string> list;
      list.reserve(count);
      const std::size_t width = count == 0 ? 0 : place.bytes / count;
      for (std::size_t i = 0; i < count; ++i) list.push_back(unpadded({start + i * width, width}));
      return visitor_(place.name, std::move(list));
    }
    if (place.type == "joined") return visitor_(place.name, joined_texts(place, count));
    refuse(place.name, "a type not allowed");
  }

  // Texts of which a zero byte ends each.
  std::vector<std::string> joined_texts(const EntryPlace& place, std::size_t count) {
    std::string_view rest(reinterpret_cast<const char*>(image_.data()) + place.offset, place.bytes);
    if (place.shape.size() != 1 ||
        static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\0')) != count ||
        (count > 0 && rest.back() != '\0') || (count == 0 && !rest.empty()))
      refuse(place.name, "is not a list of texts");
    std::vector<std::string> list;
    list.reserve(count);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\0');
      list.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    return list;
  }

  template <class T>
  void numbers(const EntryPlace& place, std::size_t count) {
    if (count > image_.size() || place.bytes != count * sizeof(T)) {
      refuse(place.name, "claims more values than it has bytes");
    }
    const std::byte* const first = image_.data() + place.offset;
    if (memory_ && reinterpret_cast<std::uintptr_t>(first) % alignof(T) == 0)
      return visitor_(
          place.name,
          NumberArray<T>::shared(place.shape, {reinterpret_cast<const T*>(first), count}, memory_));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), first, place.bytes);
    visitor_(place.name, NumberArray<T>(place.shape, std::move(values)));
  }

  // Numbers of two bytes, which may be packed.
  template <class T>
  std::vector<T> small_numbers(const EntryPlace& place, std::size_t count) {
    if (place.packed ? count > kMostPackedPerByte * place.bytes
                     : count > image_.size() || place.bytes != count * sizeof(T)) {
      refuse(place.name, "claims more values than it has bytes");
    }
    std::vector<T> numbers(count);
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(numbers));
    const std::span<const std::byte> stored = image_.subspan(place.offset, place.bytes);
    if (place.packed) {
      if (!unpack(stored, sizeof(T), bytes)) refuse(place.name, "cannot be unpacked");
    } else {
      std::copy(stored.begin(), stored.end(), bytes.begin());
    }
    return numbers;
  }

  void halves(const EntryPlace& place, std::size_t count) {
    const std::vector<std::uint16_t> bits = small_numbers<std::uint16_t>(place, count);
    std::vector<float> values(count);
    floats_from_halves(bits, values);
    visitor_(place.name, NumberArray<float>::in_16_bits(place.shape, std::move(values)));
  }

  static std::string unpadded(std::string_view padded) {
    return std::string(padded.substr(0, padded.find_last_not_of('\0') + 1));  // npos + 1 is 0
  }

  std::span<const std::byte> image_;
  const std::string& source_;
  const EntryVisitor& visitor_;
  const std::shared_ptr<const void>& memory_;
  std::set<std::string> names_;
  std::uint64_t total_ = 0;
};

}  // namespace

std::string index_text(const std::vector<EntryPlace>& places) {
  Json index = Json::array();
  for (const EntryPlace& place : places) {
    index.push_back({{"name", place.name},
                     {"type", place.type},
                     {"shape", place.shape},
                     {"offset", place.offset},
                     {"bytes", place.bytes}});
    if (place.packed) index.back()[kPacked] = kFilters;
  }
  return index.dump();
}

void visit_entries(std::span<const std::byte> image, std::string_view index,
                   const std::string& source, const EntryVisitor& visitor,
                   const std::shared_ptr<const void>& memory) {
  Reader(image, source, visitor, memory).read(index);
}

}  // namespace saccade
