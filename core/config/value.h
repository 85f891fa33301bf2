// The types of config values: how each is parsed, printed, named and checked. A Slot is one value
// of a struct without its C++ type; fields.h creates slots.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/registry.h"
#include "core/base/suggest.h"
#include "core/config/constraint.h"
#include "core/config/node.h"
#include "core/config/ramp.h"
#include "core/config/stop.h"

namespace saccade {

// Every parse_value reads a scalar node. It returns "" and sets the value, or returns what is
// wrong.
std::string parse_value(const Node& node, bool& value);
std::string parse_value(const Node& node, std::int64_t& value);
std::string parse_value(const Node& node, double& value);
std::string parse_value(const Node& node, std::string& value);
std::string parse_value(const Node& node, Stop& value);
std::string parse_value(const Node& node, Ramp& value);

// Every print_value returns the value as YAML; reading it gives the same value, to the last bit.
std::string print_value(bool value);
std::string print_value(std::int64_t value);
std::string print_value(double value);
std::string print_value(const std::string& value);
std::string print_value(const Stop& value);
std::string print_value(const Ramp& value);

// Every check_value returns which constraint the value breaks; "" if none.
inline std::string check_value(bool, const Constraint&) { return ""; }
std::string check_value(std::int64_t value, const Constraint& constraint);
std::string check_value(double value, const Constraint& constraint);
std::string check_value(const std::string& value, const Constraint& constraint);
// Checks both ends of the ramp.
std::string check_value(const Ramp& value, const Constraint& constraint);
// An amount of 0 is refused unless the constraint has a minimum of its own.
std::string check_value(const Stop& value, const Constraint& constraint);

inline std::string type_name(const bool*) { return "true|false"; }
inline std::string type_name(const std::int64_t*) { return "integer"; }
inline std::string type_name(const double*) { return "number"; }
inline std::string type_name(const std::string*) { return "text"; }
inline std::string type_name(const Stop*) { return "amount of training"; }
inline std::string type_name(const Ramp*) { return "number, or `1 -> 0.1 over 10e`"; }

// "is not one of a, b, c (did you mean 'b'?)"
std::string not_a_choice(const Node& node, const std::vector<std::string>& choices);
// "a|b|c"
std::string join_choices(const std::vector<std::string>& choices);

template <NamedEnum E>
std::string parse_value(const Node& node, E& value) {
  const auto found = enum_value<E>(node.text);
  if (!found) return not_a_choice(node, enum_all_names<E>());
  value = *found;
  return "";
}
template <NamedEnum E>
std::string print_value(E value) {
  return yaml_text(std::string(enum_name(value)));
}
template <NamedEnum E>
std::string check_value(E, const Constraint&) {
  return "";
}
template <NamedEnum E>
std::string type_name(const E*) {
  return join_choices(enum_all_names<E>());
}

template <class T>
std::vector<ChoiceInfo> choices_of(const T*) {
  return {};
}
template <NamedEnum E>
std::vector<ChoiceInfo> choices_of(const E*) {
  std::vector<ChoiceInfo> out;
  for (const auto& row : enum_table(E{}))
    out.push_back({std::string(row.name), std::string(row.doc)});
  return out;
}

// One value of a struct. It refers to the struct, which must outlive it.
class Slot {
 public:
  virtual ~Slot() = default;
  virtual std::string type() const = 0;
  virtual std::string text() const = 0;  // the value as YAML, on one line
  // Whether the value is written as a single scalar.
  virtual bool scalar() const = 0;
  // The value itself where it is a text, else nullptr.
  virtual const std::string* string() const { return nullptr; }
  // Of an enumeration: its values; else empty.
  virtual std::vector<ChoiceInfo> choices() const { return {}; }
  // Sets the value, or adds a mistake that starts with the path and leaves the value unchanged.
  virtual void read(const Node& node, const std::string& path, const Constraint& constraint,
                    Mistakes& mistakes) = 0;
  // What a path below this value stands for: of named sets, "coco.images" is a value of an entry,
  // whose text is taken literally, and "coco" an entry.
  enum class Below { kNothing, kValue, kEntry };
  virtual Below below(const std::string& /*path*/) const { return Below::kNothing; }
  // Sets what stands below, or adds a mistake at `place` and changes nothing. `path` is that of
  // this value.
  virtual void read_below(const std::string& /*below*/, const Node& /*node*/,
                          const std::string& /*path*/, const Place& /*place*/,
                          Mistakes& /*mistakes*/) {}
};

// Adds a mistake such as "path: expected an integer, got a list".
void expected(const std::string& type, const Node& node, const std::string& path,
              Mistakes& mistakes);

// Reads one scalar of any of the types above. Returns false, and adds a mistake, when it is
// invalid.
template <class T>
bool read_scalar(const Node& node, const std::string& path, const Constraint& constraint,
                 Mistakes& mistakes, T& value) {
  if (node.kind != Node::Kind::kScalar) {
    expected(type_name(&value), node, path, mistakes);
    return false;
  }
  T read{};
  std::string wrong = parse_value(node, read);
  if (wrong.empty()) wrong = check_value(read, constraint);
  if (!wrong.empty()) {
    mistakes.add(node.place, path + ": '" + node.text + "' " + wrong);
    return false;
  }
  value = std::move(read);
  return true;
}

template <class T>
class ScalarSlot : public Slot {
 public:
  explicit ScalarSlot(T& value) : value_(value) {}
  std::string type() const override { return type_name(&value_); }
  std::string text() const override { return print_value(value_); }
  bool scalar() const override { return true; }
  const std::string* string() const override {
    if constexpr (std::is_same_v<T, std::string>) return &value_;
    return nullptr;
  }
  std::vector<ChoiceInfo> choices() const override { return choices_of(&value_); }
  void read(const Node& node, const std::string& path, const Constraint& constraint,
            Mistakes& mistakes) override {
    read_scalar(node, path, constraint, mistakes, value_);
  }

 private:
  T& value_;
};

template <class T>
class OptionalSlot : public Slot {
 public:
  explicit OptionalSlot(std::optional<T>& value) : value_(value) {}
  std::string type() const override { return type_name(static_cast<T*>(nullptr)) + " or null"; }
  std::string text() const override { return value_ ? print_value(*value_) : "null"; }
  bool scalar() const override { return true; }
  std::vector<ChoiceInfo> choices() const override {
    return choices_of(static_cast<const T*>(nullptr));
  }
  void read(const Node& node, const std::string& path, const Constraint& constraint,
            Mistakes& mistakes) override {
    if (node.kind == Node::Kind::kNull) {
      value_.reset();
      return;
    }
    T value{};
    if (read_scalar(node, path, constraint, mistakes, value)) value_ = std::move(value);
  }

 private:
  std::optional<T>& value_;
};

template <class T>
class ListSlot : public Slot {
 public:
  explicit ListSlot(std::vector<T>& values) : values_(values) {}
  std::string type() const override { return "list of " + type_name(static_cast<T*>(nullptr)); }
  std::string text() const override {
    std::string out = "[";
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (i > 0) out += ", ";
      out += print_value(static_cast<const T&>(values_[i]));
    }
    return out + "]";
  }
  bool scalar() const override { return false; }
  void read(const Node& node, const std::string& path, const Constraint& constraint,
            Mistakes& mistakes) override {
    if (node.kind != Node::Kind::kList) return expected(type(), node, path, mistakes);
    if (constraint.not_empty && node.items.empty()) {
      return mistakes.add(node.place, path + ": the list is empty");
    }
    std::vector<T> values(node.items.size());
    bool good = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value{};
      good = read_scalar(node.items[i], path, constraint, mistakes, value) && good;
      values[i] = std::move(value);
    }
    if (good) values_ = std::move(values);
  }

 private:
  std::vector<T>& values_;
};

// A value that is the name of one of these choices.
class ChoiceSlot : public Slot {
 public:
  // `from_plugins`: whether choices may belong to plugins (core/attention/plugin.h).
  ChoiceSlot(std::string& value, std::vector<ChoiceInfo> choices,
             std::vector<RemovedChoice> removed, bool from_plugins)
      : value_(value),
        choices_(std::move(choices)),
        removed_(std::move(removed)),
        from_plugins_(from_plugins) {}
  std::string type() const override { return join_choices(names()); }
  std::string text() const override { return print_value(value_); }
  bool scalar() const override { return true; }
  std::vector<ChoiceInfo> choices() const override { return choices_; }
  void read(const Node& node, const std::string& path, const Constraint& constraint,
            Mistakes& mistakes) override;

 private:
  std::vector<std::string> names() const;

  std::string& value_;
  std::vector<ChoiceInfo> choices_;
  std::vector<RemovedChoice> removed_;
  bool from_plugins_;
};

template <class T>
std::unique_ptr<Slot> make_slot(T& value) {
  return std::make_unique<ScalarSlot<T>>(value);
}
template <class T>
std::unique_ptr<Slot> make_slot(std::optional<T>& value) {
  return std::make_unique<OptionalSlot<T>>(value);
}
template <class T>
std::unique_ptr<Slot> make_slot(std::vector<T>& values) {
  return std::make_unique<ListSlot<T>>(values);
}

}  // namespace saccade
