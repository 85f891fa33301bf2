#include <algorithm>
#include <cmath>
#include <memory>

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

// The estimator and what it points to, kept alive by the case.
struct Estimator {
  std::vector<Real> advantage;
  std::vector<int> chosen;
  ops::Reinforce constants;
};

std::shared_ptr<Estimator> estimator(std::vector<Real> advantage, std::vector<int> chosen,
                                     Real entropy_weight) {
  auto out = std::make_shared<Estimator>(
      Estimator{.advantage = std::move(advantage), .chosen = std::move(chosen), .constants = {}});
  out->constants = {.advantage = out->advantage.data(), .entropy_weight = entropy_weight};
  return out;
}

// log softmax of one row, from the definition.
std::vector<double> log_weights(const Tensor& scores, Index row) {
  const Index n = scores.shape()[1];
  std::vector<double> out(scores.data() + row * n, scores.data() + (row + 1) * n);
  const double top = *std::max_element(out.begin(), out.end());
  double total = 0;
  for (const double x : out) total += std::exp(x - top);
  for (double& x : out) x -= top + std::log(total);
  return out;
}

// sum_r advantage_r log alpha_r[s_r] - entropy_weight H_r, whose gradient `reinforce` attaches.
double surrogate_loss(const Tensor& scores, const Estimator& e) {
  double total = 0;
  for (std::size_t r = 0; r < e.chosen.size(); ++r) {
    const std::vector<double> log_alpha = log_weights(scores, static_cast<Index>(r));
    if (e.chosen[r] >= 0)
      total += e.advantage[r] * log_alpha[static_cast<std::size_t>(e.chosen[r])];
    for (const double x : log_alpha) total += e.constants.entropy_weight * std::exp(x) * x;
  }
  return total;
}

GradientCase reinforce_case(const std::string& name, std::vector<Tensor> scores,
                            std::shared_ptr<Estimator> e) {
  return {.op = "reinforce",
          .name = name,
          .inputs = std::move(scores),
          .build = [e](Tape&, Inputs in) -> Outputs {
            return {ops::reinforce(in[0], ops::softmax(in[0]), e->chosen, &e->constants)};
          },
          .surrogate = [e](std::span<const Tensor> in) { return surrogate_loss(in[0], *e); }};
}

void add_reinforce_cases(std::vector<GradientCase>& cases) {
  cases.push_back(reinforce_case("choices beside expectations", random_tensors({{4, 3}}, "hard"),
                                 estimator({1.5, -0.7, 9, 0.2}, {0, 2, -1, 1}, 0.3)));
  cases.push_back(reinforce_case("without an entropy bonus", random_tensors({{2, 3}}, "no bonus"),
                                 estimator({-2, 0.5}, {1, 1}, 0)));
  cases.push_back(
      reinforce_case("one region", random_tensors({{1, 1}}, "hard one"), estimator({3}, {0}, 0.5)));
  std::vector<Tensor> certain;
  certain.push_back(Tensor({2, 3}, std::vector<Real>{0, -900, 1, 400, -400, 0}));
  cases.push_back(reinforce_case("weights of exactly zero", std::move(certain),
                                 estimator({1, -1}, {2, 0}, 0.5)));

  // As in training: the same scores feed the context, whose hard rows give them nothing.
  const auto e = estimator({0.8, 5, -1.2}, {1, -1, 0}, 0.1);
  const Tensor values = random_tensor({3, 2, 1}, "hard context features");
  const auto features = std::make_shared<const Tensor>(values.clone());
  const std::vector<Real> readout{0.3, -1.1, 0.6};
  cases.push_back({.op = "reinforce",
                   .name = "beside the context",
                   .inputs = random_tensors({{3, 2}}, "hard context"),
                   .build = [=](Tape& tape, Inputs in) -> Outputs {
                     const Var alpha = ops::softmax(in[0]);
                     const Var z =
                         ops::context(tape.constant(features->view()), alpha, e->chosen, 1);
                     return {ops::sum(
                         std::vector<Var>{ops::dot_constant(z, readout),
                                          ops::reinforce(in[0], alpha, e->chosen, &e->constants)})};
                   },
                   .surrogate =
                       [=](std::span<const Tensor> in) {
                         double total = surrogate_loss(in[0], *e);
                         const std::vector<double> log_alpha =
                             log_weights(in[0], 1);  // the row without a choice
                         for (Index l = 0; l < 2; ++l)
                           total += readout[1] * std::exp(log_alpha[static_cast<std::size_t>(l)]) *
                                    (*features)[1 * 2 + l];
                         return total;
                       }});
}

}  // namespace

std::vector<GradientCase> attention_cases() {
  std::vector<GradientCase> cases;
  add_score_cases(cases);
  add_context_cases(cases);
  add_doubly_stochastic_cases(cases);
  add_reinforce_cases(cases);
  return cases;
}

}  // namespace saccade::test
