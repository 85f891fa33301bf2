#include "core/config/ramp.h"

#include <algorithm>

#include "core/config/value.h"

namespace saccade {

namespace {

constexpr std::string_view kArrow = " -> ", kOver = " over ";

// Reads a number in the form that the rest of a config uses.
std::string parse_number(std::string_view text, double& value) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::string(text);
  return parse_value(node, value);
}

// What is wrong, with a form to write where it names none.
std::string with_form(const std::string& wrong, const char* form) {
  return wrong.find("; ") == std::string::npos ? wrong + "; write " + form : wrong;
}

}  // namespace

double Ramp::at(std::int64_t update, std::int64_t updates_per_epoch) const {
  const std::int64_t length =
      over.unit == Stop::Unit::kEpochs ? over.count * updates_per_epoch : over.count;
  if (update >= length) return to;
  return from + (to - from) * static_cast<double>(update) / static_cast<double>(length);
}

std::string parse_ramp(std::string_view text, Ramp& ramp) {
  const std::size_t arrow = text.find(kArrow), over = text.find(kOver);
  Ramp read;
  if (arrow == std::string_view::npos) {
    const std::string wrong = parse_number(text, read.to);
    if (!wrong.empty()) return with_form(wrong, "0.5, or 1 -> 0.1 over 10e");
    ramp = Ramp::constant(read.to);
    return "";
  }
  if (over == std::string_view::npos || over < arrow)
    return "lacks a duration; write 1 -> 0.1 over 10e";
  std::string wrong = parse_number(text.substr(0, arrow), read.from);
  const std::size_t second = arrow + kArrow.size();
  if (wrong.empty()) wrong = parse_number(text.substr(second, over - second), read.to);
  if (wrong.empty()) wrong = parse_stop(text.substr(over + kOver.size()), read.over);
  if (!wrong.empty()) return with_form(wrong, "1 -> 0.1 over 10e");
  if (read.over.is_time() || read.over.count == 0)
    return "changes over " + to_string(read.over) + "; give epochs (10e) or updates (5000u)";
  ramp = read;
  return "";
}

std::string to_string(const Ramp& ramp) {
  if (!ramp.moves()) return print_value(ramp.to);
  return print_value(ramp.from) + std::string(kArrow) + print_value(ramp.to) + std::string(kOver) +
         to_string(ramp.over);
}

}  // namespace saccade
