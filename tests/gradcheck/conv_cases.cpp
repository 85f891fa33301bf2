#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/ops/conv_ops.h"
#include "core/ops/pointwise.h"
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

void add_conv_cases(std::vector<GradientCase>& cases) {
  const ConvCase convolutions[] = {
      {"3 x 3, padded", {2, 4, 5, 2}, {3, 3, 2, 3}, {.stride = 1, .padding = 1}},
      {"stride 2 that leaves a column out", {1, 5, 6, 2}, {3, 3, 2, 2}, {.stride = 2}},
      {"3 x 2, stride 2, padded", {2, 4, 3, 1}, {3, 2, 1, 2}, {.stride = 2, .padding = 1}},
      {"3 x 3, stride 2, padded after only",
       {1, 4, 5, 2},
       {3, 3, 2, 2},
       {.stride = 2, .padding = {0, 1}}},
      {"1 x 1", {2, 2, 3, 3}, {1, 1, 3, 2}, {}},
      {"1 x 1, stride 3", {1, 5, 4, 2}, {1, 1, 2, 1}, {.stride = 3}},
      {"the kernel as large as the image", {1, 3, 2, 2}, {3, 2, 2, 2}, {}},
  };
  for (const ConvCase& c : convolutions) {
    const std::string key = std::string("conv2d ") + c.name;
    cases.push_back({.op = "conv2d",
                     .name = c.name,
                     .inputs = random_tensors({c.image, c.kernel, {c.kernel[3]}}, key),
                     .build = [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::conv2d(in[0], in[1], in[2], options)};
                     }});
  }
  cases.push_back({.op = "conv2d",
                   .name = "without bias, image and kernel used twice",
                   .inputs = random_tensors({{2, 3, 3, 2}, {3, 3, 2, 2}}, "conv2d twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::conv2d(in[0], in[1], {}, {.padding = 1});
                     return {y, ops::conv2d(in[0], in[1], {}, {.stride = 2, .padding = 1}),
                             ops::multiply(in[0], in[0]), ops::conv2d(y, in[1])};
                   }});
}

// Numbers in random order whose differences are at least 0.1: no window's maximum is near another.
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
    cases.push_back({.op = "max_pool2d",
                     .name = c.name,
                     .inputs = std::move(input),
                     .build = [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::max_pool2d(in[0], options)};
                     }});
    cases.push_back({.op = "avg_pool2d",
                     .name = c.name,
                     .inputs = random_tensors({c.image}, std::string("avg_pool2d ") + c.name),
                     .build = [options = c.options](Tape&, Inputs in) -> Outputs {
                       return {ops::avg_pool2d(in[0], options)};
                     }});
  }
  cases.push_back(
      {.op = "mean_regions",
       .name = "as a global average of images",
       .inputs = random_tensors({{2, 3, 2, 3}}, "global_avg_pool"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::global_avg_pool(in[0])}; }});
}

}  // namespace

std::vector<GradientCase> conv_cases() {
  std::vector<GradientCase> cases;
  add_conv_cases(cases);
  add_pool_cases(cases);
  return cases;
}

}  // namespace saccade::test
