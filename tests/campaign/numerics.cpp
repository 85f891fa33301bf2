// campaign_numerics [--list] [KERNEL...] [--inputs N] [--from N] [--seconds S]
// [--seed K]
// Every fast kernel against its reference twin, over shapes at random (1, odd, prime, large), and
// over denormal numbers, infinities and NaN. The same shapes and numbers for the same seed. Stops
// at the first difference and names the input.
#include "tests/campaign/numerics.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "core/kernels/conv.h"
#include "core/kernels/gemm.h"
#include "core/kernels/norm.h"
#include "core/kernels/optimized/conv_primitive.h"
#include "core/kernels/pointwise.h"
#include "core/kernels/precision.h"

namespace saccade::campaign {
namespace {

struct Pair {
  const char* name;
  std::function<std::string(Draw&)> differs;
};

std::string gemm(Draw& draw, Precision precision) {
  if (precision == Precision::kBf16 && !multiplies_bf16()) return "";
  draw.no_infinity();
  const Index m = draw.extent(300), n = draw.extent(300), k = draw.extent(600);
  const bool ta = draw.coin(), tb = draw.coin();
  const Index padding = draw.coin() ? 0 : draw.below(9);
  const Index lda = (ta ? m : k) + padding, ldb = (tb ? k : n) + padding, ldc = n + padding;
  const Tensor a = draw({ta ? k : m, lda}, 1 / std::sqrt(static_cast<double>(k))),
               b = draw({tb ? n : k, ldb});
  const Real beta = std::array<Real, 3>{0, 1, 0.5F}[static_cast<std::size_t>(draw.below(3))];
  Gemm g{.trans_a = ta ? Trans::kYes : Trans::kNo,
         .trans_b = tb ? Trans::kYes : Trans::kNo,
         .m = m,
         .n = n,
         .k = k,
         .alpha = draw.coin() ? Real{1} : Real{-0.3F},
         .a = a.data(),
         .lda = lda,
         .b = b.data(),
         .ldb = ldb,
         .beta = beta,
         .c = nullptr,
         .ldc = ldc,
         .precision = precision};
  const auto with = [g](auto product) {
    return [g, product](Results& r) mutable {
      g.c = r[0].data();
      product(g);
    };
  };
  return compared(made(draw({m, ldc})), with(kernels::reference::gemm),
                  with(kernels::optimized::gemm));
}

std::string convolution(Draw& draw, Precision wanted) {
  if (wanted == Precision::kBf16 && !multiplies_bf16()) return "";
  draw.no_infinity();
  set_precision(wanted);
  ConvShape s;
  do {
    s = {.batch = draw.extent(3),
         .height = draw.extent(24),
         .width = draw.extent(24),
         .in_channels = draw.extent(64),
         .out_channels = draw.extent(64),
         .kernel_height = draw.extent(5),
         .kernel_width = draw.extent(5),
         .stride = draw.extent(3),
         .padding = Padding(draw.below(3), draw.below(3)),
         .groups = 1,
         .dilation = draw.extent(3)};
    if (draw.coin()) s.kernel_height = s.kernel_width = 3, s.stride = s.dilation = 1;
    if (draw.coin()) {  // as most networks have them
      const Index unit = draw.coin() ? 8 : 16;
      s.in_channels = unit * draw.extent(6);
      s.out_channels = unit * draw.extent(6);
    }
    if (draw.coin()) {
      s.groups = draw.extent(s.in_channels);
      s.in_channels = s.in_channels / s.groups * s.groups;
      s.out_channels = s.groups * draw.extent(4);
    }
  } while (s.height + s.padding.both() < s.reach(s.kernel_height) ||
           s.width + s.padding.both() < s.reach(s.kernel_width));
  draw.note(str("batch ", s.batch, ", ", s.height, " x ", s.width, " x ", s.in_channels, " to ",
                s.out_channels, ", kernel ", s.kernel_height, " x ", s.kernel_width, ", stride ",
                s.stride, ", padding ", s.padding.before, " and ", s.padding.after, ", groups ",
                s.groups, ", dilation ", s.dilation));
  const Precision precision = kernels::optimized::conv_precision(s);
  const double scale = 1 / std::sqrt(static_cast<double>(s.patch()));
  const Tensor x = rounded(draw(s.input()), precision), bias = draw({s.out_channels}),
               skip = draw(s.output());
  // The reference multiplies these by the zeros of the padding, too, and NaN times 0 is NaN.
  draw.usual_or_tiny();
  const Tensor w = rounded(draw(s.weights(), scale), precision),
               dy = rounded(draw(s.output()), precision);
  kernels::ConvEpilogue epilogue;
  if (draw.coin()) epilogue.bias = bias.view();
  if (draw.coin()) epilogue.skip = skip.view();
  epilogue.activation = draw.coin() ? Activation::kNone : Activation::kRelu6;
  const Results start =
      made(Tensor(s.output()), Tensor(s.input()), draw(s.weights(), scale), draw({s.out_channels}));
  const kernels::Write write = draw.coin() ? kernels::Write::kAssign : kernels::Write::kAccumulate;
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      forward(s, x.view(), w.view(), epilogue, r[0].view());
      backward(s, x.view(), w.view(), dy.view(),
               {.dx = r[1].view(), .dw = r[2].view(), .dbias = r[3].view(), .write = write}, {});
    };
  };
  // Winograd's algorithm computes tiles, and spreads a NaN over its own; a relu of the reference
  // makes 0 of NaN.
  const std::string differs =
      compared(start, run(kernels::reference::conv2d, kernels::reference::conv2d_backward),
               run(kernels::optimized::conv2d, kernels::optimized::conv2d_backward),
               {.error = 3e-5, .more_infinite = true, .least = 1});
  set_precision(Precision::kF32);
  return differs;
}

// `least` as in Allowed: results near 0 have an error of that of numbers near 1 where a sum makes
// them.
std::string element_wise(Draw& draw, void (*reference)(ConstView, View),
                         void (*fast)(ConstView, View), double least = 1e-30) {
  const Shape shape{draw.extent(40), draw.extent(300)};
  const Tensor x = draw(shape, draw.coin() ? 1 : 30);
  return compared(
      made(Tensor(shape)), [&](Results& r) { reference(x.view(), r[0].view()); },
      [&](Results& r) { fast(x.view(), r[0].view()); }, {.least = least});
}

std::string cross_entropy(Draw& draw) {
  draw.no_infinity();
  const Index rows = draw.extent(20), classes = draw.extent(3000);
  const Tensor logits = draw({rows, classes}, 5);
  std::vector<int> targets;
  for (Index r = 0; r < rows; ++r) targets.push_back(static_cast<int>(draw.below(classes)));
  const auto run = [&](auto kernel) {
    return [&, kernel](Results& r) { kernel(logits.view(), targets, r[0].view(), r[1].view()); };
  };
  return compared(made(Tensor({rows}), Tensor({rows})), run(kernels::reference::cross_entropy),
                  run(kernels::cross_entropy), {.least = 5});  // the size of logits
}

std::string cells(Draw& draw) {
  const Index rows = draw.extent(10), width = draw.extent(200);
  const Tensor c = draw({rows, width}), hidden = draw({rows, 3 * width}, 2);
  const auto run = [&](auto lstm, auto gru) {
    return [&, lstm, gru](Results& r) {
      lstm(r[0].view(), c.view(), r[1].view(), r[2].view(), r[3].view());
      gru(r[4].view(), hidden.view(), c.view(), r[5].view());
    };
  };
  const Shape own{rows, width};
  return compared(made(draw({rows, 4 * width}, 2), Tensor(own), Tensor(own), Tensor(own),
                       draw({rows, 3 * width}, 2), Tensor(own)),
                  run(kernels::reference::lstm_cell, kernels::reference::gru_cell),
                  run(kernels::lstm_cell, kernels::gru_cell), {.least = 0.1});
}

std::string group_norm(Draw& draw) {
  draw.no_infinity();
  GroupNormShape s{.batch = draw.extent(4), .positions = draw.extent(300)};
  s.groups = draw.extent(16);
  s.channels = s.groups * draw.extent(16);
  const Shape images{s.batch, s.positions, s.channels}, channels{s.channels};
  const Tensor x = draw(images, 3), gamma = draw(channels), beta = draw(channels),
               dy = draw(images);
  const Activation f = draw.coin() ? Activation::kNone : Activation::kRelu;
  const auto write = draw.coin() ? kernels::Write::kAssign : kernels::Write::kAccumulate;
  const Shape groups{s.batch, s.groups};
  // Both ways back get the same y: where it is rounded to 0, relu lets no gradient pass.
  Tensor y(images), mean(groups), rstd(groups);
  kernels::reference::group_norm(s, f, 1e-5, x.view(), gamma.view(), beta.view(), y.view(),
                                 mean.view(), rstd.view());
  // The terms of dx are as large as this, and may cancel out.
  double least = 1;
  for (const Real deviation : rstd.span())
    if (std::isfinite(deviation)) least = std::max(least, double{deviation});
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      forward(s, f, 1e-5, x.view(), gamma.view(), beta.view(), r[0].view(), r[1].view(),
              r[2].view());
      backward(s, f, x.view(), gamma.view(), y.view(), mean.view(), rstd.view(), dy.view(),
               kernels::NormGradients{r[3].view(), r[4].view(), r[5].view(), write});
    };
  };
  return compared(made(Tensor(images), Tensor(groups), Tensor(groups), draw(images), draw(channels),
                       draw(channels)),
                  run(kernels::reference::group_norm, kernels::reference::group_norm_backward),
                  run(kernels::group_norm, kernels::group_norm_backward),
                  {.error = 1e-4, .more_infinite = f != Activation::kNone, .least = least});
}

std::vector<Pair> pairs() {
  return {
      {"gemm", [](Draw& draw) { return gemm(draw, Precision::kF32); }},
      {"gemm_bf16", [](Draw& draw) { return gemm(draw, Precision::kBf16); }},
      {"conv", [](Draw& draw) { return convolution(draw, Precision::kF32); }},
      {"conv_bf16", [](Draw& draw) { return convolution(draw, Precision::kBf16); }},
      {"tanh",
       [](Draw& draw) { return element_wise(draw, kernels::reference::tanh, kernels::tanh); }},
      {"sigmoid",
       [](Draw& draw) {
         return element_wise(draw, kernels::reference::sigmoid, kernels::sigmoid, 1);
       }},
      {"gelu",
       [](Draw& draw) { return element_wise(draw, kernels::reference::gelu, kernels::gelu, 1); }},
      {"softmax",
       [](Draw& draw) {
         return element_wise(draw, kernels::reference::softmax, kernels::softmax);
       }},
      {"cross_entropy", cross_entropy},
      {"cells", cells},
      {"attention_memory", attention_memory},
      {"sdpa", [](Draw& draw) { return sequences(draw, false); }},
      {"linear_attention", [](Draw& draw) { return sequences(draw, true); }},
      {"graph_attention", graph},
      {"group_norm", group_norm},
  };
}

int run(const std::vector<std::string>& arguments) {
  std::uint64_t inputs = ~std::uint64_t{0}, seed = 1, first = 0;
  double seconds = 1e9;
  std::vector<std::string> names;
  const std::vector<Pair> all = pairs();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto next = [&] { return i + 1 < arguments.size() ? arguments[++i] : "0"; };
    const std::string& one = arguments[i];
    if (one == "--list") {
      for (const Pair& pair : all) std::cout << pair.name << "\n";
      return 0;
    }
    if (one == "--inputs")
      inputs = std::stoull(next());
    else if (one == "--seconds")
      seconds = std::stod(next());
    else if (one == "--seed")
      seed = std::stoull(next());
    else if (one == "--from")
      first = std::stoull(next());
    else
      names.push_back(one);
  }
  Draw::aloud = inputs == 1;
  using Clock = std::chrono::steady_clock;
  std::uint64_t total = 0;
  int failed = 0;
  for (const Pair& pair : all) {
    if (!names.empty() && std::find(names.begin(), names.end(), pair.name) == names.end()) continue;
    const Clock::time_point start = Clock::now();
    std::uint64_t number = first;
    for (; number - first < inputs; ++number) {
      if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) break;
      Draw draw(seed, number);
      const std::string differs = pair.differs(draw);
      if (differs.empty()) continue;
      std::cerr << pair.name << ": input " << number << " of seed " << seed << " (kind "
                << static_cast<int>(draw.kind()) << "): " << differs << "\n";
      failed = 1;
      break;
    }
    std::cout << pair.name << " " << number - first << "\n";
    total += number - first;
  }
  std::cout << "numerics " << total << " inputs\n";
  return failed;
}

}  // namespace
}  // namespace saccade::campaign

int main(int argc, char** argv) { return saccade::campaign::run({argv + 1, argv + argc}); }
