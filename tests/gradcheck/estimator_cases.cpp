#include <algorithm>
#include <cmath>
#include <memory>

#include "core/ops/attention_ops.h"
#include "core/ops/estimator_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// The estimator and the arrays that it points to. A case keeps them alive.
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

// The log softmax of one row, computed from its definition.
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
  return {"reinforce",
          name,
          std::move(scores),
          [e](Tape&, Inputs in) -> Outputs {
            return {ops::reinforce(in[0], ops::softmax(in[0]), e->chosen, {&e->constants, 0})};
          },
          Alone::kYes,
          [e](std::span<const Tensor> in) { return surrogate_loss(in[0], *e); }};
}

void add_reinforce_cases(std::vector<GradientCase>& cases) {
  cases.push_back(reinforce_case("chosen regions beside expectations",
                                 random_tensors({{4, 3}}, "hard"),
                                 estimator({1.5, -0.7, 9, 0.2}, {0, 2, -1, 1}, 0.3)));
  cases.push_back(reinforce_case("without an entropy bonus", random_tensors({{2, 3}}, "no bonus"),
                                 estimator({-2, 0.5}, {1, 1}, 0)));
  cases.push_back(
      reinforce_case("one region", random_tensors({{1, 1}}, "hard one"), estimator({3}, {0}, 0.5)));
  std::vector<Tensor> certain;
  certain.push_back(Tensor({2, 3}, std::vector<Real>{0, -900, 1, 400, -400, 0}));
  cases.push_back(reinforce_case("weights of exactly zero", std::move(certain),
                                 estimator({1, -1}, {2, 0}, 0.5)));

  // As in training, the same scores also feed the context, whose hard rows have no gradient for
  // them.
  const auto e = estimator({0.8, 5, -1.2}, {1, -1, 0}, 0.1);
  const Tensor values = random_tensor({3, 2, 1}, "hard context features");
  const auto features = std::make_shared<const Tensor>(values.clone());
  const std::vector<Real> readout{0.3, -1.1, 0.6};
  cases.push_back({"reinforce", "beside the context", random_tensors({{3, 2}}, "hard context"),
                   [=](Tape& tape, Inputs in) -> Outputs {
                     const Var alpha = ops::softmax(in[0]);
                     const Var z =
                         ops::context(tape.constant(features->view()), alpha, e->chosen, 1);
                     return {ops::sum(std::vector<Var>{
                         ops::dot_constant(z, readout),
                         ops::reinforce(in[0], alpha, e->chosen, {&e->constants, 0})})};
                   },
                   Alone::kYes,
                   [=](std::span<const Tensor> in) {
                     double total = surrogate_loss(in[0], *e);
                     const std::vector<double> log_alpha =
                         log_weights(in[0], 1);  // the row without a chosen region
                     for (Index l = 0; l < 2; ++l)
                       total += readout[1] * std::exp(log_alpha[static_cast<std::size_t>(l)]) *
                                (*features)[1 * 2 + l];
                     return total;
                   }});
}

// The same gradient as one of weights instead of scores, behind a softmax and behind a sparse
// normalizer. The rows are the second to fourth of an estimator.
void add_reinforce_weights_cases(std::vector<GradientCase>& cases) {
  const auto e = estimator({7, 1.5, -0.7, 0.2}, {0, 2, -1}, 0.3);
  const auto later = estimator({1.5, -0.7, 0.2}, {0, 2, -1}, 0.3);
  cases.push_back(
      {"reinforce_weights", "behind a softmax", random_tensors({{3, 3}}, "hard weights"),
       [e](Tape&, Inputs in) -> Outputs {
         return {ops::reinforce_weights(ops::softmax(in[0]), e->chosen, {&e->constants, 1})};
       },
       Alone::kYes, [later](std::span<const Tensor> in) { return surrogate_loss(in[0], *later); }});
  // The sparsemax of these rows is {0.8, 0.2, 0} and {0, 0.35, 0.65}. Regions of weight 0 keep it.
  std::vector<Tensor> scores;
  scores.push_back(Tensor({2, 3}, std::vector<Real>{0.9, 0.3, -2, -1, 0.4, 0.7}));
  const auto sparse = estimator({1.2, -0.8}, {1, 2}, 0.3);
  cases.push_back({"reinforce_weights", "weights of exactly zero", std::move(scores),
                   [sparse](Tape&, Inputs in) -> Outputs {
                     return {ops::reinforce_weights(ops::sparsemax(in[0]), sparse->chosen,
                                                    {&sparse->constants, 0})};
                   },
                   Alone::kYes,
                   [sparse](std::span<const Tensor> in) {
                     const Tensor& x = in[0];
                     const double first[]{0.5 + (x[0] - x[1]) / 2, 0.5 - (x[0] - x[1]) / 2};
                     const double second[]{0.5 + (x[4] - x[5]) / 2, 0.5 - (x[4] - x[5]) / 2};
                     double total = 1.2 * std::log(first[1]) - 0.8 * std::log(second[1]);
                     for (const double* alpha : {first, second})
                       for (const double a : {alpha[0], alpha[1]}) total += 0.3 * a * std::log(a);
                     return total;
                   }});
}

// exp(-800) is 0 in double, as exp(-104) is in float.
std::vector<Tensor> zero_weight_inputs() {
  std::vector<Tensor> inputs;
  inputs.push_back(Tensor({2, 3}, std::vector<Real>{0, -2000, 1, 0.5, -2000, 0}));
  inputs.push_back(Tensor({2, 3}, std::vector<Real>{800, 0, 801, 2, 900, 1}));
  return inputs;
}

void add_marginal_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"marginal_nll", "several rows", random_tensors({{3, 4}, {3, 4}}, "marginal"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::marginal_nll(ops::softmax(in[0]), in[1])};
                   }});
  cases.push_back({"marginal_nll", "a region of weight 0 whose cost is far below the others'",
                   zero_weight_inputs(), [](Tape&, Inputs in) -> Outputs {
                     return {ops::marginal_nll(ops::softmax(in[0]), in[1])};
                   }});
  cases.push_back({"marginal_nll", "one region, and costs far apart",
                   random_tensors({{2, 1}, {2, 1}}, "marginal one", 30),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::marginal_nll(ops::softmax(in[0]), in[1])};
                   }});
}

}  // namespace

std::vector<GradientCase> estimator_cases() {
  std::vector<GradientCase> cases;
  add_reinforce_cases(cases);
  add_reinforce_weights_cases(cases);
  add_marginal_cases(cases);
  return cases;
}

}  // namespace saccade::test
