// Writes a bound struct as YAML, as differences, and as documentation.
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/config/values.h"

namespace saccade {

std::string Origins::of(const std::string& path) const {
  const auto found = origins_.find(path);
  return found == origins_.end() ? "default" : found->second.text;
}

int Origins::layer(const std::string& path) const {
  const auto found = origins_.find(path);
  return found == origins_.end() ? 0 : found->second.layer;
}

namespace config_detail {

namespace {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = '?';  // a file name may contain a line feed
  }
  return text;
}

void print_into(const Section& section, const Origins* origins, const std::string& path,
                std::string& out, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  for (const Section::Field& field : section.fields()) {
    const std::string field_path = joined(path, field.name);
    out += indent + field.name + ":";
    if (field.section) {
      out += "\n";
      print_into(*field.section, origins, field_path, out, depth + 1);
      continue;
    }
    out += " " + field.slot->text();
    if (origins != nullptr) out += "  # " + one_line(origins->of(field_path));
    out += "\n";
  }
}

void compare(const Section& first, const Section& second, const std::string& path,
             std::vector<Difference>& found) {
  SACCADE_ASSERT(first.fields().size() == second.fields().size(), "fields of two structs");
  for (std::size_t i = 0; i < first.fields().size(); ++i) {
    const Section::Field& a = first.fields()[i];
    const Section::Field& b = second.fields()[i];
    const std::string field_path = joined(path, a.name);
    if (a.section) {
      compare(*a.section, *b.section, field_path, found);
    } else if (a.slot->text() != b.slot->text()) {
      found.push_back({field_path, a.slot->text(), b.slot->text()});
    }
  }
}

void document(const Section& section, const std::string& path, std::vector<FieldInfo>& rows) {
  for (const Section::Field& field : section.fields()) {
    const std::string field_path = joined(path, field.name);
    if (field.section) {
      rows.push_back({field_path, "section", "", "", field.doc, field.rules, field.traits, {}});
      document(*field.section, field_path, rows);
    } else {
      rows.push_back({field_path, field.slot->type(), field.slot->text(), field.constraint.text(),
                      field.doc, field.rules, field.traits, field.slot->choices()});
    }
  }
}

}  // namespace

std::string print(const Section& section, const Origins* origins) {
  std::string out;
  print_into(section, origins, "", out, 0);
  return out;
}

std::vector<Difference> differences(const Section& first, const Section& second) {
  std::vector<Difference> found;
  compare(first, second, "", found);
  return found;
}

std::vector<FieldInfo> describe(const Section& section) {
  std::vector<FieldInfo> rows;
  document(section, "", rows);
  return rows;
}

}  // namespace config_detail

}  // namespace saccade
