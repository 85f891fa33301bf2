// Gradient checks in double: a case builds outputs from inputs on a tape, check_gradients compares
// backward with central differences under a random cotangent. Inputs stay away from kinks.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"

namespace saccade::test {

// Whether every input is also checked alone, the others being constants. Not for ops that demand a
// gradient of some input.
enum class Alone { kYes, kNo };

struct GradientCase {
  std::string op;    // a name in core/ops/op_list.def
  std::string name;  // what is special about it
  std::vector<Tensor> inputs;
  std::function<std::vector<Var>(Tape&, std::span<const Var>)> build;
  Alone alone = Alone::kYes;
  // For ops whose gradient is not that of their value (reinforce): the function of the inputs whose
  // differences count instead of those of the one scalar output.
  std::function<double(std::span<const Tensor>)> surrogate = nullptr;
};

// A tensor of N(0, 1) numbers times `scale`, from the name's key.
Tensor random_tensor(Shape shape, const std::string& name, double scale = 1);
// One such tensor for each shape.
std::vector<Tensor> random_tensors(std::initializer_list<Shape> shapes, const std::string& name,
                                   double scale = 1);

// Fails the running Catch2 test case unless |numeric - analytic| <= 1e-6 + 1e-5 max of both, for
// every number of every input; also checks that backward adds to gradients instead of assigning,
// that outputs are written whole and that inputs are left alone.
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
