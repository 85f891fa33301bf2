// forge_checkpoint FROM TO ENTRY PLACE VALUE: writes a checkpoint that is whole and sealed, and
// that lies in one entry. Of numbers, PLACE counts from 0; of texts, PLACE is what VALUE replaces.
// VALUE may be -9223372036854775808, nan, inf or @FILE, the content of a file. With "-" as ENTRY,
// nothing is changed. Exits with 1 where there is no such place.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/base/error.h"
#include "core/io/checkpoint.h"

namespace {

using saccade::Archive;
using saccade::NumberArray;

struct Change {
  std::string place, value;

  std::size_t index() const { return std::stoul(place); }
  std::string text() const {
    if (!value.starts_with("@")) return value;
    std::ifstream in(value.substr(1), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  template <class T>
  Archive::Entry operator()(const NumberArray<T>& array) const {
    std::vector<T> numbers(array.values().begin(), array.values().end());
    T& number = numbers.at(index());
    if constexpr (std::is_floating_point_v<T>)
      number = static_cast<T>(std::strtod(value.c_str(), nullptr));
    else
      number = static_cast<T>(std::strtoll(value.c_str(), nullptr, 10));
    return NumberArray<T>(array.shape(), std::move(numbers));
  }
  Archive::Entry operator()(std::uint64_t) const {
    return std::uint64_t{std::strtoull(value.c_str(), nullptr, 10)};
  }
  Archive::Entry operator()(std::string old) const {
    const std::size_t at = old.find(place);
    if (at == std::string::npos) throw std::out_of_range("'" + place + "' is not in the text");
    return old.replace(at, place.size(), text());
  }
  Archive::Entry operator()(std::vector<std::string> texts) const {
    texts.at(index()) = text();
    return texts;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 1;
  try {
    const Archive from = saccade::load_archive(argv[1]);
    const std::string entry = argv[3];
    if (entry != "-" && !from.contains(entry)) throw std::out_of_range("no entry " + entry);
    Archive to(from.source());
    for (const auto& [name, value] : from.entries())
      to.add(name, name == entry ? std::visit(Change{argv[4], argv[5]}, value) : value);
    saccade::save_archive(argv[2], to);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
