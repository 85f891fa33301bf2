
#include "core/ops/attention_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// The sizes of a score or context: memories, regions and query rows. Query rows [group m, group (m
// + 1)) read memory m.
struct Extents {
  const char* name;
  Index memories, regions, rows, group;
};
constexpr Extents kExtents[] = {{"one query each", 2, 3, 2, 1},
                                {"one row, one region", 1, 1, 1, 1},
                                {"groups of three", 2, 2, 6, 3},
                                {"fewer queries than memories", 3, 2, 2, 1},
                                {"the last group cut short", 2, 3, 5, 3}};

void add_score_cases(std::vector<GradientCase>& cases) {
  constexpr Index kWidth = 3;
  for (const Extents& s : kExtents) {
    const Shape keys{s.memories, s.regions, kWidth}, query{s.rows, kWidth};
    cases.push_back(
        {.op = "additive_score",
         .name = s.name,
         .inputs = random_tensors({keys, query, {kWidth}}, std::string("additive ") + s.name),
         .build = [group = s.group](Tape&, Inputs in) -> Outputs {
           return {ops::additive_score(in[0], in[1], in[2], group)};
         }});
    cases.push_back({.op = "dot_score",
                     .name = s.name,
                     .inputs = random_tensors({keys, query}, std::string("dot ") + s.name),
                     .build = [group = s.group](Tape&, Inputs in) -> Outputs {
                       return {ops::dot_score(in[0], in[1], 0.7, group)};
                     }});
  }
  cases.push_back({.op = "additive_score",
                   .name = "steps of shrinking rows over one memory",
                   .inputs = random_tensors({{3, 2, 3}, {3, 3}, {3}}, "additive shrinking"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     Outputs out;
                     for (const Index rows : {3, 2, 1})
                       out.push_back(ops::additive_score(
                           in[0], ops::first_rows(ops::first_rows(in[1], 3), rows), in[2], 1));
                     return out;
                   }});
}

void add_context_cases(std::vector<GradientCase>& cases) {
  for (const Extents& s : kExtents) {
    const Shape features{s.memories, s.regions, 3}, weights{s.rows, s.regions};
    cases.push_back({.op = "context",
                     .name = std::string("expectation, ") + s.name,
                     .inputs = random_tensors({features, weights}, std::string("soft ") + s.name),
                     .build = [group = s.group](Tape&, Inputs in) -> Outputs {
                       return {ops::context(in[0], in[1], {}, group)};
                     }});
    // In every other row, one region is chosen.
    std::vector<int> chosen;
    for (int r = 0; r < static_cast<int>(s.rows); ++r)
      chosen.push_back(r % 2 == 0 ? static_cast<int>(s.regions) - 1 : -1);
    cases.push_back({.op = "context",
                     .name = std::string("chosen regions beside expectations, ") + s.name,
                     .inputs = random_tensors({features, weights}, std::string("hard ") + s.name),
                     .build = [group = s.group, chosen](Tape&, Inputs in) -> Outputs {
                       return {ops::context(in[0], in[1], chosen, group)};
                     }});
  }
  cases.push_back({.op = "context",
                   .name = "features as keys and values",
                   .inputs = random_tensors({{2, 3, 2}, {2, 2}}, "context shared"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var alpha = ops::softmax(ops::dot_score(in[0], in[1], 1, 1));
                     return {ops::context(in[0], alpha, {}, 1), alpha};
                   }});
}

std::vector<Real> ones(std::size_t count) { return std::vector<Real>(count, 1); }

void add_coverage_cases(std::vector<GradientCase>& cases) {
  using enum ops::CoverageSides;
  const std::vector<Real> targets{0.9, 0.25, 2};
  cases.push_back({.op = "coverage",
                   .name = "one target per caption",
                   .inputs = random_tensors({{3, 4}, {2, 4}, {1, 4}}, "coverage"),
                   .build = [targets](Tape&, Inputs in) -> Outputs {
                     return {ops::coverage(in, targets, kBoth)};
                   }});
  // The sums are 0.2, 0.7, 0.25 and 0.4, 0.1, 0.5. They lie on both sides of the target and away
  // from the kink.
  std::vector<Tensor> sides;
  sides.emplace_back(Shape{2, 3}, std::vector<Real>{0.1, 0.3, 0.2, 0.4, 0.1, 0.5});
  sides.emplace_back(Shape{1, 3}, std::vector<Real>{0.1, 0.4, 0.05});
  cases.push_back({.op = "coverage",
                   .name = "only below the target",
                   .inputs = std::move(sides),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::coverage(in, std::vector<Real>{0.3, 0.3}, kBelow)};
                   }});
  cases.push_back({.op = "coverage",
                   .name = "steps of shrinking rows",
                   .inputs = random_tensors({{3, 4}, {2, 4}, {1, 4}}, "doubly"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     std::vector<Var> weights;
                     for (const Var scores : in) weights.push_back(ops::softmax(scores));
                     return {ops::coverage(weights, ones(3), kBoth)};
                   }});
  cases.push_back({.op = "coverage",
                   .name = "one step, one region, twice",
                   .inputs = random_tensors({{1, 1}}, "doubly one"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::coverage(std::vector<Var>{in[0], in[0]}, ones(1), kBoth),
                             ops::coverage(in, ones(1), kBoth)};
                   }});
  cases.push_back({.op = "coverage",
                   .name = "slices of one block of weights",
                   .inputs = random_tensors({{6, 2}}, "doubly slices"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::softmax(in[0]);
                     const std::vector<Var> steps{ops::slice_rows(block, 0, 3),
                                                  ops::slice_rows(block, 3, 2),
                                                  ops::slice_rows(block, 5, 1)};
                     return {ops::coverage(steps, ones(3), kBoth)};
                   }});
}

}  // namespace

std::vector<GradientCase> attention_cases() {
  std::vector<GradientCase> cases;
  add_score_cases(cases);
  add_context_cases(cases);
  add_coverage_cases(cases);
  return cases;
}

}  // namespace saccade::test
