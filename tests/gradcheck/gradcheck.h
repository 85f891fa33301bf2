// Gradient checks in double precision. A case builds outputs from inputs on a tape; check_gradients
// compares the gradients of backward with central differences, under a random cotangent. Inputs
// have to stay away from kinks.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"

namespace saccade::test {

// Whether every input is also checked with all others constant. Ops that require some input to take
// a gradient cannot be checked so.
enum class Alone { kYes, kNo };

struct GradientCase {
  std::string op;    // a function of core/ops
  std::string name;  // what is special about the case
  std::vector<Tensor> inputs;
  std::function<std::vector<Var>(Tape&, std::span<const Var>)> build;
  Alone alone = Alone::kYes;
  // For ops whose gradient is not the gradient of their value (reinforce): the function of the
  // inputs that is differentiated instead of the one scalar output.
  std::function<double(std::span<const Tensor>)> surrogate = nullptr;
};

// A tensor of N(0, 1) numbers times `scale`. The random numbers depend on `name` only.
Tensor random_tensor(Shape shape, const std::string& name, double scale = 1);
// One such tensor for each shape.
std::vector<Tensor> random_tensors(std::initializer_list<Shape> shapes, const std::string& name,
                                   double scale = 1);

// Fails the running Catch2 test case unless |n - a| <= 1e-6 + 1e-5 max(|n|, |a|) for the numeric
// gradient n and the analytic gradient a of every number of every input. Also checks that backward
// adds to gradients instead of assigning, that outputs are written completely, and that inputs are
// not changed.
void check_gradients(const GradientCase& gradient_case);

// The cases of each family of ops, one source file each.
std::vector<GradientCase> pointwise_cases();
std::vector<GradientCase> linear_cases();
std::vector<GradientCase> shape_cases();
std::vector<GradientCase> attention_cases();
std::vector<GradientCase> estimator_cases();
std::vector<GradientCase> supervision_cases();
std::vector<GradientCase> normalizer_cases();
std::vector<GradientCase> alignment_cases();
std::vector<GradientCase> sequence_cases();
std::vector<GradientCase> conv_cases();
std::vector<GradientCase> norm_cases();
std::vector<GradientCase> sequence_attention_cases();

}  // namespace saccade::test
