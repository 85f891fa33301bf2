// The choices of a config key as a table: a row for each, with what people read of it and what the
// program takes from it. A config holds the name.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace saccade {

// What people read of a choice. Whatever follows the description may be empty.
struct ChoiceInfo {
  std::string name;       // in configs
  std::string doc;        // its formula, or what it does
  std::string source{};   // the paper
  std::string cost{};     // per word, or for L positions at once
  std::string options{};  // the keys that it reads, where their declarations do not tell
};

// A choice that there is no more.
struct RemovedChoice {
  std::string name;     // in old configs
  std::string instead;  // what takes its place
};

// `Value` is a factory, or a struct with a factory and what others have to know of a choice.
template <class Value>
class Registry {
 public:
  // One choice.
  struct Row : ChoiceInfo {
    Value value;  // what the program takes from it
  };

  // `key` is that of the config, for messages.
  Registry(std::string key, std::vector<Row> rows, std::vector<RemovedChoice> removed = {})
      : key_(std::move(key)), rows_(std::move(rows)), removed_(std::move(removed)) {}

  // Adds a choice. Throws UsageError where the name is taken or is not made of lower-case letters,
  // digits and '_', and where nothing makes the choice.
  void add(ChoiceInfo info, Value value) {
    const std::string& name = info.name;
    require_name(name);
    if (find(name) != nullptr)
      throw UsageError(str(key_, ": there is a choice '", name, "' already; take another name"));
    if constexpr (std::is_constructible_v<bool, Value>)
      if (!value) throw UsageError(str(key_, ": nothing makes '", name, "'; give a function"));
    rows_.push_back({std::move(info), std::move(value)});
  }
  // Adds the rows of a registry of the same key that this one lacks, those of a plugin as
  // `plugin.name`, and returns their number. Throws UsageError where a plugin's name is not valid.
  std::size_t add_missing(const Registry& other, const std::string& plugin = "") {
    if (!plugin.empty()) require_name(plugin);
    const std::size_t before = rows_.size();
    for (const Row& row : other.rows_) {
      if (find(row.name) != nullptr) continue;
      rows_.push_back(row);
      if (!plugin.empty()) rows_.back().name = plugin + "." + row.name;
    }
    return rows_.size() - before;
  }

  // The value of a name. Throws InternalError where there is none.
  const Value& at(std::string_view name) const {
    const Row* row = find(name);
    SACCADE_ASSERT(row != nullptr, key_, " has no choice '", name, "'");
    return row->value;
  }
  // All rows, in the order in which people read them.
  const std::vector<Row>& rows() const { return rows_; }
  // Choices that configs are told to replace.
  const std::vector<RemovedChoice>& removed() const { return removed_; }
  // The names of the rows whose value fits a predicate.
  template <class Fits>
  std::vector<std::string> names(Fits fits) const {
    std::vector<std::string> out;
    for (const Row& row : rows_)
      if (fits(row.value)) out.push_back(row.name);
    return out;
  }

 private:
  const Row* find(std::string_view name) const {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.name == name; });
    return found == rows_.end() ? nullptr : &*found;
  }

  void require_name(const std::string& name) const {
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      throw UsageError(
          str(key_, ": '", name,
              "' cannot be a name in a config; use lower-case letters, digits and '_'"));
  }

  std::string key_;
  std::vector<Row> rows_;
  std::vector<RemovedChoice> removed_;
};

}  // namespace saccade
