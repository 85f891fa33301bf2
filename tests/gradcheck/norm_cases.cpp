#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/norm_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// Inputs whose normalised values stay away from 0 after gain and shift, because relu has its kink
// there: equally many of both signs, absolute values in [1, 1.3], gains in [0.5, 1.5], shifts in
// [-0.1, 0.1].
std::vector<Tensor> kinkless(Shape shape, const std::string& name) {
  const Shape channel{shape.cols()};
  std::vector<Tensor> inputs = random_tensors({shape, channel, channel}, name);
  for (Index i = 0; i < inputs[0].size(); ++i) {
    const double size = 1.15 + 0.15 * std::tanh(inputs[0][i]);
    inputs[0][i] = (i / shape.cols() + i % shape.cols()) % 2 == 0 ? size : -size;
  }
  for (Real& v : inputs[1].span()) v = 1 + 0.5 * std::tanh(v);
  for (Real& v : inputs[2].span()) v = 0.1 * std::tanh(v);
  return inputs;
}

void add_group_norm_cases(std::vector<GradientCase>& cases) {
  struct Case {
    const char* name;
    Shape shape;
    Index groups;
  };
  // The kernel works in blocks of 32 and of 16 channels, which the last case is large enough for.
  const Case norms[] = {{"one group", {2, 2, 3, 4}, 1},
                        {"two groups", {2, 3, 2, 4}, 2},
                        {"one group per channel", {1, 2, 2, 3}, 3},
                        {"one position", {2, 6}, 2},
                        {"channels in blocks", {1, 2, 2, 52}, 2}};
  for (const Case& c : norms) {
    const std::string key = std::string("group_norm ") + c.name;
    const Shape channels{c.shape.cols()};
    cases.push_back({"group_norm", c.name, random_tensors({c.shape, channels, channels}, key),
                     [groups = c.groups](Tape&, Inputs in) -> Outputs {
                       return {ops::group_norm(in[0], in[1], in[2], {.groups = groups})};
                     }});
    cases.push_back({"group_norm", std::string(c.name) + ", relu", kinkless(c.shape, key),
                     [groups = c.groups](Tape&, Inputs in) -> Outputs {
                       return {
                           ops::group_norm(in[0], in[1], in[2],
                                           {.groups = groups, .activation = Activation::kRelu})};
                     }});
  }
  cases.push_back({"group_norm", "everything used twice",
                   random_tensors({{2, 3, 4}, {4}, {4}}, "group_norm twice"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::group_norm(in[0], in[1], in[2], {.groups = 2});
                     return {ops::multiply(in[0], in[0]), y,
                             ops::group_norm(in[0], in[1], in[2], {.groups = 1})};
                   }});
}

void add_layer_norm_cases(std::vector<GradientCase>& cases) {
  struct Case {
    const char* name;
    Shape shape;
    double scale;
  };
  const Case norms[] = {{"rows", {3, 5}, 1},
                        {"rank 3", {2, 3, 4}, 1},
                        {"one vector", {20}, 1},
                        {"one number per row", {3, 1}, 1},
                        {"large numbers", {2, 4}, 100}};
  for (const Case& c : norms) {
    const Shape width{c.shape.cols()};
    cases.push_back(
        {"layer_norm", c.name,
         random_tensors({c.shape, width, width}, std::string("layer_norm ") + c.name, c.scale),
         [](Tape&, Inputs in) -> Outputs { return {ops::layer_norm(in[0], in[1], in[2])}; }});
  }
  cases.push_back({"layer_norm", "after itself, with shared gain and shift",
                   random_tensors({{3, 4}, {4}, {4}}, "layer_norm twice"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::layer_norm(in[0], in[1], in[2]);
                     return {y, ops::layer_norm(ops::add(in[0], y), in[1], in[2])};
                   }});
}

void add_normalize_rows_cases(std::vector<GradientCase>& cases) {
  for (const Shape& shape : {Shape{3, 4}, Shape{2, 2, 3}, Shape{1, 7}})
    cases.push_back({"normalize_rows", str(shape),
                     random_tensors({shape}, "normalize_rows" + str(shape)),
                     [](Tape&, Inputs in) -> Outputs {
                       const Var y = ops::normalize_rows(in[0]);
                       return {y, ops::multiply(y, in[0])};
                     }});
  // A row of one number becomes its sign, whose gradient is 0 wherever it has one.
  cases.push_back({"normalize_rows", "one number per row",
                   random_tensors({{3, 1}}, "normalize_rows one"), [](Tape&, Inputs in) -> Outputs {
                     return {ops::multiply(ops::normalize_rows(in[0]), in[0])};
                   }});
}

}  // namespace

std::vector<GradientCase> norm_cases() {
  std::vector<GradientCase> cases;
  add_group_norm_cases(cases);
  add_layer_norm_cases(cases);
  add_normalize_rows_cases(cases);
  return cases;
}

namespace {

// Scores [3, 4]. In the three rows, none, two, and all but one of them are masked.
std::vector<Tensor> masked_scores(const std::string& name) {
  std::vector<Tensor> out = random_tensors({{3, 4}}, name);
  for (const Index place : {4, 6, 8, 9, 11}) out[0][place] = -std::numeric_limits<Real>::infinity();
  return out;
}

void add_normalizer_cases(std::vector<GradientCase>& cases, const std::string& op,
                          Var (*normalize)(Var)) {
  const auto build = [normalize](Tape&, Inputs in) -> Outputs { return {normalize(in[0])}; };
  cases.push_back({op, "several rows, used twice", random_tensors({{3, 4}}, op),
                   [normalize](Tape&, Inputs in) -> Outputs {
                     const Var y = normalize(in[0]);
                     return {y, ops::multiply(y, y), normalize(in[0])};
                   }});
  cases.push_back({op, "one region", random_tensors({{2, 1}}, op + " one"), build});
  cases.push_back(
      {op, "far from zero, over rank 3", random_tensors({{2, 2, 3}}, op + " far", 100), build});
  cases.push_back({op, "wide supports", random_tensors({{2, 9}}, op + " wide", 0.1), build});
  cases.push_back({op, "masked regions", masked_scores(op + " mask"), build});
}

// The outputs of a case have to be finite, so a normalizer reads the masked scores first.
void add_mask_cases(std::vector<GradientCase>& cases) {
  for (const Index k : {1, 3, 5})
    cases.push_back({"top_k", std::to_string(k) + " of five",
                     random_tensors({{4, 5}}, "top_k" + std::to_string(k)),
                     [k](Tape&, Inputs in) -> Outputs {
                       const Var kept = ops::top_k(in[0], k);
                       return {ops::softmax(kept), ops::sparsemax(kept)};
                     }});
  // A softmax of a single region would pass no gradient on, so this case has none.
  cases.push_back({"top_k", "the largest itself", random_tensors({{3, 1}}, "top_k one"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::top_k(in[0], 1)}; }});
  cases.push_back(
      {"top_k", "fewer above -infinity than k", masked_scores("top_k mask"),
       [](Tape&, Inputs in) -> Outputs { return {ops::softmax(ops::top_k(in[0], 3))}; }});

  const std::vector<std::uint8_t> for_all{1, 0, 1, 1}, by_row{1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1};
  for (const auto& allowed : {for_all, by_row})
    cases.push_back({"mask_scores", std::to_string(allowed.size()) + " marks",
                     random_tensors({{3, 4}}, "mask"), [allowed](Tape&, Inputs in) -> Outputs {
                       return {ops::softmax(ops::mask_scores(in[0], allowed)), ops::softmax(in[0])};
                     }});
  cases.push_back({"mask_scores", "one region", random_tensors({{2, 1}}, "mask one"),
                   [](Tape&, Inputs in) -> Outputs {
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
  return {"gumbel_one_hot",
          name,
          std::move(scores),
          [=](Tape&, Inputs in) -> Outputs {
            return {ops::dot_constant(ops::gumbel_one_hot(in[0], temperature, kept_noise),
                                      kept_readout)};
          },
          Alone::kYes,
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
