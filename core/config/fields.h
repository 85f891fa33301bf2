// Structs that describe their fields once, for reader, printer, comparison and documentation:
//   void fields(Section& v) {
//     v.field("hidden", hidden, "width of the LSTM", between(1, 65536));
//     v.section("hard", hard, "estimator of hard attention")
//         .only_with("attention.selection", "hard");
//   }
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/read_rule.h"
#include "core/config/value.h"

namespace saccade {

// What has to be known of a value, besides its range, to compare runs, to resume them, and to check
// their files (traits.h).
enum class Trait {
  kMayChange,  // a run may go on with another value: it does not decide what an update does
  kInputs,     // it decides what a run reads: the images, their features, the captions
  kFile,       // the path of a file or folder that must exist
  kNeeded,     // of a file: it must be given
  kNoResult,   // it never changes a result
  kAllArms,    // it is one value for all arms of a comparison
};

// A trait that a value has where all the rules hold.
struct TraitRule {
  Trait trait;
  std::vector<ReadRule> rules;
};

// The fields of one struct, bound to an object of it; the object must outlive the section.
class Section {
 public:
  struct Field {
    std::string name;
    std::string doc;
    Constraint constraint;
    std::unique_ptr<Slot> slot;        // null for a section
    std::unique_ptr<Section> section;  // null for a value
    std::vector<ReadRule> rules{};     // all must hold, and those of the enclosing sections, too
    std::vector<TraitRule> traits{};   // and those of the enclosing sections

    // The option is read only where the key has one of these values: enumerators, or texts as in
    // YAML.
    template <class... V>
    Field& only_with(std::string key, const V&... values) {
      return add(when(std::move(key), values...), false);
    }
    // An alternative to the rule before, for another key: one of the two is enough.
    template <class... V>
    Field& or_with(std::string key, const V&... values) {
      return add(when(std::move(key), values...), true);
    }
    // The option is read only where the key has none of these values. It suits choices that a
    // registry may extend: a new choice that does not declare what it reads then counts as reading
    // too much rather than too little.
    template <class... V>
    Field& unless(std::string key, const V&... values) {
      return add(saccade::unless(std::move(key), values...), false);
    }
    // The value has a trait where all the rules hold: `.is(Trait::kFile)`,
    // `.is(Trait::kMayChange, when("encoder.frozen_stages", "-1"))`. That of a section is that of
    // all values in it.
    template <class... Rules>
    Field& is(Trait trait, const Rules&... where) {
      return add({.trait = trait, .rules = {where...}});
    }

   private:
    Field& add(const ReadRule& rule, bool to_last);
    Field& add(const TraitRule& trait);
  };

  // Declares a value: its key, the member, one line of documentation, and its constraint.
  template <class T>
  Field& field(std::string name, T& value, std::string doc, Constraint constraint = {}) {
    return declare(std::move(name), std::move(doc), constraint, make_slot(value), nullptr);
  }

  // Whether plugins may add rows to a registry (core/attention/plugin.h).
  enum class Plugins { kNone, kAdd };
  // Declares a value that is the name of a row of a registry.
  template <class T>
  Field& choice(std::string name, std::string& value, const Registry<T>& registry, std::string doc,
                Plugins plugins = Plugins::kNone) {
    return declare(
        std::move(name), std::move(doc), {},
        std::make_unique<ChoiceSlot>(
            value, std::vector<ChoiceInfo>(registry.rows().begin(), registry.rows().end()),
            registry.removed(), plugins == Plugins::kAdd),
        nullptr);
  }

  // Declares a nested struct.
  template <class T>
  Field& section(std::string name, T& object, std::string doc) {
    auto inner = std::make_unique<Section>();
    object.fields(*inner);
    return declare(std::move(name), std::move(doc), {}, nullptr, std::move(inner));
  }

  // A key that was removed, with the one value that it could have. A file or a checkpoint that
  // gives it this value is read as if it did not name the key. Of a whole section that was removed,
  // each key is named as "section.key".
  struct Retired {
    std::string name, value;
  };
  void retired(std::string name, std::string value) {
    retired_.push_back({std::move(name), std::move(value)});
  }
  const Retired* find_retired(std::string_view name) const;
  // Whether keys of a section of this name were removed with it.
  bool retires_below(const std::string& name) const;

  // A value or section that was called `before` and is called `now`. Files, checkpoints and
  // overrides may go on using the old name; everything that is printed uses the new one. A key that
  // gets a better name keeps its old one in this way. None has so far, so that only a test of this
  // function calls it.
  void renamed(std::string before, std::string now) {
    renamed_.emplace_back(std::move(before), std::move(now));
  }
  // What a key is called now: the new name of one that was renamed, and otherwise the key itself.
  std::string current_name(const std::string& name) const;

  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  // The reference is valid until the next declaration.
  Field& declare(std::string name, std::string doc, Constraint constraint,
                 std::unique_ptr<Slot> slot, std::unique_ptr<Section> section);

  std::vector<Field> fields_;
  std::vector<Retired> retired_;
  std::vector<std::pair<std::string, std::string>> renamed_;  // the old name, and the new one
};

// Binds the fields of an object.
template <class T>
Section bind(T& object) {
  Section section;
  object.fields(section);
  return section;
}

}  // namespace saccade
