#include <cmath>

#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

void add_view_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"reshape", "there and back, both used", random_tensors({{2, 3, 2}}, "reshape"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var flat = ops::reshape(in[0], {12});
                     return {ops::tanh(flat), ops::sigmoid(ops::reshape(flat, {4, 3}))};
                   }});
  cases.push_back({"first_rows", "prefixes of prefixes", random_tensors({{4, 2}}, "first_rows"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var three = ops::first_rows(in[0], 3);
                     const Var one = ops::first_rows(three, 1);
                     return {ops::tanh(in[0]), ops::sigmoid(three), ops::tanh(one)};
                   }});
  cases.push_back({"slice_rows", "slices of slices", random_tensors({{6, 3}}, "slice_rows"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var inner = ops::slice_rows(in[0], 1, 4);
                     const Var innermost = ops::slice_rows(inner, 2, 1);
                     return {ops::tanh(inner), ops::tanh(innermost), innermost};
                   }});
  cases.push_back({"slice_rows", "overlapping, of a computed block of rank 3",
                   random_tensors({{4, 2, 2}}, "slice_rows overlap"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::tanh(in[0]);
                     const Var a = ops::slice_rows(block, 0, 3), b = ops::slice_rows(block, 1, 3);
                     return {ops::multiply(a, b), ops::slice_rows(block, 0, 4)};
                   }});
}

void add_concat_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"concat_rows", "parts of several heights, one twice",
                   random_tensors({{1, 3}, {2, 3}}, "concat_rows"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::concat_rows(std::vector<Var>{in[0], in[1], in[0]}))};
                   }});
  cases.push_back(
      {"concat_rows", "shrinking prefixes of rank 3",
       random_tensors({{3, 2, 2}}, "concat_rows prefixes"), [](Tape&, Inputs in) -> Outputs {
         const std::vector<Var> parts{in[0], ops::first_rows(in[0], 2), ops::first_rows(in[0], 1)};
         return {ops::concat_rows(parts)};
       }});
  cases.push_back({"concat_cols", "parts of several widths, one twice",
                   random_tensors({{3, 1}, {3, 4}}, "concat_cols"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::concat_cols(std::vector<Var>{in[0], in[1], in[0]}))};
                   }});
  cases.push_back(
      {"concat_cols", "one row, one part", random_tensors({{1, 3}}, "concat_cols one"),
       [](Tape&, Inputs in) -> Outputs { return {ops::concat_cols(std::vector<Var>{in[0]})}; }});
  for (const Index before : {0, 2})
    cases.push_back({"append_positions", std::to_string(before) + " positions before",
                     random_tensors({{2, before + 1, 3}, {2, 1, 3}}, "append_positions"),
                     [](Tape&, Inputs in) -> Outputs {
                       const Var longer = ops::append_positions(in[0], in[1]);
                       return {ops::tanh(ops::append_positions(longer, in[1]))};
                     }});
  cases.push_back({"slice_cols", "overlapping, and all of it",
                   random_tensors({{3, 5}}, "slice_cols"), [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::slice_cols(in[0], 0, 3)),
                             ops::tanh(ops::slice_cols(in[0], 2, 3)),
                             ops::slice_cols(ops::tanh(in[0]), 0, 5)};
                   }});
  cases.push_back(
      {"slice_cols", "one column of rank 3", random_tensors({{2, 2, 3}}, "slice_cols one"),
       [](Tape&, Inputs in) -> Outputs { return {ops::tanh(ops::slice_cols(in[0], 1, 1))}; }});
}

void add_reduction_cases(std::vector<GradientCase>& cases) {
  for (const Index regions : {1, 5})
    cases.push_back({"mean_regions", std::to_string(regions) + " regions",
                     random_tensors({{2, regions, 3}}, "mean_regions" + std::to_string(regions)),
                     [](Tape&, Inputs in) -> Outputs { return {ops::mean_regions(in[0])}; }});
  for (const Index regions : {1, 5})
    cases.push_back({"transpose_regions", std::to_string(regions) + " regions",
                     random_tensors({{2, regions, 3}}, "transpose" + std::to_string(regions)),
                     [](Tape&, Inputs in) -> Outputs { return {ops::transpose_regions(in[0])}; }});
  cases.push_back({"dot_constant", "a matrix, used twice", random_tensors({{2, 2}}, "dot_constant"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::dot_constant(in[0], std::vector<Real>{0.5, -2, 0, 3}),
                             ops::dot_constant(in[0], std::vector<Real>{1, 1, 1, -1})};
                   }});
  cases.push_back({"sum", "scalars, one twice", random_tensors({{1}, {1}}, "sum"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::sum(std::vector<Var>{in[0], in[1], ops::tanh(in[0]), in[0]})};
                   }});
}

}  // namespace

std::vector<GradientCase> shape_cases() {
  std::vector<GradientCase> cases;
  add_view_cases(cases);
  add_concat_cases(cases);
  add_reduction_cases(cases);
  return cases;
}

namespace {

// Moves all numbers away from 0 by 0.1, because relu has its kink there.
std::vector<Tensor> off_zero(std::vector<Tensor> tensors) {
  for (Tensor& t : tensors)
    for (Real& x : t.span()) x += std::copysign(0.1, x);
  return tensors;
}

}  // namespace

std::vector<GradientCase> pointwise_cases() {
  std::vector<GradientCase> cases;
  cases.push_back({"add", "two matrices", random_tensors({{3, 4}, {3, 4}}, "add"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::add(in[0], in[1])}; }});
  // Sums and activations hand the memory of their gradient on.
  cases.push_back({"add", "of what is used before, between and behind",
                   off_zero(random_tensors({{3, 3}, {3, 3}}, "add used")),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var product = ops::linear(in[0], in[1]);
                     const Var early = ops::scale(product, Real(0.5));
                     const Var sum = ops::add(in[0], product);
                     const Var active = ops::gelu(ops::gelu(sum));
                     const Var both = ops::add(ops::add(sum, active), ops::relu(in[0]));
                     return {ops::add(both, early), ops::multiply(active, product)};
                   }});
  cases.push_back({"add", "a value and itself", random_tensors({{1, 5}}, "add twice"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::add(in[0], in[0])}; }});
  cases.push_back({"multiply", "two tensors of rank 3",
                   random_tensors({{2, 3, 2}, {2, 3, 2}}, "multiply"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::multiply(in[0], in[1])}; }});
  cases.push_back({"multiply", "a square times its root",
                   random_tensors({{2, 3}}, "multiply twice"), [](Tape&, Inputs in) -> Outputs {
                     const Var square = ops::multiply(in[0], in[0]);
                     return {square, ops::multiply(square, in[0])};
                   }});
  cases.push_back({"scale", "by a negative factor", random_tensors({{3, 2}}, "scale"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::scale(in[0], -1.5)}; }});
  cases.push_back({"tanh", "from the middle to saturation", random_tensors({{4, 5}}, "tanh", 2),
                   [](Tape&, Inputs in) -> Outputs { return {ops::tanh(in[0])}; }});
  cases.push_back({"sigmoid", "from the middle to saturation",
                   random_tensors({{4, 5}}, "sigmoid", 3),
                   [](Tape&, Inputs in) -> Outputs { return {ops::sigmoid(in[0])}; }});
  cases.push_back({"relu", "away from the kink", off_zero(random_tensors({{4, 5}}, "relu")),
                   [](Tape&, Inputs in) -> Outputs { return {ops::relu(in[0])}; }});
  for (const Real slope : {0.2, 0.0})
    cases.push_back(
        {"leaky_relu", "away from the kink, slope " + std::to_string(slope),
         off_zero(random_tensors({{4, 5}}, "leaky_relu")),
         [slope](Tape&, Inputs in) -> Outputs { return {ops::leaky_relu(in[0], slope)}; }});
  cases.push_back({"gelu", "from the middle to where it is x or 0",
                   random_tensors({{4, 5}}, "gelu", 3),
                   [](Tape&, Inputs in) -> Outputs { return {ops::gelu(in[0])}; }});
  cases.push_back({"log_above", "numbers on both sides, none near the lowest",
                   off_zero(random_tensors({{5, 5}}, "log_above")),
                   [](Tape&, Inputs in) -> Outputs { return {ops::log_above(in[0], 1e-6)}; }});
  cases.push_back({"clip", "most numbers outside, none near an end",
                   off_zero(random_tensors({{5, 5}}, "clip")), [](Tape&, Inputs in) -> Outputs {
                     return {ops::clip(in[0], {-100, 0}), ops::clip(in[0], {0, 100}),
                             ops::clip(in[0], {-50, 50})};
                   }});
  cases.push_back(
      {"exp", "twice over", random_tensors({{3, 4}}, "exp"), [](Tape&, Inputs in) -> Outputs {
         const Var y = ops::exp(in[0]);
         return {y, ops::exp(ops::scale(y, -1))};
       }});
  cases.push_back({"dropout", "odd count, two masks", random_tensors({{5, 5}}, "dropout"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::dropout(in[0], 0.5), ops::dropout(in[0], 0.2)};
                   }});
  cases.push_back({"dropout", "rate 0, which changes nothing",
                   random_tensors({{2, 2}}, "dropout 0"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::dropout(in[0], 0)}; }});
  for (const Index rows : {1, 4})
    cases.push_back({"scale_rows", std::to_string(rows) + " rows",
                     random_tensors({{rows, 3}, {rows, 1}}, "scale_rows" + std::to_string(rows)),
                     [](Tape&, Inputs in) -> Outputs { return {ops::scale_rows(in[0], in[1])}; }});
  cases.push_back({"scale_rows", "by factors made from the rows",
                   random_tensors({{4, 1}}, "scale_rows twice"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::scale_rows(in[0], in[0])}; }});
  cases.push_back({"scale_by", "a factor that is one of the numbers",
                   random_tensors({{3, 2}, {1}}, "scale_by"), [](Tape&, Inputs in) -> Outputs {
                     return {ops::scale_by(in[0], in[1]), ops::scale_by(in[1], in[1])};
                   }});
  cases.push_back({"reciprocal", "of both signs", off_zero(random_tensors({{3, 4}}, "reciprocal")),
                   [](Tape&, Inputs in) -> Outputs { return {ops::reciprocal(in[0])}; }});
  return cases;
}

}  // namespace saccade::test
