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

// One of our parameters, and what torch calls it.
struct GoldenPart {
  std::string ours, torch;
};

class GoldenModule {
 public:
  // The module `name` of make_golden.py. `parts` are all parameters of the store.
  GoldenModule(std::string name, ParameterStore& store, std::vector<GoldenPart> parts)
      : name_(std::move(name)), store_(&store), parts_(std::move(parts)) {
    REQUIRE(parts_.size() == store.count());
    store.initialise(1);
    for (const GoldenPart& part : parts_) {
      const Place place = place_of(part);
      from_torch(place.tensor.layout, golden_weight(name_ + "." + part.torch, place.tensor.shape),
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
          to_torch(place.tensor.layout, ConstView(flat.data() + info.offset, info.shape));
      const std::vector<float> expected = golden(name_ + "/gradient/" + part.torch);
      CHECK(golden_difference(expected, got, largest(expected)) <= kGoldenTolerance);
    }
  }

 private:
  struct Place {
    int index;
    TorchTensor tensor;
  };
  Place place_of(const GoldenPart& part) const {
    const int index = store_->find(part.ours);
    INFO(part.ours);
    REQUIRE(index >= 0);
    return {index, torch_tensor(part.ours, store_->info(index).shape)};
  }

  std::string name_;
  ParameterStore* store_;
  std::vector<GoldenPart> parts_;
};

}  // namespace saccade::test
