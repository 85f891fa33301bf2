#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/ops/biased_attention.h"
#include "core/ops/conv_ops.h"
#include "core/ops/network_ops.h"
#include "core/ops/pointwise.h"
#include "core/ops/tensor_ops.h"
#include "core/ops/upsample.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

struct ConvCase {
  const char* name;
  Shape image, kernel;
  ops::Conv2dOptions options;
};

// Shifts the numbers of the last input by turns far below 0, between 0 and 6, and far above 6.
std::vector<Tensor> sided(std::vector<Tensor> inputs) {
  constexpr double kSides[] = {-8, 3, 14};
  Tensor& last = inputs.back();
  for (Index i = 0; i < last.size(); ++i) last[i] += kSides[i % 3];
  return inputs;
}

void add_conv_cases(std::vector<GradientCase>& cases) {
  const ConvCase convolutions[] = {
      {"3 x 3, padded", {2, 4, 5, 2}, {3, 3, 2, 3}, {.stride = 1, .padding = 1}},
      {"stride 2, the last column unused", {1, 5, 6, 2}, {3, 3, 2, 2}, {.stride = 2}},
      {"3 x 2, stride 2, padded", {2, 4, 3, 1}, {3, 2, 1, 2}, {.stride = 2, .padding = 1}},
      {"3 x 3, stride 2, padded after only",
       {1, 4, 5, 2},
       {3, 3, 2, 2},
       {.stride = 2, .padding = {0, 1}}},
      {"1 x 1", {2, 2, 3, 3}, {1, 1, 3, 2}, {}},
      {"1 x 1, stride 3", {1, 5, 4, 2}, {1, 1, 2, 1}, {.stride = 3}},
      {"the kernel as large as the image", {1, 3, 2, 2}, {3, 2, 2, 2}, {}},
      {"depthwise", {2, 4, 3, 3}, {3, 3, 1, 3}, {.padding = 1, .groups = 3}},
      {"depthwise, stride 2, two outputs per channel",
       {1, 5, 4, 2},
       {3, 3, 1, 4},
       {.stride = 2, .padding = 1, .groups = 2}},
      {"dilated", {1, 6, 5, 2}, {3, 2, 2, 3}, {.padding = 2, .dilation = 2}},
      {"dilated, depthwise, stride 2",
       {2, 7, 6, 3},
       {3, 3, 1, 3},
       {.stride = 2, .padding = {1, 3}, .groups = 3, .dilation = 2}},
      {"two groups", {1, 3, 4, 4}, {2, 3, 2, 6}, {.padding = 1, .groups = 2}},
  };
  for (const ConvCase& c : convolutions) {
    const std::string key = std::string("conv2d ") + c.name;
    cases.push_back({"conv2d", c.name, random_tensors({c.image, c.kernel, {c.kernel[3]}}, key),
                     [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::conv2d(in[0], in[1], in[2], options)};
                     }});
  }
  // The number that is added decides on which side of a kink each sum lies, and keeps it far away.
  for (const Activation f : {Activation::kRelu, Activation::kRelu6})
    cases.push_back({"conv2d", f == Activation::kRelu ? "relu" : "relu6",
                     sided(random_tensors({{2, 3, 4, 2}, {3, 3, 2, 6}, {6}}, "f(conv2d)", 0.1)),
                     [f](Tape&, Inputs in) -> Outputs {
                       return {ops::conv2d(in[0], in[1], in[2], {.padding = 1, .activation = f})};
                     }});
  cases.push_back({"conv2d", "without bias, image and kernel used twice",
                   random_tensors({{2, 3, 3, 2}, {3, 3, 2, 2}}, "conv2d twice"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::conv2d(in[0], in[1], {}, {.padding = 1});
                     return {y, ops::conv2d(in[0], in[1], {}, {.stride = 2, .padding = 1}),
                             ops::multiply(in[0], in[0]), ops::conv2d(y, in[1])};
                   }});
}

// Statistics that differ from channel to channel. The tape borrows them, so they outlive it.
ConstView statistic(Index channels, double from) {
  static const std::vector<Tensor> kTables = [] {
    std::vector<Tensor> tables;
    for (const double start : {-0.5, 0.5}) {
      tables.emplace_back(Shape{8});
      for (Index c = 0; c < 8; ++c) tables.back()[c] = start + 0.25 * static_cast<double>(c);
    }
    return tables;
  }();
  return {kTables[from < 0 ? 0 : 1].data(), {channels}};
}

ops::ChannelNorm norm_of(Var gamma, Var beta) {
  const Index channels = gamma.shape().size();
  return {.mean = statistic(channels, -0.5),
          .variance = statistic(channels, 0.5),
          .gamma = gamma,
          .beta = beta,
          .epsilon = 1e-3};
}

void add_norm_cases(std::vector<GradientCase>& cases) {
  // Inputs: image, kernel, gain, shift, skip.
  const ConvCase convolutions[] = {
      {"3 x 3", {2, 4, 3, 2}, {3, 3, 2, 3}, {.padding = 1}},
      {"1 x 1, stride 2", {1, 4, 5, 3}, {1, 1, 3, 2}, {.stride = 2}},
      {"depthwise", {2, 3, 4, 4}, {3, 3, 1, 4}, {.padding = 1, .groups = 4}},
  };
  for (const ConvCase& c : convolutions) {
    const Shape channels{c.kernel[3]};
    const std::string key = std::string("conv_norm ") + c.name;
    cases.push_back({"conv_norm", c.name,
                     random_tensors({c.image, c.kernel, channels, channels}, key),
                     [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::conv_norm(in[0], {in[1], norm_of(in[2], in[3]), options})};
                     }});
  }
  for (const Activation f : {Activation::kNone, Activation::kRelu, Activation::kRelu6})
    cases.push_back(
        {"conv_norm", str("beside a skip, activation ", static_cast<int>(f)),
         sided(random_tensors({{2, 3, 4, 2}, {3, 3, 2, 3}, {3}, {3}, {2, 3, 4, 3}},
                              "conv_norm skip", 0.1)),
         [f](Tape&, Inputs in) -> Outputs {
           return {ops::conv_norm(
               in[0], {in[1], norm_of(in[2], in[3]), {.padding = 1, .activation = f}}, in[4])};
         }});
  cases.push_back({"conv_norm", "the image as the skip, everything used twice",
                   random_tensors({{2, 3, 3, 2}, {3, 3, 2, 2}, {2}, {2}}, "conv_norm 2"),
                   [](Tape&, Inputs in) -> Outputs {
                     const ops::NormedConv conv{in[1], norm_of(in[2], in[3]), {.padding = 1}};
                     return {ops::conv_norm(ops::conv_norm(in[0], conv, in[0]), conv, in[0])};
                   }});
  cases.push_back(
      {"residual_blocks", "one with a shortcut and one without",
       random_tensors({{2, 4, 3, 2}, {1, 1, 2, 3}, {3, 3, 3, 3}, {3}, {3}}, "blocks"),
       [](Tape&, Inputs in) -> Outputs {
         const ops::ChannelNorm norm = norm_of(in[3], in[4]);
         const ops::NormedConv first{in[1], norm}, second{in[2], norm, {.padding = 1}};
         const ops::ResidualBlock blocks[] = {{{first, second}, first}, {{second, second}}};
         return {ops::residual_blocks(in[0], blocks)};
       }});
  for (const Activation f : {Activation::kNone, Activation::kRelu, Activation::kRelu6})
    cases.push_back({"batch_norm", str("activation ", static_cast<int>(f)),
                     sided(random_tensors({{2, 3, 2, 3}, {3}, {3}}, "batch_norm", 0.1)),
                     [f](Tape&, Inputs in) -> Outputs {
                       return {ops::batch_norm(in[0], norm_of(in[1], in[2]), f)};
                     }});
}

// Numbers in random order whose differences are at least 0.1, so that every window has a clear
// maximum.
Tensor spread_tensor(Shape shape, const std::string& name) {
  Tensor tensor(shape);
  std::vector<int> order(static_cast<std::size_t>(tensor.size()));
  std::iota(order.begin(), order.end(), 0);
  Random random({1, Stream::kTest, 0, name_key(name)});
  random.shuffle(order);
  for (Index i = 0; i < tensor.size(); ++i)
    tensor[i] = 0.1 * order[static_cast<std::size_t>(i)] - 2;
  return tensor;
}

struct PoolCase {
  const char* name;
  Shape image;
  ops::Pool2dOptions options;
};

void add_pool_cases(std::vector<GradientCase>& cases) {
  const PoolCase pools[] = {
      {"2 x 2", {2, 4, 4, 3}, {}},
      {"2 x 2 of odd extents", {1, 5, 3, 2}, {}},
      {"3 x 3 overlapping, padded", {2, 5, 4, 2}, {.kernel = 3, .stride = 2, .padding = 1}},
      {"windows apart", {1, 5, 5, 1}, {.kernel = 2, .stride = 3}},
      {"1 x 1", {1, 2, 2, 2}, {.kernel = 1, .stride = 1}},
  };
  for (const PoolCase& c : pools) {
    std::vector<Tensor> input;
    input.push_back(spread_tensor(c.image, c.name));
    cases.push_back({"max_pool2d", c.name, std::move(input),
                     [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::max_pool2d(in[0], options)};
                     }});
    cases.push_back({"avg_pool2d", c.name,
                     random_tensors({c.image}, std::string("avg_pool2d ") + c.name),
                     [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::avg_pool2d(in[0], options)};
                     }});
  }
  cases.push_back({"global_avg_pool", "of images",
                   random_tensors({{2, 3, 2, 3}}, "global_avg_pool"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::global_avg_pool(in[0])}; }});
}

void add_upsample_cases(std::vector<GradientCase>& cases) {
  struct Case {
    const char* name;
    Shape image;
    GridSize to;
    std::vector<CellBlock> read{};
  };
  const Case grids[] = {
      {"to twice as many rows and columns", {2, 3, 2, 3}, {6, 4}},
      {"to a grid that is not a multiple", {1, 3, 4, 2}, {5, 7}},
      {"columns only", {1, 2, 3, 2}, {2, 5}},
      {"one cell everywhere", {2, 1, 1, 3}, {3, 2}},
      {"the grid that it is", {1, 2, 2, 2}, {2, 2}},
      {"parts of two grids",
       {2, 3, 4, 2},
       {5, 7},
       {{.left = 1, .bottom = 2, .right = 3}, {.top = 2, .bottom = 3, .right = 4}}}};
  for (const Case& c : grids)
    cases.push_back(
        {"upsample", c.name, random_tensors({c.image}, std::string("upsample ") + c.name),
         [c](Tape&, Inputs in) -> Outputs { return {ops::upsample(in[0], c.to, c.read)}; }});
}

// Numbers on both sides of the kinks of the hard functions, at -3 and 3, and near none.
std::vector<Tensor> off_threes(std::vector<Tensor> x) {
  for (Real& value : x[0].span())
    if (std::abs(std::abs(value) - 3) < 0.01) value += 0.1;
  return x;
}

void add_network_cases(std::vector<GradientCase>& cases) {
  for (const Nonlinearity f :
       {Nonlinearity::kSilu, Nonlinearity::kQuickGelu, Nonlinearity::kTanhGelu,
        Nonlinearity::kHardSwish, Nonlinearity::kHardSigmoid, Nonlinearity::kErf})
    cases.push_back({"nonlinear", "number " + std::to_string(static_cast<int>(f)),
                     off_threes(random_tensors({{4, 5}}, "nonlinear", 3)),
                     [f](Tape&, Inputs in) -> Outputs { return {ops::nonlinear(in[0], f)}; }});
  cases.push_back({"nonlinear", "a root", random_tensors({{4, 5}}, "root"),
                   [](Tape&, Inputs in) -> Outputs {  // of numbers above 0
                     return {ops::nonlinear(ops::exp(in[0]), Nonlinearity::kSqrt)};
                   }});
  cases.push_back({"rearrange", "some twice, some never, some zeros",
                   random_tensors({{2, 3, 2}}, "rearrange"), [](Tape&, Inputs in) -> Outputs {
                     static constexpr int kFrom[] = {5, 0, 0, -1, 3, 2, -1, 5};
                     return {ops::rearrange(in[0], kFrom)};
                   }});
  cases.push_back(
      {"multiply_matrices", "two pairs", random_tensors({{2, 3, 4}, {2, 4, 2}}, "matrices"),
       [](Tape&, Inputs in) -> Outputs { return {ops::multiply_matrices(in[0], in[1])}; }});
  cases.push_back({"add_channels", "rows of two axes", random_tensors({{2, 3, 4}, {4}}, "channels"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::add_channels(in[0], in[1])}; }});
  cases.push_back(
      {"scale_channels", "factors of each sample",
       random_tensors({{2, 3, 2, 3}, {2, 3}}, "scale_channels"),
       [](Tape&, Inputs in) -> Outputs { return {ops::scale_channels(in[0], in[1])}; }});
  cases.push_back({"scale_channels", "shared factors, twice",
                   random_tensors({{2, 3, 3}, {3}}, "scale_channels 2"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::scale_channels(in[0], in[1]);
                     return {y, ops::scale_channels(y, in[1])};
                   }});
  for (const Index places : {1, 4})
    cases.push_back(
        {"response_norm", "places: " + std::to_string(places),
         random_tensors({{2, places, 3}, {3}, {3}}, "response_norm"),
         [](Tape&, Inputs in) -> Outputs { return {ops::response_norm(in[0], in[1], in[2])}; }});
  for (const bool parted : {false, true})
    cases.push_back({"biased_attention", parted ? "parts that are set apart" : "one part",
                     random_tensors({{4, 4, 4}, {4, 4, 4}, {4, 4, 4}, {16, 2}}, "biased"),
                     [parted](Tape&, Inputs in) -> Outputs {
                       const std::vector<int> parts{0, 0, 1, 1, 2, 2, 2, 2};
                       return {ops::biased_attention(in[0], in[1], in[2], in[3],
                                                     parted ? parts : std::vector<int>{})};
                     }});
  cases.push_back({"biased_attention", "numbers of each window's own",
                   random_tensors({{3, 2, 4}, {3, 2, 4}, {3, 2, 4}, {12, 2}}, "biased own"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::biased_attention(in[0], in[1], in[2], in[3], {})};
                   }});
}

}  // namespace

std::vector<GradientCase> conv_cases() {
  std::vector<GradientCase> cases;
  add_conv_cases(cases);
  add_norm_cases(cases);
  add_network_cases(cases);
  add_pool_cases(cases);
  add_upsample_cases(cases);
  return cases;
}

}  // namespace saccade::test
