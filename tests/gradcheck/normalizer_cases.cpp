#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// Scores [3, 4]. In the three rows, none, two, and all but one of them are masked.
std::vector<Tensor> masked_scores(const std::string& name) {
  std::vector<Tensor> out = random_tensors({{3, 4}}, name);
  for (const Index place : {4, 6, 8, 9, 11}) out[0][place] = -std::numeric_limits<Real>::infinity();
  return out;
}

void add_normalizer_cases(std::vector<GradientCase>& cases, const std::string& op,
                          Var (*normalize)(Var)) {
  const auto build = [normalize](Tape&, Inputs in) -> Outputs { return {normalize(in[0])}; };
  cases.push_back({.op = op,
                   .name = "several rows, used twice",
                   .inputs = random_tensors({{3, 4}}, op),
                   .build = [normalize](Tape&, Inputs in) -> Outputs {
                     const Var y = normalize(in[0]);
                     return {y, ops::multiply(y, y), normalize(in[0])};
                   }});
  cases.push_back({.op = op,
                   .name = "one region",
                   .inputs = random_tensors({{2, 1}}, op + " one"),
                   .build = build});
  cases.push_back({.op = op,
                   .name = "far from zero, over rank 3",
                   .inputs = random_tensors({{2, 2, 3}}, op + " far", 100),
                   .build = build});
  cases.push_back({.op = op,
                   .name = "wide supports",
                   .inputs = random_tensors({{2, 9}}, op + " wide", 0.1),
                   .build = build});
  cases.push_back(
      {.op = op, .name = "masked regions", .inputs = masked_scores(op + " mask"), .build = build});
}

// The outputs of a case have to be finite, so a normalizer reads the masked scores first.
void add_mask_cases(std::vector<GradientCase>& cases) {
  for (const Index k : {1, 3, 5})
    cases.push_back({.op = "top_k",
                     .name = std::to_string(k) + " of five",
                     .inputs = random_tensors({{4, 5}}, "top_k" + std::to_string(k)),
                     .build = [k](Tape&, Inputs in) -> Outputs {
                       const Var kept = ops::top_k(in[0], k);
                       return {ops::softmax(kept), ops::sparsemax(kept)};
                     }});
  // A softmax of a single region would pass no gradient on, so this case has none.
  cases.push_back({.op = "top_k",
                   .name = "the largest itself",
                   .inputs = random_tensors({{3, 1}}, "top_k one"),
                   .build = [](Tape&, Inputs in) -> Outputs { return {ops::top_k(in[0], 1)}; }});
  cases.push_back(
      {.op = "top_k",
       .name = "fewer above -infinity than k",
       .inputs = masked_scores("top_k mask"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::softmax(ops::top_k(in[0], 3))}; }});

  const std::vector<std::uint8_t> for_all{1, 0, 1, 1}, by_row{1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1};
  for (const auto& allowed : {for_all, by_row})
    cases.push_back({.op = "mask_scores",
                     .name = std::to_string(allowed.size()) + " marks",
                     .inputs = random_tensors({{3, 4}}, "mask"),
                     .build = [allowed](Tape&, Inputs in) -> Outputs {
                       return {ops::softmax(ops::mask_scores(in[0], allowed)), ops::softmax(in[0])};
                     }});
  cases.push_back({.op = "mask_scores",
                   .name = "one region",
                   .inputs = random_tensors({{2, 1}}, "mask one"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::mask_scores(in[0], std::vector<std::uint8_t>{1})};
                   }});
}

// sum_i readout_i softmax((scores + noise) / temperature)_i, computed from the definition.
double relaxed(const Tensor& scores, double temperature, std::span<const Real> noise,
               std::span<const Real> readout) {
  const auto columns = static_cast<std::size_t>(scores.shape().cols());
  double total = 0;
  for (std::size_t begin = 0; begin < noise.size(); begin += columns) {
    double normalizer = 0, dot = 0;
    for (std::size_t i = begin; i < begin + columns; ++i) {
      const double e = std::exp((scores[static_cast<Index>(i)] + noise[i]) / temperature);
      normalizer += e;
      dot += e * readout[i];
    }
    total += dot / normalizer;
  }
  return total;
}

GradientCase gumbel_case(const std::string& name, std::vector<Tensor> scores, Real temperature) {
  const Shape shape = scores[0].shape();
  const Tensor noise = random_tensor(shape, name + " noise");
  const Tensor readout = random_tensor(shape, name + " readout");
  const std::vector<Real> kept_noise(noise.span().begin(), noise.span().end());
  const std::vector<Real> kept_readout(readout.span().begin(), readout.span().end());
  return {.op = "gumbel_one_hot",
          .name = name,
          .inputs = std::move(scores),
          .build = [=](Tape&, Inputs in) -> Outputs {
            return {ops::dot_constant(ops::gumbel_one_hot(in[0], temperature, kept_noise),
                                      kept_readout)};
          },
          .surrogate =
              [=](std::span<const Tensor> in) {
                return relaxed(in[0], temperature, kept_noise, kept_readout);
              }};
}

}  // namespace

std::vector<GradientCase> normalizer_cases() {
  std::vector<GradientCase> cases;
  add_normalizer_cases(cases, "softmax", ops::softmax);
  add_normalizer_cases(cases, "sparsemax", ops::sparsemax);
  add_normalizer_cases(cases, "entmax15", ops::entmax15);
  add_mask_cases(cases);
  cases.push_back(gumbel_case("several rows", random_tensors({{3, 4}}, "gumbel"), 1));
  cases.push_back(gumbel_case("cold", random_tensors({{2, 3}}, "gumbel cold"), 0.4));
  cases.push_back(gumbel_case("one region", random_tensors({{2, 1}}, "gumbel one"), 2));
  cases.push_back(gumbel_case("masked regions", masked_scores("gumbel mask"), 0.7));
  return cases;
}

}  // namespace saccade::test
