#include <cmath>

#include "core/ops/norm_ops.h"
#include "core/ops/pointwise.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// Inputs whose normalised values stay away from 0 after gain and shift, because relu has its kink
// there: equally many of both signs, absolute values in [1, 1.3], gains in [0.5, 1.5], shifts in
// [-0.1, 0.1].
std::vector<Tensor> kinkless(Shape shape, const std::string& name) {
  const Shape channel{shape.cols()};
  std::vector<Tensor> inputs = random_tensors({shape, channel, channel}, name);
  for (Index i = 0; i < inputs[0].size(); ++i) {
    const double size = 1.15 + 0.15 * std::tanh(inputs[0][i]);
    inputs[0][i] = (i / shape.cols() + i % shape.cols()) % 2 == 0 ? size : -size;
  }
  for (Real& v : inputs[1].span()) v = 1 + 0.5 * std::tanh(v);
  for (Real& v : inputs[2].span()) v = 0.1 * std::tanh(v);
  return inputs;
}

void add_group_norm_cases(std::vector<GradientCase>& cases) {
  struct Case {
    const char* name;
    Shape shape;
    Index groups;
  };
  // The kernel works in blocks of 32 and of 16 channels, which the last case is large enough for.
  const Case norms[] = {{"one group", {2, 2, 3, 4}, 1},
                        {"two groups", {2, 3, 2, 4}, 2},
                        {"one group per channel", {1, 2, 2, 3}, 3},
                        {"one position", {2, 6}, 2},
                        {"channels in blocks", {1, 2, 2, 52}, 2}};
  for (const Case& c : norms) {
    const std::string key = std::string("group_norm ") + c.name;
    const Shape channels{c.shape.cols()};
    cases.push_back({.op = "group_norm",
                     .name = c.name,
                     .inputs = random_tensors({c.shape, channels, channels}, key),
                     .build = [groups = c.groups](Tape&, Inputs in) -> Outputs {
                       return {ops::group_norm(in[0], in[1], in[2], {.groups = groups})};
                     }});
    cases.push_back({.op = "group_norm",
                     .name = std::string(c.name) + ", relu",
                     .inputs = kinkless(c.shape, key),
                     .build = [groups = c.groups](Tape&, Inputs in) -> Outputs {
                       return {
                           ops::group_norm(in[0], in[1], in[2],
                                           {.groups = groups, .activation = Activation::kRelu})};
                     }});
  }
  cases.push_back({.op = "group_norm",
                   .name = "everything used twice",
                   .inputs = random_tensors({{2, 3, 4}, {4}, {4}}, "group_norm twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::group_norm(in[0], in[1], in[2], {.groups = 2});
                     return {ops::multiply(in[0], in[0]), y,
                             ops::group_norm(in[0], in[1], in[2], {.groups = 1})};
                   }});
}

void add_layer_norm_cases(std::vector<GradientCase>& cases) {
  struct Case {
    const char* name;
    Shape shape;
    double scale;
  };
  const Case norms[] = {{"rows", {3, 5}, 1},
                        {"rank 3", {2, 3, 4}, 1},
                        {"one vector", {20}, 1},
                        {"one number per row", {3, 1}, 1},
                        {"large numbers", {2, 4}, 100}};
  for (const Case& c : norms) {
    const Shape width{c.shape.cols()};
    cases.push_back({.op = "layer_norm",
                     .name = c.name,
                     .inputs = random_tensors({c.shape, width, width},
                                              std::string("layer_norm ") + c.name, c.scale),
                     .build = [](Tape&, Inputs in) -> Outputs {
                       return {ops::layer_norm(in[0], in[1], in[2])};
                     }});
  }
  cases.push_back({.op = "layer_norm",
                   .name = "after itself, with shared gain and shift",
                   .inputs = random_tensors({{3, 4}, {4}, {4}}, "layer_norm twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::layer_norm(in[0], in[1], in[2]);
                     return {y, ops::layer_norm(ops::add(in[0], y), in[1], in[2])};
                   }});
}

void add_normalize_rows_cases(std::vector<GradientCase>& cases) {
  for (const Shape& shape : {Shape{3, 4}, Shape{2, 2, 3}, Shape{1, 7}})
    cases.push_back({.op = "normalize_rows",
                     .name = str(shape),
                     .inputs = random_tensors({shape}, "normalize_rows" + str(shape)),
                     .build = [](Tape&, Inputs in) -> Outputs {
                       const Var y = ops::normalize_rows(in[0]);
                       return {y, ops::multiply(y, in[0])};
                     }});
  // A row of one number becomes its sign, whose gradient is 0 wherever it has one.
  cases.push_back({.op = "normalize_rows",
                   .name = "one number per row",
                   .inputs = random_tensors({{3, 1}}, "normalize_rows one"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::multiply(ops::normalize_rows(in[0]), in[0])};
                   }});
}

}  // namespace

std::vector<GradientCase> norm_cases() {
  std::vector<GradientCase> cases;
  add_group_norm_cases(cases);
  add_layer_norm_cases(cases);
  add_normalize_rows_cases(cases);
  return cases;
}

}  // namespace saccade::test
