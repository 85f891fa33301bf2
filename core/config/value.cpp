#include "core/config/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/listing.h"
#include "core/base/read_number.h"

namespace saccade {

namespace {

// Why a scalar cannot be a number, as a phrase for messages, before its digits are read.
std::string not_a_number(const Node& node, const char* kind) {
  if (node.quoted) return std::string("is text; remove the quotes to make it ") + kind;
  return "";
}

// What is wrong with a choice `plugin.name` where no choice of that plugin is known; else "".
std::string missing_plugin(const std::string& text, const std::vector<std::string>& known) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0) return "";
  const std::string prefix = text.substr(0, dot + 1);
  if (std::any_of(known.begin(), known.end(),
                  [&](const std::string& one) { return one.starts_with(prefix); }))
    return "";
  return "belongs to the plugin '" + text.substr(0, dot) +
         "', which is not loaded; give its shared library (--plugin FILE, or in Python "
         "saccade.plugin(FILE))";
}

std::string kind_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kScalar:
      return "'" + node.text + "'";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a section";
  }
  return "?";
}

// A type as part of a sentence: "a list of integers" for `list of integer`, "one of a, b" for
// `a|b`.
std::string in_words(const std::string& type) {
  constexpr std::string_view kList = "list of ";
  if (type.starts_with("a ") || type.starts_with("an ") || type.starts_with("text")) return type;
  if (type.starts_with(kList)) {
    const std::string of = type.substr(kList.size());
    const bool choices = of.find('|') != std::string::npos;
    return "a list of " + (choices ? "names, each " + in_words(of) : of + "s");
  }
  if (type.find('|') != std::string::npos) {
    std::string names;
    for (const char c : type) names += c == '|' ? std::string(", ") : std::string(1, c);
    return type == "true|false" ? "true or false" : "one of " + names;
  }
  return (type.starts_with("integer") || type.starts_with("amount") ? "an " : "a ") + type;
}

}  // namespace

void expected(const std::string& type, const Node& node, const std::string& path,
              Mistakes& mistakes) {
  std::string hint;
  if (node.kind == Node::Kind::kNull && type == "text") hint = " (write '' for empty text)";
  mistakes.add(node.place, path + ": expected " + in_words(type) + ", got " + kind_of(node) + hint);
}

std::string parse_value(const Node& node, bool& value) {
  if (node.quoted) return not_a_number(node, "true or false");
  // The forms of YAML's core schema; to readers of YAML 1.1, yes and on are true, too.
  const std::string& text = node.text;
  const bool yes = text == "true" || text == "True" || text == "TRUE";
  if (!yes && text != "false" && text != "False" && text != "FALSE") return "is not true or false";
  value = yes;
  return "";
}

std::string parse_value(const Node& node, std::int64_t& value) {
  if (node.quoted) return not_a_number(node, "an integer");
  const ReadCount read = read_count(node.text);
  if (read.wrong.empty()) value = read.value;
  return read.wrong;
}

std::string parse_value(const Node& node, double& value) {
  if (node.quoted) return not_a_number(node, "a number");
  const ReadNumber read = read_number(node.text);
  if (read.wrong.empty()) value = read.value;
  return read.wrong;
}

std::string parse_value(const Node& node, std::string& value) {
  value = node.text;
  return "";
}

std::string parse_value(const Node& node, Stop& value) { return parse_stop(node.text, value); }

std::string parse_value(const Node& node, Ramp& value) {
  if (node.quoted && node.text.find("->") == std::string::npos)
    return not_a_number(node, "a number");
  return parse_ramp(node.text, value);
}

std::string print_value(bool value) { return value ? "true" : "false"; }
std::string print_value(std::int64_t value) { return std::to_string(value); }

std::string print_value(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, error == std::errc{} ? end : buffer);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  std::string digits = text.substr(exponent + 1);  // +05 becomes 5, -04 becomes -4
  const bool negative = digits[0] == '-';
  digits.erase(0, digits.find_first_not_of("+-0"));
  return text.substr(0, exponent + 1) + (negative ? "-" : "") + digits;
}

std::string print_value(const std::string& value) { return yaml_text(value); }
std::string print_value(const Stop& value) { return to_string(value); }
std::string print_value(const Ramp& value) { return to_string(value); }

std::string Constraint::text() const {
  if (not_empty) return "not empty";
  const std::string low = min ? print_value(*min) : "", high = max ? print_value(*max) : "";
  if (min && max) {
    if (!min_open && !max_open) return low + " .. " + high;
    return (min_open ? "> " : ">= ") + low + " and " + (max_open ? "< " : "<= ") + high;
  }
  if (min) return (min_open ? "> " : ">= ") + low;
  if (max) return (max_open ? "< " : "<= ") + high;
  return "";
}

std::string Constraint::check(double value) const {
  const bool above_min = !min || (min_open ? value > *min : value >= *min);
  const bool below_max = !max || (max_open ? value < *max : value <= *max);
  if (above_min && below_max) return "";
  return "is out of range; allowed: " + text();
}

std::string check_value(std::int64_t value, const Constraint& constraint) {
  return constraint.check(static_cast<double>(value));
}
std::string check_value(double value, const Constraint& constraint) {
  return constraint.check(value);
}
std::string check_value(const std::string& value, const Constraint& constraint) {
  return constraint.not_empty && value.empty() ? "is empty" : "";
}

std::string check_value(const Ramp& value, const Constraint& constraint) {
  const std::string wrong = constraint.check(value.from);
  return wrong.empty() ? constraint.check(value.to) : wrong;
}

std::string check_value(const Stop& value, const Constraint& constraint) {
  if (constraint.min) return constraint.check(static_cast<double>(value.count));
  return value.count > 0 ? "" : "means no training at all; write at least 1 and a unit";
}

std::string join_choices(const std::vector<std::string>& choices) { return join(choices, "|"); }

std::string not_a_choice(const Node& node, const std::vector<std::string>& choices) {
  return "is not one of " + join_choices(choices) + did_you_mean(node.text, choices);
}

void ChoiceSlot::read(const Node& node, const std::string& path, const Constraint&,
                      Mistakes& mistakes) {
  if (node.kind != Node::Kind::kScalar) return expected(type(), node, path, mistakes);
  for (const RemovedChoice& one : removed_)
    if (one.name == node.text)
      return mistakes.add(node.place,
                          path + ": '" + node.text + "' was removed; take " + one.instead);
  const std::vector<std::string> all = names();
  if (std::find(all.begin(), all.end(), node.text) == all.end()) {
    std::string wrong = from_plugins_ ? missing_plugin(node.text, all) : "";
    if (wrong.empty()) wrong = not_a_choice(node, all);
    return mistakes.add(node.place, path + ": '" + node.text + "' " + wrong);
  }
  value_ = node.text;
}

std::vector<std::string> ChoiceSlot::names() const {
  std::vector<std::string> out;
  for (const ChoiceInfo& choice : choices_) out.push_back(choice.name);
  return out;
}

}  // namespace saccade
