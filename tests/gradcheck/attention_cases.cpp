#include "core/ops/alignment_ops.h"
#include "core/ops/attention_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "core/ops/supervision_ops.h"
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
    cases.push_back({"additive_score", s.name,
                     random_tensors({keys, query, {kWidth}}, std::string("additive ") + s.name),
                     [group = s.group](Tape&, Inputs in) -> Outputs {
                       return {ops::additive_score(in[0], in[1], in[2], group)};
                     }});
    cases.push_back({"dot_score", s.name,
                     random_tensors({keys, query}, std::string("dot ") + s.name),
                     [group = s.group](Tape&, Inputs in) -> Outputs {
                       return {ops::dot_score(in[0], in[1], 0.7, group)};
                     }});
  }
  cases.push_back({"additive_score", "steps of shrinking rows over one memory",
                   random_tensors({{3, 2, 3}, {3, 3}, {3}}, "additive shrinking"),
                   [](Tape&, Inputs in) -> Outputs {
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
    cases.push_back({"context", std::string("expectation, ") + s.name,
                     random_tensors({features, weights}, std::string("soft ") + s.name),
                     [group = s.group](Tape&, Inputs in) -> Outputs {
                       return {ops::context(in[0], in[1], {}, group)};
                     }});
    // In every other row, one region is chosen.
    std::vector<int> chosen;
    for (int r = 0; r < static_cast<int>(s.rows); ++r)
      chosen.push_back(r % 2 == 0 ? static_cast<int>(s.regions) - 1 : -1);
    cases.push_back({"context", std::string("chosen regions beside expectations, ") + s.name,
                     random_tensors({features, weights}, std::string("hard ") + s.name),
                     [group = s.group, chosen](Tape&, Inputs in) -> Outputs {
                       return {ops::context(in[0], in[1], chosen, group)};
                     }});
  }
  cases.push_back({"context", "features as keys and values",
                   random_tensors({{2, 3, 2}, {2, 2}}, "context shared"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var alpha = ops::softmax(ops::dot_score(in[0], in[1], 1, 1));
                     return {ops::context(in[0], alpha, {}, 1), alpha};
                   }});
}

std::vector<Real> ones(std::size_t count) { return std::vector<Real>(count, 1); }

void add_coverage_cases(std::vector<GradientCase>& cases) {
  using enum ops::CoverageSides;
  const std::vector<Real> targets{0.9, 0.25, 2};
  cases.push_back(
      {"coverage", "one target per caption", random_tensors({{3, 4}, {2, 4}, {1, 4}}, "coverage"),
       [targets](Tape&, Inputs in) -> Outputs { return {ops::coverage(in, targets, kBoth)}; }});
  // The sums are 0.2, 0.7, 0.25 and 0.4, 0.1, 0.5. They lie on both sides of the target and away
  // from the kink.
  std::vector<Tensor> sides;
  sides.emplace_back(Shape{2, 3}, std::vector<Real>{0.1, 0.3, 0.2, 0.4, 0.1, 0.5});
  sides.emplace_back(Shape{1, 3}, std::vector<Real>{0.1, 0.4, 0.05});
  cases.push_back(
      {"coverage", "only below the target", std::move(sides), [](Tape&, Inputs in) -> Outputs {
         return {ops::coverage(in, std::vector<Real>{0.3, 0.3}, kBelow)};
       }});
  cases.push_back({"coverage", "steps of shrinking rows",
                   random_tensors({{3, 4}, {2, 4}, {1, 4}}, "doubly"),
                   [](Tape&, Inputs in) -> Outputs {
                     std::vector<Var> weights;
                     for (const Var scores : in) weights.push_back(ops::softmax(scores));
                     return {ops::coverage(weights, ones(3), kBoth)};
                   }});
  cases.push_back({"coverage", "one step, one region, twice",
                   random_tensors({{1, 1}}, "doubly one"), [](Tape&, Inputs in) -> Outputs {
                     return {ops::coverage(std::vector<Var>{in[0], in[0]}, ones(1), kBoth),
                             ops::coverage(in, ones(1), kBoth)};
                   }});
  cases.push_back({"coverage", "slices of one block of weights",
                   random_tensors({{6, 2}}, "doubly slices"), [](Tape&, Inputs in) -> Outputs {
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

namespace {

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
    cases.push_back({"gaussian_window", c.name,
                     random_tensors({{c.queries, c.window.grid.cells()}, {c.queries, 2}},
                                    std::string("window ") + c.name),
                     [window = c.window](Tape&, Inputs in) -> Outputs {
                       return {ops::gaussian_window(in[0], in[1], window)};
                     }});
  cases.push_back({"gaussian_window", "applied to its own weights",
                   random_tensors({{2, 6}, {2, 2}}, "window twice"),
                   [](Tape&, Inputs in) -> Outputs {
                     const ops::GridWindow window{.grid = {2, 3}};
                     const Var y = ops::gaussian_window(ops::softmax(in[0]), in[1], window);
                     return {y, ops::gaussian_window(y, in[1], window)};
                   }});
}

void add_placing_cases(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<int> regions) {
    cases.push_back({"place_regions", name,
                     random_tensors({{3, 2}}, std::string("placing ") + name),
                     [regions = std::move(regions)](Tape&, Inputs in) -> Outputs {
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
    cases.push_back({"monotonic_alignment", str(shape),
                     random_tensors({shape, shape}, "monotonic" + str(shape)), build});
  std::vector<Tensor> certain = random_tensors({{3, 4}, {3, 4}}, "monotonic certain");
  for (Index i = 0; i < 12; ++i)
    if (i % 3 != 1) certain[0][i] = i % 2 == 0 ? 0 : 1;
  cases.push_back({"monotonic_alignment", "stops of exactly 0 and 1", std::move(certain), build});
  cases.push_back({"monotonic_alignment", "several steps in turn",
                   random_tensors({{2, 5}, {2, 5}, {2, 5}}, "monotonic steps"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var first =
                         ops::monotonic_alignment(ops::sigmoid(in[0]), ops::softmax(in[1]));
                     return {first, ops::monotonic_alignment(ops::sigmoid(in[2]), first)};
                   }});
  cases.push_back(
      {"monotonic_alignment", "of a value and itself", random_tensors({{2, 3}}, "monotonic twice"),
       [](Tape&, Inputs in) -> Outputs { return {ops::monotonic_alignment(in[0], in[0])}; }});
}

}  // namespace

std::vector<GradientCase> alignment_cases() {
  std::vector<GradientCase> cases;
  add_window_cases(cases);
  add_monotonic_cases(cases);
  add_placing_cases(cases);
  return cases;
}

namespace {

// Three maps over four regions; the second has no target.
const std::vector<Real> kInside{1, 0.25, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 1};
const std::vector<Real> kTarget{0.5, 0.3, 0.2, 0, 0, 0, 0, 0, 0, 0, 0, 1};

}  // namespace

std::vector<GradientCase> supervision_cases() {
  std::vector<GradientCase> cases;
  cases.push_back({"inside_cost", "behind a softmax", random_tensors({{3, 4}}, "inside cost"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::inside_cost(ops::softmax(in[0]), {kInside.data(), {3, 4}})};
                   }});
  cases.push_back({"map_divergence", "behind a softmax", random_tensors({{3, 4}}, "map divergence"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::map_divergence(ops::softmax(in[0]), {kTarget.data(), {3, 4}})};
                   }});
  // The sparsemax of the first row is {0.8, 0.2, 0, 0}: no gradient reaches the regions of weight
  // 0, although the target has weight on one of them. That of the second row is {0, 0, 0.35, 0.65},
  // all of it outside of `inside`.
  std::vector<Tensor> scores;
  scores.push_back(Tensor({2, 4}, std::vector<Real>{0.9, 0.3, -2, -3, -2, -1, 0.4, 0.7}));
  cases.push_back(
      {"map_divergence", "weights of exactly zero", {}, [](Tape&, Inputs in) -> Outputs {
         return {ops::map_divergence(ops::sparsemax(in[0]), {kTarget.data(), {2, 4}})};
       }});
  cases.back().inputs.push_back(scores[0].clone());
  static const std::vector<Real> missed{0, 0, 0, 1, 1, 1, 0, 0};
  cases.push_back(
      {"inside_cost", "nothing inside", std::move(scores), [](Tape&, Inputs in) -> Outputs {
         return {ops::inside_cost(ops::sparsemax(in[0]), {missed.data(), {2, 4}})};
       }});
  static const std::vector<Real> mask{1, 1, 0, 1, 0, 1};
  cases.push_back(
      {"pooled_evidence", "all regions", random_tensors({{2, 3, 4}}, "pooled evidence"),
       [](Tape&, Inputs in) -> Outputs { return {ops::pooled_evidence(in[0], 3, {})}; }});
  cases.push_back({"pooled_evidence", "some regions excluded, scores far apart",
                   random_tensors({{2, 3, 2}}, "pooled evidence masked", 20),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::pooled_evidence(in[0], 0.5, {mask.data(), {2, 3}})};
                   }});
  static const std::vector<Real> labels{1, 0, 0.25, 0, 1, 1};
  cases.push_back({"binary_cross_entropy", "labels of both kinds",
                   random_tensors({{2, 3}}, "binary cross-entropy", 3),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::binary_cross_entropy(in[0], {labels.data(), {2, 3}})};
                   }});
  return cases;
}

}  // namespace saccade::test
