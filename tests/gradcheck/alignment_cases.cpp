#include "core/ops/alignment_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

void add_window_cases(std::vector<GradientCase>& cases) {
  struct Case {
    const char* name;
    Index queries;
    ops::GridWindow window;
  };
  const Case windows[] = {
      {"a grid", 3, {.grid = {3, 4}, .row_sigma = 0.8, .col_sigma = 1.5}},
      {"one row of cells", 2, {.grid = {1, 5}, .row_sigma = 1, .col_sigma = 2}},
      {"one column of cells", 2, {.grid = {4, 1}, .row_sigma = 1.3, .col_sigma = 1}},
      {"one cell", 2, {}}};
  for (const Case& c : windows)
    cases.push_back({.op = "gaussian_window",
                     .name = c.name,
                     .inputs = random_tensors({{c.queries, c.window.grid.cells()}, {c.queries, 2}},
                                              std::string("window ") + c.name),
                     .build = [window = c.window](Tape&, Inputs in) -> Outputs {
                       return {ops::gaussian_window(in[0], in[1], window)};
                     }});
  cases.push_back({.op = "gaussian_window",
                   .name = "applied to its own weights",
                   .inputs = random_tensors({{2, 6}, {2, 2}}, "window twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const ops::GridWindow window{.grid = {2, 3}};
                     const Var y = ops::gaussian_window(ops::softmax(in[0]), in[1], window);
                     return {y, ops::gaussian_window(y, in[1], window)};
                   }});
}

void add_placing_cases(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<int> regions) {
    cases.push_back({.op = "place_regions",
                     .name = name,
                     .inputs = random_tensors({{3, 2}}, std::string("placing ") + name),
                     .build = [regions = std::move(regions)](Tape&, Inputs in) -> Outputs {
                       return {ops::place_regions(in[0], regions, 5)};
                     }});
  };
  add("the same regions for all rows", {1, 4});
  add("regions of each row", {0, 1, 4, 2, 3, 0});
  add("a region that a row names twice", {0, 1, 2, 2, 3, 0});
}

void add_monotonic_cases(std::vector<GradientCase>& cases) {
  const auto build = [](Tape&, Inputs in) -> Outputs {
    return {ops::monotonic_alignment(in[0], in[1])};
  };
  for (const Shape& shape : {Shape{3, 4}, Shape{1, 7}, Shape{2, 1}})
    cases.push_back({.op = "monotonic_alignment",
                     .name = str(shape),
                     .inputs = random_tensors({shape, shape}, "monotonic" + str(shape)),
                     .build = build});
  std::vector<Tensor> certain = random_tensors({{3, 4}, {3, 4}}, "monotonic certain");
  for (Index i = 0; i < 12; ++i)
    if (i % 3 != 1) certain[0][i] = i % 2 == 0 ? 0 : 1;
  cases.push_back({.op = "monotonic_alignment",
                   .name = "stops of exactly 0 and 1",
                   .inputs = std::move(certain),
                   .build = build});
  cases.push_back({.op = "monotonic_alignment",
                   .name = "several steps in turn",
                   .inputs = random_tensors({{2, 5}, {2, 5}, {2, 5}}, "monotonic steps"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var first =
                         ops::monotonic_alignment(ops::sigmoid(in[0]), ops::softmax(in[1]));
                     return {first, ops::monotonic_alignment(ops::sigmoid(in[2]), first)};
                   }});
  cases.push_back({.op = "monotonic_alignment",
                   .name = "of a value and itself",
                   .inputs = random_tensors({{2, 3}}, "monotonic twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::monotonic_alignment(in[0], in[0])};
                   }});
}

}  // namespace

std::vector<GradientCase> alignment_cases() {
  std::vector<GradientCase> cases;
  add_window_cases(cases);
  add_monotonic_cases(cases);
  add_placing_cases(cases);
  return cases;
}

}  // namespace saccade::test
