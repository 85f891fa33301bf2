// Names of enumerators in one table, which is used to parse, print, check and document them. For an
// enum E, write beside it: constexpr auto enum_table(E) { return enum_rows<E>({{E::kA, "a",
// "doc"}}); }
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace saccade {

// One enumerator in such a table.
template <class E>
struct EnumRow {
  E value;                // the enumerator
  std::string_view name;  // in configs, options and messages
  std::string_view doc;   // what it means, for people
};

// Makes the table of an enum from its rows.
template <class E, std::size_t N>
constexpr std::array<EnumRow<E>, N> enum_rows(const EnumRow<E> (&rows)[N]) {
  return std::to_array(rows);
}

// An enum with a table.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enum_table(e).size();
};

// The name of an enumerator; "?" for a value outside the table.
template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  for (const auto& row : enum_table(E{})) {
    if (row.value == value) return row.name;
  }
  return "?";
}

// An enum of which some names were other ones. They stand in a second table,
// `constexpr auto enum_former_names(E)`, and are still read; nothing prints them.
template <class E>
concept RenamedEnum = NamedEnum<E> && requires(E e) {
  enum_former_names(e).size();
};

// The enumerator with a name, or with a former name; nothing for any other text.
template <NamedEnum E>
constexpr std::optional<E> enum_value(std::string_view name) {
  for (const auto& row : enum_table(E{})) {
    if (row.name == name) return row.value;
  }
  if constexpr (RenamedEnum<E>) {
    for (const auto& row : enum_former_names(E{})) {
      if (row.name == name) return row.value;
    }
  }
  return std::nullopt;
}

// All names, in table order.
template <NamedEnum E>
std::vector<std::string> enum_all_names() {
  std::vector<std::string> names;
  for (const auto& row : enum_table(E{})) names.emplace_back(row.name);
  return names;
}

}  // namespace saccade
