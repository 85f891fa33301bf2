
#include "core/ops/attention_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// Memories, regions, query rows and the group of one score or context.
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
    // Every other row is a choice.
    std::vector<int> chosen;
    for (int r = 0; r < static_cast<int>(s.rows); ++r)
      chosen.push_back(r % 2 == 0 ? static_cast<int>(s.regions) - 1 : -1);
    cases.push_back({.op = "context",
                     .name = std::string("hard choices among expectations, ") + s.name,
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

void add_doubly_stochastic_cases(std::vector<GradientCase>& cases) {
  cases.push_back({.op = "doubly_stochastic",
                   .name = "steps of shrinking rows",
                   .inputs = random_tensors({{3, 4}, {2, 4}, {1, 4}}, "doubly"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     std::vector<Var> weights;
                     for (const Var scores : in) weights.push_back(ops::softmax(scores));
                     return {ops::doubly_stochastic(weights)};
                   }});
  cases.push_back({.op = "doubly_stochastic",
                   .name = "one step, one region, twice",
                   .inputs = random_tensors({{1, 1}}, "doubly one"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::doubly_stochastic(std::vector<Var>{in[0], in[0]}),
                             ops::doubly_stochastic(in)};
                   }});
  cases.push_back({.op = "doubly_stochastic",
                   .name = "slices of one block of weights",
                   .inputs = random_tensors({{6, 2}}, "doubly slices"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::softmax(in[0]);
                     const std::vector<Var> steps{ops::slice_rows(block, 0, 3),
                                                  ops::slice_rows(block, 3, 2),
                                                  ops::slice_rows(block, 5, 1)};
                     return {ops::doubly_stochastic(steps)};
                   }});
}

}  // namespace

std::vector<GradientCase> attention_cases() {
  std::vector<GradientCase> cases;
  add_score_cases(cases);
  add_context_cases(cases);
  add_doubly_stochastic_cases(cases);
  return cases;
}

}  // namespace saccade::test
