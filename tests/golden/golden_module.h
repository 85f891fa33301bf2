// A module of ours, with the parameters of a torch module that make_golden.py ran.
#pragma once

#include "core/nn/parameter_store.h"
#include "tests/golden/golden.h"
#include "tests/support/parameter_gradients.h"

namespace saccade::test {

constexpr double kGoldenTolerance = 1e-4;

inline Tensor golden_tensor(const std::string& name, const Shape& shape, double scale) {
  return Tensor(shape, golden_numbers(name, shape.size(), scale));
}

// Our parameter is a block of rows, from row `first` on, of torch's matrix [whole, in] or vector
// [whole]. If whole is 0, it is all rows.
struct GoldenPart {
  std::string ours, torch;
  Index first = 0, whole = 0;
};

// Adds the parts of a normalisation and, below, of a dense layer.
inline void add_norm(std::vector<GoldenPart>& parts, const std::string& ours,
                     const std::string& torch) {
  parts.push_back({ours + ".gain", torch + ".weight"});
  parts.push_back({ours + ".shift", torch + ".bias"});
}
inline void add_dense(std::vector<GoldenPart>& parts, const std::string& ours,
                      const std::string& torch) {
  parts.push_back({ours + ".weight", torch + ".weight"});
  parts.push_back({ours + ".bias", torch + ".bias"});
}
// Adds attention of `width` features; torch keeps query, key and value one after the other.
inline void add_attention(std::vector<GoldenPart>& parts, const std::string& ours,
                          const std::string& torch, Index width) {
  Index first = 0;
  for (const char* part : {"query", "key", "value"}) {
    parts.push_back({ours + part + ".weight", torch + "in_proj_weight", first, 3 * width});
    parts.push_back({ours + part + ".bias", torch + "in_proj_bias", first, 3 * width});
    first += width;
  }
  add_dense(parts, ours + "output", torch + "out_proj");
}

class GoldenModule {
 public:
  // The module `name` of make_golden.py. `parts` are all parameters of the store.
  GoldenModule(std::string name, ParameterStore& store, std::vector<GoldenPart> parts)
      : name_(std::move(name)), store_(&store), parts_(std::move(parts)) {
    REQUIRE(parts_.size() == store.count());
    store.initialise(1);
    for (const GoldenPart& part : parts_) {
      const Place place = place_of(part);
      const std::vector<Real> all = golden_weight(name_ + "." + part.torch, place.shape);
      from_torch(place.layout, std::span(all).subspan(place.first, place.count),
                 store.value(place.index));
    }
  }

  void check_gradients(const Tape& tape) const {
    const std::vector<Real> flat = parameter_gradients(tape, *store_);
    for (const GoldenPart& part : parts_) {
      CAPTURE(name_, part.ours);
      const Place place = place_of(part);
      const ParameterInfo& info = store_->info(place.index);
      const std::vector<Real> got =
          to_torch(place.layout, ConstView(flat.data() + info.offset, info.shape));
      const std::vector<float> all = golden(name_ + "/gradient/" + part.torch);
      const auto expected = std::span(all).subspan(place.first, place.count);
      CHECK(golden_difference(expected, got, largest(all)) <= kGoldenTolerance);
    }
  }

 private:
  struct Place {
    int index;
    TorchLayout layout;
    std::vector<Index> shape;  // of torch's array
    std::size_t first, count;  // our numbers in it
  };
  Place place_of(const GoldenPart& part) const {
    const int index = store_->find(part.ours);
    INFO(part.ours);
    REQUIRE(index >= 0);
    const TorchTensor tensor = torch_tensor(part.ours, store_->info(index).shape);
    std::vector<Index> shape = tensor.shape;
    if (part.whole > 0) shape[0] = part.whole;
    const Index row = shape.size() > 1 ? shape[1] : 1;
    return {index, tensor.layout, shape, static_cast<std::size_t>(part.first * row),
            static_cast<std::size_t>(store_->info(index).shape.size())};
  }

  std::string name_;
  ParameterStore* store_;
  std::vector<GoldenPart> parts_;
};

}  // namespace saccade::test
