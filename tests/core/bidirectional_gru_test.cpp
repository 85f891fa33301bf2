// The bidirectional GRU: its values by the equations, its padding, and its gradients, in double.
#include "core/nn/bidirectional_gru.h"

#include "tests/core/attention/module_support.h"
#include "tests/core/attention/sequence_support.h"
#include "tests/support/catch.h"

namespace saccade {

using test::apart;
using test::noise;
using test::value_of;

namespace {

constexpr Index kSteps = 5, kSamples = 3, kIn = 4, kHidden = 2;
constexpr double kSame = 1e-12;

struct Model {
  ParameterStore store;
  BidirectionalGru gru;

  Model() : gru(ParamScope(store, "gru"), {.in = kIn, .hidden = kHidden}) {
    test::randomise(store);
  }
  Tensor over(ConstView x, std::span<const std::uint8_t> mask = {}) const {
    return value_of(store, [&](Tape& tape) { return gru(tape, tape.constant(x), mask); });
  }
  ConstView parameter(const std::string& name) const {
    return store.value(store.find("gru." + name));
  }
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// x W + b, for one row.
std::vector<double> dense(const Model& model, const std::string& name,
                          const std::vector<double>& x) {
  const ConstView weight = model.parameter(name + ".weight"),
                  bias = model.parameter(name + ".bias");
  std::vector<double> out;
  for (Index j = 0; j < weight.cols(); ++j) {
    double sum = bias[j];
    for (Index i = 0; i < weight.rows(); ++i)
      sum += x[static_cast<std::size_t>(i)] * weight.row(i)[j];
    out.push_back(sum);
  }
  return out;
}

// The states of one sample in one direction, by the equations of torch.nn.GRU, in the order of
// reading.
std::vector<std::vector<double>> states(const Model& model, const std::string& direction,
                                        const std::vector<std::vector<double>>& read) {
  std::vector<std::vector<double>> out;
  std::vector<double> h(kHidden, 0.0);
  for (const std::vector<double>& x : read) {
    const std::vector<double> in = dense(model, direction + ".input", x),
                              own = dense(model, direction + ".hidden", h);
    for (std::size_t j = 0; j < kHidden; ++j) {
      const double r = logistic(in[j] + own[j]), z = logistic(in[kHidden + j] + own[kHidden + j]),
                   n = std::tanh(in[2 * kHidden + j] + r * own[2 * kHidden + j]);
      h[j] = (1 - z) * n + z * h[j];
    }
    out.push_back(h);
  }
  return out;
}

// 1 for the first lengths[b] steps of sample b, step by step.
std::vector<std::uint8_t> mask_of(const std::vector<Index>& lengths) {
  std::vector<std::uint8_t> mask;
  for (Index t = 0; t < kSteps; ++t)
    for (const Index length : lengths) mask.push_back(t < length ? 1 : 0);
  return mask;
}

}  // namespace

TEST_CASE("the states of both directions follow the equations of the GRU, up to the padding") {
  const Model model;
  const Tensor x = noise({kSteps, kSamples, kIn}, 1);
  const std::vector<Index> lengths{5, 1, 3};
  const Tensor y = model.over(x.view(), mask_of(lengths));
  REQUIRE(y.shape() == Shape{kSteps, kSamples, 2 * kHidden});
  double most = 0;
  for (Index b = 0; b < kSamples; ++b) {
    const Index length = lengths[static_cast<std::size_t>(b)];
    std::vector<std::vector<double>> read;
    for (Index t = 0; t < length; ++t) {
      const Real* row = x.view().row(t * kSamples + b);
      read.emplace_back(row, row + kIn);
    }
    const auto left = states(model, "left", read);
    std::reverse(read.begin(), read.end());
    const auto right = states(model, "right", read);
    for (Index t = 0; t < kSteps; ++t)
      for (Index j = 0; j < kHidden; ++j) {
        const auto at = static_cast<std::size_t>(t), k = static_cast<std::size_t>(j);
        const bool padding = t >= length;
        const double from_left = padding ? 0 : left[at][k],
                     from_right = padding ? 0 : right[static_cast<std::size_t>(length - 1 - t)][k];
        const Real* row = y.view().row(t * kSamples + b);
        most =
            std::max({most, std::abs(row[j] - from_left), std::abs(row[kHidden + j] - from_right)});
      }
  }
  CHECK(most < kSame);
}

TEST_CASE("what stands in the padding changes nothing, and no mask is a mask of ones") {
  const Model model;
  const Tensor x = noise({kSteps, kSamples, kIn}, 1);
  const auto mask = mask_of({5, 1, 3});
  Tensor other(x.shape(), x.span());
  Index padded = 0;
  for (std::size_t r = 0; r < mask.size(); ++r)
    if (mask[r] == 0) {
      ++padded;
      for (Index c = 0; c < kIn; ++c) other.view().row(static_cast<Index>(r))[c] = 7;
    }
  REQUIRE(padded == 6);
  CHECK(apart(model.over(x.view(), mask).view(), model.over(other.view(), mask).view()) == 0);
  CHECK(apart(model.over(x.view()).view(), model.over(other.view()).view()) > 0.1);
  CHECK(apart(model.over(x.view()).view(), model.over(x.view(), mask_of({5, 5, 5})).view()) == 0);
  CHECK_THROWS_AS(model.over(x.view(), std::span(mask).first(4)), ShapeError);
}

TEST_CASE("the gradients of the bidirectional GRU are those of central differences") {
  for (const bool padded : {false, true}) {
    Model model;
    const Tensor x = noise({kSteps, kSamples, kIn}, 1);
    const auto mask = padded ? mask_of({5, 1, 3}) : std::vector<std::uint8_t>();
    CHECK(test::gradient_error(model.store, [&](Tape& tape) {
            return model.gru(tape, tape.constant(x.view()), mask);
          }) < 1e-8);
  }
  // By the input: it is a parameter here.
  ParameterStore store;
  const ParamScope scope(store, "");
  const int input = scope.declare("x", {kSteps, kSamples, kIn}, Init::normal(1));
  const BidirectionalGru gru(scope.sub("gru"), {.in = kIn, .hidden = kHidden});
  test::randomise(store);
  CHECK(test::gradient_error(store, [&](Tape& tape) {
          return gru(tape, tape.parameter(input), mask_of({4, 5, 2}));
        }) < 1e-8);
}

}  // namespace saccade
