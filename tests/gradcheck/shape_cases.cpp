#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

void add_view_cases(std::vector<GradientCase>& cases) {
  cases.push_back({.op = "reshape",
                   .name = "there and back, both used",
                   .inputs = random_tensors({{2, 3, 2}}, "reshape"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var flat = ops::reshape(in[0], {12});
                     return {ops::tanh(flat), ops::sigmoid(ops::reshape(flat, {4, 3}))};
                   }});
  cases.push_back({.op = "first_rows",
                   .name = "prefixes of prefixes",
                   .inputs = random_tensors({{4, 2}}, "first_rows"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var three = ops::first_rows(in[0], 3);
                     const Var one = ops::first_rows(three, 1);
                     return {ops::tanh(in[0]), ops::sigmoid(three), ops::tanh(one)};
                   }});
  cases.push_back({.op = "slice_rows",
                   .name = "slices of slices",
                   .inputs = random_tensors({{6, 3}}, "slice_rows"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var inner = ops::slice_rows(in[0], 1, 4);
                     const Var innermost = ops::slice_rows(inner, 2, 1);
                     return {ops::tanh(inner), ops::tanh(innermost), innermost};
                   }});
  cases.push_back({.op = "slice_rows",
                   .name = "overlapping, of a computed block of rank 3",
                   .inputs = random_tensors({{4, 2, 2}}, "slice_rows overlap"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::tanh(in[0]);
                     const Var a = ops::slice_rows(block, 0, 3), b = ops::slice_rows(block, 1, 3);
                     return {ops::multiply(a, b), ops::slice_rows(block, 0, 4)};
                   }});
}

void add_concat_cases(std::vector<GradientCase>& cases) {
  cases.push_back({.op = "concat_rows",
                   .name = "parts of several heights, one twice",
                   .inputs = random_tensors({{1, 3}, {2, 3}}, "concat_rows"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::concat_rows(std::vector<Var>{in[0], in[1], in[0]}))};
                   }});
  cases.push_back(
      {.op = "concat_rows",
       .name = "shrinking prefixes of rank 3",
       .inputs = random_tensors({{3, 2, 2}}, "concat_rows prefixes"),
       .build = [](Tape&, Inputs in) -> Outputs {
         const std::vector<Var> parts{in[0], ops::first_rows(in[0], 2), ops::first_rows(in[0], 1)};
         return {ops::concat_rows(parts)};
       }});
  cases.push_back({.op = "concat_cols",
                   .name = "parts of several widths, one twice",
                   .inputs = random_tensors({{3, 1}, {3, 4}}, "concat_cols"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::concat_cols(std::vector<Var>{in[0], in[1], in[0]}))};
                   }});
  cases.push_back({.op = "concat_cols",
                   .name = "one row, one part",
                   .inputs = random_tensors({{1, 3}}, "concat_cols one"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::concat_cols(std::vector<Var>{in[0]})};
                   }});
  for (const Index before : {0, 2})
    cases.push_back({.op = "append_positions",
                     .name = std::to_string(before) + " positions before",
                     .inputs = random_tensors({{2, before + 1, 3}, {2, 1, 3}}, "append_positions"),
                     .build = [](Tape&, Inputs in) -> Outputs {
                       const Var longer = ops::append_positions(in[0], in[1]);
                       return {ops::tanh(ops::append_positions(longer, in[1]))};
                     }});
  cases.push_back({.op = "slice_cols",
                   .name = "overlapping, and all of it",
                   .inputs = random_tensors({{3, 5}}, "slice_cols"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::slice_cols(in[0], 0, 3)),
                             ops::tanh(ops::slice_cols(in[0], 2, 3)),
                             ops::slice_cols(ops::tanh(in[0]), 0, 5)};
                   }});
  cases.push_back({.op = "slice_cols",
                   .name = "one column of rank 3",
                   .inputs = random_tensors({{2, 2, 3}}, "slice_cols one"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::tanh(ops::slice_cols(in[0], 1, 1))};
                   }});
}

void add_reduction_cases(std::vector<GradientCase>& cases) {
  for (const Index regions : {1, 5})
    cases.push_back(
        {.op = "mean_regions",
         .name = std::to_string(regions) + " regions",
         .inputs = random_tensors({{2, regions, 3}}, "mean_regions" + std::to_string(regions)),
         .build = [](Tape&, Inputs in) -> Outputs { return {ops::mean_regions(in[0])}; }});
  for (const Index regions : {1, 5})
    cases.push_back(
        {.op = "transpose_regions",
         .name = std::to_string(regions) + " regions",
         .inputs = random_tensors({{2, regions, 3}}, "transpose" + std::to_string(regions)),
         .build = [](Tape&, Inputs in) -> Outputs { return {ops::transpose_regions(in[0])}; }});
  cases.push_back({.op = "dot_constant",
                   .name = "a matrix, used twice",
                   .inputs = random_tensors({{2, 2}}, "dot_constant"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::dot_constant(in[0], std::vector<Real>{0.5, -2, 0, 3}),
                             ops::dot_constant(in[0], std::vector<Real>{1, 1, 1, -1})};
                   }});
  cases.push_back({.op = "sum",
                   .name = "scalars, one twice",
                   .inputs = random_tensors({{1}, {1}}, "sum"),
                   .build = [](Tape&, Inputs in) -> Outputs {
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

}  // namespace saccade::test
