#include "core/config/read.h"

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/config/values.h"

namespace saccade {

Section::Field& Section::declare(std::string name, std::string doc, Constraint constraint,
                                 std::unique_ptr<Slot> slot, std::unique_ptr<Section> section) {
  fields_.push_back(
      {std::move(name), std::move(doc), constraint, std::move(slot), std::move(section)});
  return fields_.back();
}

Section::Field& Section::Field::add(const ReadRule& rule, bool to_last) {
  if (!to_last || rules.empty())
    rules.push_back(rule);
  else
    rules.back().choices.push_back(rule.choices.front());
  if (section)
    for (Field& inner : section->fields_) inner.add(rule, to_last);
  return *this;
}

Section::Field& Section::Field::add(const TraitRule& trait) {
  traits.push_back(trait);
  if (section)
    for (Field& inner : section->fields_) inner.add(trait);
  return *this;
}

const Section::Field* Section::find(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const Section::Retired* Section::find_retired(std::string_view name) const {
  for (const Retired& one : retired_) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

bool Section::retires_below(const std::string& name) const {
  return std::any_of(retired_.begin(), retired_.end(),
                     [&](const Retired& one) { return one.name.starts_with(name + "."); });
}

std::string Section::current_name(const std::string& name) const {
  for (const auto& [before, now] : renamed_) {
    if (before == name) return now;
  }
  return name;
}

std::vector<std::string> Section::names() const {
  std::vector<std::string> names;
  for (const Field& field : fields_) names.push_back(field.name);
  return names;
}

namespace config_detail {

namespace {

// The path of a key with the same name in another section, for a value in the wrong section.
std::string elsewhere(const Section& section, const std::string& path, const std::string& key) {
  for (const Section::Field& field : section.fields()) {
    const std::string field_path = joined(path, field.name);
    if (field.name == key) return field_path;
    if (!field.section) continue;
    const std::string found = elsewhere(*field.section, field_path, key);
    if (!found.empty()) return found;
  }
  return "";
}

// "data: {split: {val: ...}}" for data.split.val, which a file cannot write with dots; "" where the
// section has no such value.
std::string nested_form(const Section& section, const std::string& key) {
  const std::size_t dot = key.find('.');
  const Section::Field* field = section.find(section.current_name(key.substr(0, dot)));
  if (field == nullptr) return "";
  if (dot == std::string::npos) return field->name + ": ...";
  const std::string below = key.substr(dot + 1);
  if (!field->section)
    return field->slot->below(below) == Slot::Below::kNothing
               ? ""
               : field->name + ": {NAME: {...}, ...}";
  const std::string inner = nested_form(*field->section, below);
  return inner.empty() ? "" : field->name + ": {" + inner + "}";
}

}  // namespace

std::string unknown_key(const Section& root, const Section& section, const std::string& path,
                        const std::string& key) {
  const std::string nested = key.find('.') == std::string::npos ? "" : nested_form(section, key);
  std::string hint = nested.empty() ? did_you_mean(key, section.names())
                                    : " (in a file it is written " + nested + ")";
  if (hint.empty()) {
    const std::string other = elsewhere(root, "", key);
    const bool at_top = other.find('.') == std::string::npos;
    if (!other.empty())
      hint = " (did you mean '" + other + (at_top ? "' at the top level?)" : "'?)");
  }
  return "unknown key '" + key + "' " + (path.empty() ? "at the top level" : "in " + path) + hint;
}

bool read_retired(const Section& section, const Node& node, const std::string& path,
                  const std::string& key, Mistakes& mistakes) {
  if (node.kind == Node::Kind::kMap && section.retires_below(key)) {
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (const std::string below = key + "." + node.keys[i].text;
          !read_retired(section, node.items[i], path, below, mistakes))
        mistakes.add(node.keys[i].place, unknown_key(section, section, path, below));
    return true;
  }
  const Section::Retired* retired = section.find_retired(key);
  if (retired == nullptr) return false;
  if (node.kind != Node::Kind::kScalar || node.text != retired->value)
    mistakes.add(node.place, joined(path, key) + " was removed and could only be " +
                                 retired->value + "; leave it out");
  return true;
}

// "; write 0 for no map" for an option whose help says "0 = no map"; "" for others.
std::string none_hint(const Section::Field& field) {
  const std::size_t at = field.doc.find(" 0 = ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + 5;
  std::string none = field.doc.substr(begin, field.doc.find_first_of(",;:(", begin) - begin);
  while (none.ends_with(' ')) none.pop_back();
  return "; write 0 for " + none;
}

// Refuses null where the option has another value that means "none", and names that value.
bool refuse_null(const Section::Field& field, const Node& node, const std::string& path,
                 Mistakes& mistakes) {
  const std::string type = field.slot->type(), hint = none_hint(field);
  if (node.kind != Node::Kind::kNull || hint.empty() || type.ends_with(" or null")) return false;
  mistakes.add(node.place, str(path, ": expected ", type == "integer" ? "an " : "a ", type,
                               ", got nothing", hint));
  return true;
}

void read_field(const Section::Field& field, const Node& node, const std::string& path,
                const ReadContext& context) {
  if (field.section) return read_section(*field.section, node, path, context);
  if (refuse_null(field, node, path, context.mistakes)) return;
  field.slot->read(node, path, field.constraint, context.mistakes);
  std::string origin = context.origin;
  if (node.place.line > 0) origin += node.place.source + ":" + std::to_string(node.place.line);
  context.origins.set(path, std::move(origin));
}

// Where somebody wrote a list of sections: the key of this one that takes several, by their names.
std::string place_of_several(const Section& section, const std::string& path) {
  for (const Section::Field& field : section.fields())
    if (field.slot && field.slot->type().starts_with("map from name"))
      return str("; several go into ", path.empty() ? "" : path + ".", field.name,
                 ", a map from their names to their keys");
  return "";
}

void read_section(const Section& section, const Node& node, const std::string& path,
                  const ReadContext& context) {
  if (node.kind == Node::Kind::kNull) return;  // a section whose keys are all commented out
  if (node.kind != Node::Kind::kMap) {
    const std::string what = path.empty() ? "the config" : "'" + path + "'";
    const bool list = node.kind == Node::Kind::kList;
    context.mistakes.add(node.place, str(what, " is a section of keys, got ",
                                         list ? "a list" : "'" + node.text + "'",
                                         list ? place_of_several(section, path) : ""));
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node::Key& key = node.keys[i];
    const Node& value = node.items[i];
    const std::string name = section.current_name(key.text);
    if (name != key.text && node.find(name) != nullptr) {
      context.mistakes.add(key.place, joined(path, key.text) + " is called " + joined(path, name) +
                                          " now, and both are set; leave the former out");
      continue;
    }
    const Section::Field* field = section.find(name);
    if (field == nullptr) {
      if (read_retired(section, value, path, key.text, context.mistakes)) continue;
      context.mistakes.add(key.place, unknown_key(context.root, section, path, key.text));
      continue;
    }
    const std::string field_path = joined(path, name);
    read_field(*field, value, field_path, context);
  }
}

}  // namespace config_detail

}  // namespace saccade
