#include "core/io/archive.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/io/half.h"

namespace saccade {

namespace {

constexpr std::size_t kMostNameLetters = 250;

std::string shape_text(std::span<const Index> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

template <class T>
bool fills(const NumberArray<T>& array) {
  if (array.shape().size() > kMostExtents) return false;
  Index count = 1;
  for (const Index extent : array.shape()) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return false;
  }
  return static_cast<std::size_t>(count) == array.values().size();
}

struct Filled {
  template <class T>
  bool operator()(const NumberArray<T>& array) const {
    return fills(array);
  }
  template <class T>
  bool operator()(const T&) const {
    return true;
  }
};

struct Describe {
  std::string operator()(const NumberArray<float>& a) const {
    return "float array " + shape_text(a.shape()) + (a.has_16_bits() ? " in 16 bits" : "");
  }
  std::string operator()(const NumberArray<double>& a) const {
    return "double array " + shape_text(a.shape());
  }
  std::string operator()(const NumberArray<std::int64_t>& a) const {
    return "int64 array " + shape_text(a.shape());
  }
  std::string operator()(std::uint64_t) const { return "uint64"; }
  std::string operator()(const std::string&) const { return "string"; }
  std::string operator()(const std::vector<std::string>& list) const {
    return "list of " + std::to_string(list.size()) + " strings";
  }
};

template <class T>
bool same(const NumberArray<T>& a, const NumberArray<T>& b) {
  const std::size_t bytes = a.values().size_bytes();
  return a.shape() == b.shape() && a.has_16_bits() == b.has_16_bits() &&
         b.values().size_bytes() == bytes &&
         (bytes == 0 || std::memcmp(a.values().data(), b.values().data(), bytes) == 0);
}
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

}  // namespace

std::string Archive::bad_name(const std::string& name) {
  if (name.empty() || name.size() > kMostNameLetters) return "a name has 1 to 250 letters";
  std::size_t start = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '/';
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
    if (word) continue;
    if (c != '/') return "only letters, digits and _ - . / are allowed";
    const std::string part = name.substr(start, i - start);
    if (part.empty() || part == "." || part == "..") return "a part of the path is empty or dots";
    start = i + 1;
  }
  return "";
}

std::string Archive::describe(const Entry& entry) { return std::visit(Describe{}, entry); }

void Archive::add(const std::string& name, Entry entry) {
  const std::string wrong = bad_name(name);
  SACCADE_ASSERT(wrong.empty(), "archive entry '", name, "': ", wrong);
  SACCADE_ASSERT(std::visit(Filled{}, entry), "archive entry '", name, "': ", describe(entry),
                 " does not have as many values");
  SACCADE_ASSERT(entries_.emplace(name, std::move(entry)).second, "archive entry '", name,
                 "' exists");
}

void Archive::add_floats(const std::string& name, std::vector<Index> shape,
                         std::vector<float> values) {
  add(name, NumberArray<float>(std::move(shape), std::move(values)));
}
void Archive::add_halves(const std::string& name, std::vector<Index> shape,
                         std::span<const float> values) {
  std::vector<std::uint16_t> bits(values.size());
  std::vector<float> rounded(values.size());
  halves_from_floats(values, bits);
  floats_from_halves(bits, rounded);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(rounded[i]))
      throw CheckpointError(str(source_, ": entry '", name, "': number ", i, " is ", values[i],
                                ", and 16-bit floats hold finite numbers up to ", kLargestHalf,
                                "; keep the weights in 32 bits"));
  add(name, NumberArray<float>::in_16_bits(std::move(shape), std::move(rounded)));
}
void Archive::add_doubles(const std::string& name, std::vector<Index> shape,
                          std::vector<double> values) {
  add(name, NumberArray<double>(std::move(shape), std::move(values)));
}
void Archive::add_int64s(const std::string& name, std::vector<Index> shape,
                         std::vector<std::int64_t> values) {
  add(name, NumberArray<std::int64_t>(std::move(shape), std::move(values)));
}
void Archive::borrow_floats(const std::string& name, std::vector<Index> shape,
                            std::span<const float> values) {
  add(name, NumberArray<float>::borrowed(std::move(shape), values));
}
void Archive::add_uint64(const std::string& name, std::uint64_t value) { add(name, value); }
void Archive::add_string(const std::string& name, std::string text) {
  add(name, Entry(std::in_place_type<std::string>, std::move(text)));
}
void Archive::add_strings(const std::string& name, std::vector<std::string> texts) {
  add(name, Entry(std::in_place_type<std::vector<std::string>>, std::move(texts)));
}

void Archive::fail(const std::string& name, const std::string& expected,
                   const std::string& found) const {
  throw CheckpointError(source_ + ": entry '" + name + "': expected " + expected + ", found " +
                        found);
}

template <class T>
const T& Archive::get(const std::string& name, const std::string& expected) const {
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) fail(name, expected, "nothing" + did_you_mean(name, names()));
  const T* value = std::get_if<T>(&entry->second);
  if (value == nullptr) fail(name, expected, describe(entry->second));
  return *value;
}

template <class T>
std::span<const T> Archive::get_shaped(const std::string& name, std::span<const Index> shape,
                                       const char* type) const {
  const std::string expected = type + (" array " + shape_text(shape));
  const auto& array = get<NumberArray<T>>(name, expected);
  if (!std::ranges::equal(array.shape(), shape)) fail(name, expected, Describe{}(array));
  return array.values();
}

const NumberArray<float>& Archive::floats(const std::string& name) const {
  return get<NumberArray<float>>(name, "float array");
}
const NumberArray<double>& Archive::doubles(const std::string& name) const {
  return get<NumberArray<double>>(name, "double array");
}
const NumberArray<std::int64_t>& Archive::int64s(const std::string& name) const {
  return get<NumberArray<std::int64_t>>(name, "int64 array");
}
std::span<const float> Archive::floats(const std::string& name,
                                       std::span<const Index> shape) const {
  return get_shaped<float>(name, shape, "float");
}
std::span<const double> Archive::doubles(const std::string& name,
                                         std::span<const Index> shape) const {
  return get_shaped<double>(name, shape, "double");
}
std::span<const std::int64_t> Archive::int64s(const std::string& name,
                                              std::span<const Index> shape) const {
  return get_shaped<std::int64_t>(name, shape, "int64");
}
std::uint64_t Archive::uint64(const std::string& name) const {
  return get<std::uint64_t>(name, "uint64");
}
const std::string& Archive::string(const std::string& name) const {
  return get<std::string>(name, "string");
}
const std::vector<std::string>& Archive::strings(const std::string& name) const {
  return get<std::vector<std::string>>(name, "list of strings");
}

bool same_entry(const Archive::Entry& a, const Archive::Entry& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& value) { return same(value, std::get<std::decay_t<decltype(value)>>(b)); },
      a);
}

bool same_entries(const Archive& a, const Archive& b) {
  return std::ranges::equal(a.entries(), b.entries(), [](const auto& first, const auto& second) {
    return first.first == second.first && same_entry(first.second, second.second);
  });
}

std::vector<std::string> Archive::names(const std::string& prefix) const {
  std::vector<std::string> found;
  for (auto it = entries_.lower_bound(prefix); it != entries_.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    found.push_back(it->first);
  }
  return found;
}

}  // namespace saccade
