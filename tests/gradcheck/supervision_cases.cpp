#include "core/ops/normalizers.h"
#include "core/ops/supervision_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// Three maps over four regions; the second has no target.
const std::vector<Real> kInside{1, 0.25, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 1};
const std::vector<Real> kTarget{0.5, 0.3, 0.2, 0, 0, 0, 0, 0, 0, 0, 0, 1};

}  // namespace

std::vector<GradientCase> supervision_cases() {
  std::vector<GradientCase> cases;
  cases.push_back({.op = "inside_cost",
                   .name = "behind a softmax",
                   .inputs = random_tensors({{3, 4}}, "inside cost"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::inside_cost(ops::softmax(in[0]), {kInside.data(), {3, 4}})};
                   }});
  cases.push_back({.op = "map_divergence",
                   .name = "behind a softmax",
                   .inputs = random_tensors({{3, 4}}, "map divergence"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::map_divergence(ops::softmax(in[0]), {kTarget.data(), {3, 4}})};
                   }});
  // The sparsemax of the first row is {0.8, 0.2, 0, 0}: no gradient reaches the regions of weight
  // 0, although the target has weight on one of them. That of the second row is {0, 0, 0.35, 0.65},
  // all of it outside of `inside`.
  std::vector<Tensor> scores;
  scores.push_back(Tensor({2, 4}, std::vector<Real>{0.9, 0.3, -2, -3, -2, -1, 0.4, 0.7}));
  cases.push_back({.op = "map_divergence",
                   .name = "weights of exactly zero",
                   .inputs = {},
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::map_divergence(ops::sparsemax(in[0]), {kTarget.data(), {2, 4}})};
                   }});
  cases.back().inputs.push_back(scores[0].clone());
  static const std::vector<Real> missed{0, 0, 0, 1, 1, 1, 0, 0};
  cases.push_back({.op = "inside_cost",
                   .name = "nothing inside",
                   .inputs = std::move(scores),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::inside_cost(ops::sparsemax(in[0]), {missed.data(), {2, 4}})};
                   }});
  static const std::vector<Real> mask{1, 1, 0, 1, 0, 1};
  cases.push_back(
      {.op = "pooled_evidence",
       .name = "all regions",
       .inputs = random_tensors({{2, 3, 4}}, "pooled evidence"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::pooled_evidence(in[0], 3, {})}; }});
  cases.push_back({.op = "pooled_evidence",
                   .name = "some regions excluded, scores far apart",
                   .inputs = random_tensors({{2, 3, 2}}, "pooled evidence masked", 20),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::pooled_evidence(in[0], 0.5, {mask.data(), {2, 3}})};
                   }});
  static const std::vector<Real> labels{1, 0, 0.25, 0, 1, 1};
  cases.push_back({.op = "binary_cross_entropy",
                   .name = "labels of both kinds",
                   .inputs = random_tensors({{2, 3}}, "binary cross-entropy", 3),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::binary_cross_entropy(in[0], {labels.data(), {2, 3}})};
                   }});
  return cases;
}

}  // namespace saccade::test
