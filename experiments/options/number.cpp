#include "experiments/options/number.h"

#include "core/config/value.h"

namespace saccade {

namespace {

template <class Read>
Read read_as(const std::string& text) {
  Read out;
  Node node;
  node.text = text;
  out.wrong = parse_value(node, out.value);
  return out;
}

}  // namespace

ReadNumber read_number(const std::string& text) { return read_as<ReadNumber>(text); }
ReadCount read_count(const std::string& text) { return read_as<ReadCount>(text); }

}  // namespace saccade
