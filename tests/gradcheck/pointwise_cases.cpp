#include <cmath>

#include "core/ops/pointwise.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// Moves all numbers away from 0 by 0.1, because relu has its kink there.
std::vector<Tensor> off_zero(std::vector<Tensor> tensors) {
  for (Tensor& t : tensors)
    for (Real& x : t.span()) x += std::copysign(0.1, x);
  return tensors;
}

}  // namespace

std::vector<GradientCase> pointwise_cases() {
  std::vector<GradientCase> cases;
  cases.push_back({.op = "add",
                   .name = "two matrices",
                   .inputs = random_tensors({{3, 4}, {3, 4}}, "add"),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::add(in[0], in[1])}; }});
  cases.push_back({.op = "add",
                   .name = "a value and itself",
                   .inputs = random_tensors({{1, 5}}, "add twice"),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::add(in[0], in[0])}; }});
  cases.push_back(
      {.op = "multiply",
       .name = "two tensors of rank 3",
       .inputs = random_tensors({{2, 3, 2}, {2, 3, 2}}, "multiply"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::multiply(in[0], in[1])}; }});
  cases.push_back({.op = "multiply",
                   .name = "a square times its root",
                   .inputs = random_tensors({{2, 3}}, "multiply twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var square = ops::multiply(in[0], in[0]);
                     return {square, ops::multiply(square, in[0])};
                   }});
  cases.push_back({.op = "scale",
                   .name = "by a negative factor",
                   .inputs = random_tensors({{3, 2}}, "scale"),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::scale(in[0], -1.5)}; }});
  cases.push_back({.op = "tanh",
                   .name = "from the middle to saturation",
                   .inputs = random_tensors({{4, 5}}, "tanh", 2),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::tanh(in[0])}; }});
  cases.push_back({.op = "sigmoid",
                   .name = "from the middle to saturation",
                   .inputs = random_tensors({{4, 5}}, "sigmoid", 3),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::sigmoid(in[0])}; }});
  cases.push_back({.op = "relu",
                   .name = "away from the kink",
                   .inputs = off_zero(random_tensors({{4, 5}}, "relu")),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::relu(in[0])}; }});
  for (const Real slope : {0.2, 0.0})
    cases.push_back({.op = "leaky_relu",
                     .name = "away from the kink, slope " + std::to_string(slope),
                     .inputs = off_zero(random_tensors({{4, 5}}, "leaky_relu")),
                     .build = [slope](Tape&, Inputs in) -> Outputs {
                       return {ops::leaky_relu(in[0], slope)};
                     }});
  cases.push_back({.op = "gelu",
                   .name = "from the middle to where it is x or 0",
                   .inputs = random_tensors({{4, 5}}, "gelu", 3),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::gelu(in[0])}; }});
  cases.push_back({.op = "clip",
                   .name = "most numbers outside, none near an end",
                   .inputs = off_zero(random_tensors({{5, 5}}, "clip")),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::clip(in[0], {-100, 0}), ops::clip(in[0], {0, 100}),
                             ops::clip(in[0], {-50, 50})};
                   }});
  cases.push_back({.op = "exp",
                   .name = "twice over",
                   .inputs = random_tensors({{3, 4}}, "exp"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::exp(in[0]);
                     return {y, ops::exp(ops::scale(y, -1))};
                   }});
  cases.push_back({.op = "dropout",
                   .name = "odd count, two masks",
                   .inputs = random_tensors({{5, 5}}, "dropout"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::dropout(in[0], 0.5), ops::dropout(in[0], 0.2)};
                   }});
  cases.push_back({.op = "dropout",
                   .name = "rate 0, which changes nothing",
                   .inputs = random_tensors({{2, 2}}, "dropout 0"),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::dropout(in[0], 0)}; }});
  for (const Index rows : {1, 4})
    cases.push_back(
        {.op = "scale_rows",
         .name = std::to_string(rows) + " rows",
         .inputs = random_tensors({{rows, 3}, {rows, 1}}, "scale_rows" + std::to_string(rows)),
         .build = [](Tape&, Inputs in) -> Outputs { return {ops::scale_rows(in[0], in[1])}; }});
  cases.push_back(
      {.op = "scale_rows",
       .name = "by factors made from the rows",
       .inputs = random_tensors({{4, 1}}, "scale_rows twice"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::scale_rows(in[0], in[0])}; }});
  cases.push_back({.op = "scale_by",
                   .name = "a factor that is one of the numbers",
                   .inputs = random_tensors({{3, 2}, {1}}, "scale_by"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::scale_by(in[0], in[1]), ops::scale_by(in[1], in[1])};
                   }});
  cases.push_back({.op = "reciprocal",
                   .name = "of both signs",
                   .inputs = off_zero(random_tensors({{3, 4}}, "reciprocal")),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::reciprocal(in[0])}; }});
  return cases;
}

}  // namespace saccade::test
