// Gradient checks in double: a case builds outputs from inputs on a tape, check_gradients compares
// backward with central differences under a random cotangent. Inputs stay away from kinks.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"

namespace saccade::test {

struct GradientCase {
  std::string op;    // a name in core/ops/op_list.def
  std::string name;  // what is special about it
  std::vector<Tensor> inputs;
  std::function<std::vector<Var>(Tape&, std::span<const Var>)> build;
};

// A tensor of N(0, 1) numbers times `scale`, from the name's key.
Tensor random_tensor(Shape shape, const std::string& name, double scale = 1);

// Fails the running Catch2 test case unless |numeric - analytic| <= 1e-6 + 1e-5 max of both, for
// every number of every input; also checks that backward adds to gradients instead of assigning.
void check_gradients(const GradientCase& gradient_case);

// The cases of each family of ops, one source file each.
std::vector<GradientCase> pointwise_cases();
std::vector<GradientCase> linear_cases();
std::vector<GradientCase> shape_cases();
std::vector<GradientCase> attention_cases();
std::vector<GradientCase> sequence_cases();
std::vector<GradientCase> conv_cases();

}  // namespace saccade::test
