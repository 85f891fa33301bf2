// Named values in memory, as a checkpoint file holds them. Names are paths such as
// `parameters/decoder/lstm/weight`; entries are ordered by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// An array of numbers in row-major order. It owns them, shares the memory of a file that was read,
// or borrows them (to save without a copy); the caller must then keep them until the archive is
// written.
template <class T>
class NumberArray {
 public:
  NumberArray(std::vector<Index> shape, std::vector<T> values)
      : shape_(std::move(shape)), own_(std::move(values)) {}
  static NumberArray borrowed(std::vector<Index> shape, std::span<const T> values) {
    NumberArray array(std::move(shape), {});
    array.borrowed_ = values;
    array.is_borrowed_ = true;
    return array;
  }
  static NumberArray shared(std::vector<Index> shape, std::span<const T> values,
                            std::shared_ptr<const void> memory) {
    NumberArray array = borrowed(std::move(shape), values);
    array.memory_ = std::move(memory);
    return array;
  }
  // Numbers (floats) that files keep in 16 bits, and that 16-bit floats hold exactly.
  static NumberArray in_16_bits(std::vector<Index> shape, std::vector<T> values) {
    NumberArray array(std::move(shape), std::move(values));
    array.has_16_bits_ = true;
    return array;
  }

  const std::vector<Index>& shape() const { return shape_; }
  bool has_16_bits() const { return has_16_bits_; }
  std::span<const T> values() const { return is_borrowed_ ? borrowed_ : std::span<const T>(own_); }

 private:
  std::vector<Index> shape_;
  std::vector<T> own_;
  std::span<const T> borrowed_;
  std::shared_ptr<const void> memory_;  // in which borrowed numbers lie, where it is shared
  bool is_borrowed_ = false, has_16_bits_ = false;
};

// The most extents that an array of an archive may have.
inline constexpr std::size_t kMostExtents = 5;

class Archive {
 public:
  using Entry = std::variant<NumberArray<float>, NumberArray<double>, NumberArray<std::int64_t>,
                             std::uint64_t, std::string, std::vector<std::string>>;

  Archive() = default;
  // `source` is named in the errors of the getters; it is the file that an archive was loaded from.
  explicit Archive(std::string source) : source_(std::move(source)) {}

  // Each of these adds an entry. A shape has at most kMostExtents extents, and their product is the
  // number of values. Throws InternalError on a bad name, a name that exists already, or values
  // that do not fill the shape.
  void add_floats(const std::string& name, std::vector<Index> shape, std::vector<float> values);
  // Files keep these in 16 bits: each number becomes the nearest 16-bit float, ties to even. Throws
  // CheckpointError, which names the entry, where a number is not finite or too large for that.
  void add_halves(const std::string& name, std::vector<Index> shape, std::span<const float> values);
  void add_doubles(const std::string& name, std::vector<Index> shape, std::vector<double> values);
  void add_int64s(const std::string& name, std::vector<Index> shape,
                  std::vector<std::int64_t> values);
  // This does not copy; the values must live until the archive is saved.
  void borrow_floats(const std::string& name, std::vector<Index> shape,
                     std::span<const float> values);
  void add_uint64(const std::string& name, std::uint64_t value);
  void add_string(const std::string& name, std::string text);
  void add_strings(const std::string& name, std::vector<std::string> texts);

  // Each of these throws CheckpointError, which names the file, the entry, what was expected and
  // what was found. Where a shape is given, the array must have it.
  const NumberArray<float>& floats(const std::string& name) const;
  const NumberArray<double>& doubles(const std::string& name) const;
  const NumberArray<std::int64_t>& int64s(const std::string& name) const;
  std::span<const float> floats(const std::string& name, std::span<const Index> shape) const;
  std::span<const double> doubles(const std::string& name, std::span<const Index> shape) const;
  std::span<const std::int64_t> int64s(const std::string& name, std::span<const Index> shape) const;
  std::uint64_t uint64(const std::string& name) const;
  const std::string& string(const std::string& name) const;
  const std::vector<std::string>& strings(const std::string& name) const;

  bool contains(const std::string& name) const { return entries_.contains(name); }
  // The names that start with a prefix, in order; all names for "".
  std::vector<std::string> names(const std::string& prefix = "") const;
  const std::map<std::string, Entry>& entries() const { return entries_; }
  const std::string& source() const { return source_; }

  // What is wrong with the name of an entry, or "" if nothing is: it must have the form of a path
  // of letters, digits and `_.-`.
  static std::string bad_name(const std::string& name);
  // A description such as "float array [3, 4]".
  static std::string describe(const Entry& entry);

  // Adds an entry of any type.
  void add(const std::string& name, Entry entry);

 private:
  template <class T>
  const T& get(const std::string& name, const std::string& expected) const;
  template <class T>
  std::span<const T> get_shaped(const std::string& name, std::span<const Index> shape,
                                const char* type) const;
  [[noreturn]] void fail(const std::string& name, const std::string& expected,
                         const std::string& found) const;

  std::string source_ = "archive";
  std::map<std::string, Entry> entries_;
};

// Whether two entries have the same type, shape and bits, and whether two archives have equal
// entries.
bool same_entry(const Archive::Entry& a, const Archive::Entry& b);
bool same_entries(const Archive& a, const Archive& b);

}  // namespace saccade
