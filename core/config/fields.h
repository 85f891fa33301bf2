// Structs that describe their fields once, for reader, printer, comparison and documentation:
//   template <class V> void fields(V& v) {
//     v.field("hidden", hidden, "width of the LSTM", between(1, 65536));
//     v.section("hard", hard, "estimator of hard attention");
//   }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace saccade {

// The fields of one struct, bound to an object of it; the object must outlive the section.
class Section {
 public:
  struct Field {
    std::string name;
    std::string doc;
    Constraint constraint;
    std::unique_ptr<Slot> slot;        // of a value
    std::unique_ptr<Section> section;  // of a nested struct
  };

  // Declares a value: its key, the member, one line of documentation, what it may be.
  template <class T>
  void field(std::string name, T& value, std::string doc, Constraint constraint = {}) {
    fields_.push_back({std::move(name), std::move(doc), constraint, make_slot(value), nullptr});
  }

  // Declares a nested struct.
  template <class T>
  void section(std::string name, T& object, std::string doc) {
    auto inner = std::make_unique<Section>();
    object.fields(*inner);
    fields_.push_back({std::move(name), std::move(doc), {}, nullptr, std::move(inner)});
  }

  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<Field> fields_;
};

// The fields of an object. A config struct used in many places declares this `extern template`.
template <class T>
Section bind(T& object) {
  Section section;
  object.fields(section);
  return section;
}

}  // namespace saccade
