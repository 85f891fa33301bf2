// The counterpart of make_formulas.py: weights by its formula, and the comparison of gradients.
#pragma once

#include "tests/golden/golden_module.h"

namespace saccade::test {

// The weights and inputs of a case `..._faint` are small, so that the epsilon of norms counts.
inline double formula_factor(const std::string& name) {
  return name.ends_with("_faint") ? 0.05 : 1;
}

// Gives every parameter of a store the value that Weights of formula_models.py gives it.
inline void set_formula_weights(ParameterStore& store, const std::string& name) {
  store.initialise(1);
  for (const ParameterInfo& info : store.infos()) {
    const Shape& shape = info.shape;
    const Index inputs = shape.rank() > 1 ? shape.size() / shape[shape.rank() - 1] : 0;
    const double scale = inputs > 0 ? std::sqrt(24 / static_cast<double>(inputs)) : 2;
    const std::vector<Real> values =
        golden_numbers(name + "/" + info.name, shape.size(), formula_factor(name) * scale);
    std::copy(values.begin(), values.end(), store.flat().data() + info.offset);
  }
}

// Compares the gradients of all parameters with the array `name`, which has them one after the
// other, by name. Those of a parameter may differ by a share of its largest one, or of a hundredth
// of the largest of all: smaller ones drown in rounding.
inline void check_formula_gradients(const std::string& name, const std::vector<Real>& flat,
                                    const ParameterStore& store) {
  const std::vector<float> all = golden(name);
  std::vector<ParameterInfo> infos(store.infos().begin(), store.infos().end());
  std::sort(infos.begin(), infos.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::size_t first = 0;
  for (const ParameterInfo& info : infos) {
    CAPTURE(name, info.name);
    const auto count = static_cast<std::size_t>(info.shape.size());
    REQUIRE(first + count <= all.size());
    const auto expected = std::span(all).subspan(first, count);
    const auto got = std::span(flat).subspan(static_cast<std::size_t>(info.offset), count);
    const double scale = std::max(largest(expected), 0.01 * largest(all));
    CHECK(golden_difference(expected, got, scale) <= kGoldenTolerance);
    first += count;
  }
  CHECK(first == all.size());
}

inline void check_formula_gradients(const std::string& name, const Tape& tape,
                                    const ParameterStore& store) {
  check_formula_gradients(name, parameter_gradients(tape, store), store);
}

}  // namespace saccade::test
