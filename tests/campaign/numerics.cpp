// campaign_numerics [--list] [KERNEL...] [--inputs N] [--from N] [--seconds S]
// [--seed K]
// Every fast kernel against its reference twin, over shapes at random (1, odd, prime, large), and
// over denormal numbers, infinities and NaN. The same shapes and numbers for the same seed. Stops
// at the first difference and names the input.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/kernels/attention_memory.h"
#include "core/kernels/conv.h"
#include "core/kernels/gemm.h"
#include "core/kernels/graph_attention.h"
#include "core/kernels/linear_attention.h"
#include "core/kernels/norm.h"
#include "core/kernels/optimized/conv_primitive.h"
#include "core/kernels/pointwise.h"
#include "core/kernels/precision.h"
#include "core/kernels/sdpa.h"

namespace saccade {
namespace {

constexpr float kEndless = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

// What may be among the numbers of an input.
enum class Kind { kUsual, kTiny, kNan, kInfinite };

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t input) : random_({seed, Stream::kTest, 7, input}) {
    const std::uint64_t kind = random_.below(8);
    if (kind < 3) kind_ = std::array{Kind::kTiny, Kind::kNan, Kind::kInfinite}[kind];
  }
  Kind kind() const { return kind_; }
  // For kernels whose formula has no meaning for infinities.
  void no_infinity() {
    if (kind_ == Kind::kInfinite) kind_ = Kind::kNan;
  }
  void usual_or_tiny() {
    if (kind_ != Kind::kTiny) kind_ = Kind::kUsual;
  }

  // Says what the input is where it is the only one, before a kernel may crash on it.
  void note(const std::string& what) const {
    if (aloud) std::cerr << what << "\n";
  }
  static inline bool aloud = false;

  bool coin() { return random_.below(2) == 0; }
  Index below(Index n) { return static_cast<Index>(random_.below(static_cast<std::uint64_t>(n))); }
  // 1 to `most`: often 1, a prime, or a number at a limit of blocks and registers.
  Index extent(Index most) {
    constexpr Index kEdges[] = {1,  2,  3,  5,  7,  8,   13,  15,  16,  17,  31,  32,  33,
                                37, 63, 64, 65, 97, 127, 128, 129, 251, 255, 256, 257, 509};
    const auto* const end = std::upper_bound(std::begin(kEdges), std::end(kEdges), most);
    return coin() ? kEdges[below(end - std::begin(kEdges))] : 1 + below(most);
  }
  // Normal numbers times `scale`; some are unusual. An input of some kind has them in one tensor in
  // two, so that they do not hide each other.
  Tensor operator()(const Shape& shape, double scale = 1) {
    Tensor out(shape);
    for (Real& x : out.span()) x = static_cast<Real>(scale * random_.normal());
    if (out.empty() || kind_ == Kind::kUsual || coin()) return out;
    const bool one = kind_ != Kind::kTiny;
    for (Index i = 0, n = one ? 1 : out.size() / 2 + 1; i < n; ++i) {
      const Real sign = coin() ? Real{1} : Real{-1};
      out[below(out.size())] =
          sign * (kind_ == Kind::kTiny ? std::numeric_limits<Real>::denorm_min() *
                                             static_cast<Real>(1 + below(1 << 22))
                  : kind_ == Kind::kNan ? kNoNumber
                                        : kEndless);
    }
    return out;
  }

 private:
  Random random_;
  Kind kind_ = Kind::kUsual;
};

using Results = std::vector<Tensor>;

template <class... T>
Results made(T... tensors) {
  Results out;
  (out.push_back(std::move(tensors)), ...);
  return out;
}

// How the results of a pair may differ.
struct Allowed {
  double error = 2e-5;         // as a share of the largest finite number, and of `least` at least
  bool more_infinite = false;  // the fast one may spread what is not finite
  double least = 1e-30;        // a sum may cancel out
};

// What differs; "" for nothing. A number that is not finite may not get lost: nobody would see that
// a run diverged.
std::string difference(const Results& reference, const Results& fast, const Allowed& allowed) {
  for (std::size_t r = 0; r < reference.size(); ++r) {
    double scale = allowed.least;
    for (const Real x : reference[r].span())
      if (std::isfinite(x)) scale = std::max(scale, std::abs(double{x}));
    for (Index i = 0; i < reference[r].size(); ++i) {
      const Real wanted = reference[r][i], got = fast[r][i];
      const bool same =
          std::isfinite(wanted)
              ? std::isfinite(got)
                    ? !(std::abs(double{wanted} - double{got}) > allowed.error * scale)
                    : allowed.more_infinite
              : !std::isfinite(got);
      if (!same)
        return str("result ", r, ", number ", i, " of ", reference[r].size(), " is ", got, ", not ",
                   wanted, " (the largest is ", scale, ")");
    }
  }
  return "";
}

struct Pair {
  const char* name;
  std::function<std::string(Draw&)> differs;
};

// Runs both on copies of the same results.
template <class Reference, class Fast>
std::string compared(const Results& start, Reference reference, Fast fast, Allowed allowed = {}) {
  Results wanted, got;
  for (const Tensor& one : start) {
    wanted.push_back(one.clone());
    got.push_back(one.clone());
  }
  reference(wanted);
  fast(got);
  return difference(wanted, got, allowed);
}

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

Tensor rounded(Tensor x, Precision precision) {
  if (precision == Precision::kF32) return x;
  std::vector<std::uint16_t> upper(x.span().size());
  round_to_bf16(x.span(), upper.data());
  for (std::size_t i = 0; i < upper.size(); ++i)
    x.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(upper[i]) << 16);
  return x;
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
  const auto run = [&](auto forward, auto data, auto weights) {
    return [&, forward, data, weights](Results& r) {
      forward(s, x.view(), w.view(), epilogue, r[0].view());
      data(s, w.view(), dy.view(), r[1].view());
      weights(s, x.view(), dy.view(), r[2].view(), r[3].view());
    };
  };
  // Winograd's algorithm computes tiles, and spreads a NaN over its own; a relu of the reference
  // makes 0 of NaN.
  const std::string differs =
      compared(start,
               run(kernels::reference::conv2d, kernels::reference::conv2d_backward_data,
                   kernels::reference::conv2d_backward_weights),
               run(kernels::optimized::conv2d, kernels::optimized::conv2d_backward_data,
                   kernels::optimized::conv2d_backward_weights),
               {.error = 3e-5, .more_infinite = true, .least = 1});
  set_precision(Precision::kF32);
  return differs;
}

std::string element_wise(Draw& draw, void (*reference)(ConstView, View),
                         void (*fast)(ConstView, View)) {
  const Shape shape{draw.extent(40), draw.extent(300)};
  const Tensor x = draw(shape, draw.coin() ? 1 : 30);
  return compared(
      made(Tensor(shape)), [&](Results& r) { reference(x.view(), r[0].view()); },
      [&](Results& r) { fast(x.view(), r[0].view()); });
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
                  run(kernels::cross_entropy));
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
                  run(kernels::lstm_cell, kernels::gru_cell));
}

std::string memory(Draw& draw) {
  draw.no_infinity();
  const Index memories = draw.extent(5), regions = draw.extent(130), width = draw.extent(300);
  const Index group = draw.extent(12), rows = (memories - 1) * group + 1 + draw.below(group);
  const Tensor keys = draw({memories, regions, width}), query = draw({rows, width}),
               v = draw({width}), weights = draw({rows, regions}), de = draw({rows, regions});
  const Real scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(width)));
  const Real beta = draw.coin() ? Real{0} : Real{1};
  const auto run = [&](auto score, auto backward, auto dot, auto sum, auto outer) {
    return [&, score, backward, dot, sum, outer](Results& r) {
      score(keys.view(), query.view(), v.view(), group, r[0].view());
      backward(keys.view(), query.view(), v.view(), group, de.view(), r[1].view(), r[2].view(),
               r[3].view());
      dot(keys.view(), query.view(), group, scale, beta, r[4].view());
      sum(keys.view(), weights.view(), group, scale, beta, r[5].view());
      outer(weights.view(), query.view(), group, scale, r[6].view());
    };
  };
  return compared(
      made(Tensor({rows, regions}), draw(keys.shape()), draw(query.shape()), draw({width}),
           draw({rows, regions}), draw(query.shape()), draw(keys.shape())),
      run(kernels::reference::additive_score, kernels::reference::additive_score_backward,
          kernels::reference::memory_dot, kernels::reference::memory_sum,
          kernels::reference::memory_outer),
      run(kernels::additive_score, kernels::additive_score_backward, kernels::memory_dot,
          kernels::memory_sum, kernels::memory_outer));
}

// A mask of any pattern, under which every query sees a key.
struct Mask {
  std::vector<Index> starts;
  std::vector<int> neighbours, lengths;
  std::vector<std::uint8_t> allowed;
  AttentionMask mask;
};

enum class Masks { kAny, kAllOrCausal, kLists };

Mask make_mask(Draw& draw, const AttentionExtents& e, Masks masks) {
  using Pattern = AttentionMask::Pattern;
  Mask out;
  const bool square = e.queries == e.keys;
  if (masks == Masks::kLists || (masks == Masks::kAny && draw.below(4) == 0)) {
    out.mask.pattern = Pattern::kNeighbours;
    out.starts.push_back(0);
    for (Index t = 0; t < e.queries; ++t) {
      const Index step = draw.extent(9);
      for (Index s = draw.below(std::min(e.keys, step)); s < e.keys; s += step)
        out.neighbours.push_back(static_cast<int>(s));
      out.starts.push_back(static_cast<Index>(out.neighbours.size()));
    }
  } else if (draw.coin() && (masks == Masks::kAny ? e.keys >= e.queries : square)) {
    out.mask.pattern = Pattern::kCausal;
  } else if (masks == Masks::kAny && square && draw.coin()) {
    out.mask = {.pattern = Pattern::kWindow, .radius = draw.below(20), .global = draw.below(3)};
    out.mask.global = std::min(out.mask.global, e.keys);
  }
  const bool some_left_out = masks != Masks::kLists && out.mask.pattern != Pattern::kNeighbours &&
                             out.mask.pattern != Pattern::kWindow && draw.coin();
  if (some_left_out) {
    for (Index b = 0; b < e.batch; ++b)  // the first key stays
      for (Index s = 0; s < e.keys; ++s) out.allowed.push_back(s == 0 || draw.coin());
  }
  return out;
}

void point_to(Mask& m) {
  m.mask.starts = m.starts;
  m.mask.neighbours = m.neighbours;
  m.mask.allowed = m.allowed;
}

std::string sequences(Draw& draw, bool linear) {
  draw.usual_or_tiny();                              // what is not finite is for rows of their own
  const Index most = draw.below(8) == 0 ? 280 : 40;  // the reference takes the square of it
  const Index batch = draw.extent(3), heads = draw.extent(5), width = draw.extent(40),
              value_width = draw.extent(40), queries = draw.extent(most),
              keys = draw.coin() ? queries : draw.extent(most);
  const AttentionExtents extents{batch, queries, keys};
  Mask mask = make_mask(draw, extents, linear ? Masks::kAllOrCausal : Masks::kAny);
  point_to(mask);
  const Shape wide{batch, queries, heads * width}, wide_keys{batch, keys, heads * width};
  const Shape values{batch, keys, heads * value_width}, outs{batch, queries, heads * value_width};
  const Tensor q = draw(wide), k = draw(wide_keys), v = draw(values), dy = draw(outs);
  const kernels::SdpaInputs in{q.view(), k.view(), v.view(), heads, mask.mask};
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      forward(in, r[0].view(), r[1].view());
      backward(in, r[0].view(), r[1].view(), dy.view(),
               kernels::SdpaGradients{r[2].view(), r[3].view(), r[4].view()});
    };
  };
  const Results start = made(Tensor(outs), Tensor({batch, heads, queries}), draw(wide),
                             draw(wide_keys), draw(values));
  if (linear)
    return compared(
        start,
        run(kernels::reference::linear_attention, kernels::reference::linear_attention_backward),
        run(kernels::linear_attention, kernels::linear_attention_backward), {.error = 1e-4});
  return compared(start, run(kernels::reference::sdpa, kernels::reference::sdpa_backward),
                  run(kernels::sdpa, kernels::sdpa_backward), {.error = 5e-5});
}

std::string graph(Draw& draw) {
  draw.usual_or_tiny();
  const Index batch = draw.extent(3), heads = draw.extent(5), width = draw.extent(40),
              nodes = draw.extent(100);
  Mask mask = make_mask(draw, {batch, nodes, nodes}, Masks::kLists);
  point_to(mask);
  const Shape all{batch, nodes, heads * width}, halves{heads * width}, kept{batch, nodes, heads};
  const Tensor h = draw(all), query = draw(halves), key = draw(halves), dy = draw(all);
  const kernels::GraphInputs in{h.view(), query.view(), key.view(), heads, mask.mask};
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      const kernels::GraphKept k{r[1].view(), r[2].view(), r[3].view()};
      forward(in, r[0].view(), k);
      backward(in, r[0].view(), k, dy.view(),
               kernels::GraphGradients{r[4].view(), r[5].view(), r[6].view()});
    };
  };
  return compared(
      made(Tensor(all), Tensor(kept), Tensor(kept), Tensor(kept), draw(all), draw(halves),
           draw(halves)),
      run(kernels::reference::graph_attention, kernels::reference::graph_attention_backward),
      run(kernels::graph_attention, kernels::graph_attention_backward), {.error = 5e-5});
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
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      forward(s, f, 1e-5, x.view(), gamma.view(), beta.view(), r[0].view(), r[1].view(),
              r[2].view());
      backward(s, f, x.view(), gamma.view(), r[0].view(), r[1].view(), r[2].view(), dy.view(),
               kernels::NormGradients{r[3].view(), r[4].view(), r[5].view(), write});
    };
  };
  const Shape groups{s.batch, s.groups};
  return compared(made(Tensor(images), Tensor(groups), Tensor(groups), draw(images), draw(channels),
                       draw(channels)),
                  run(kernels::reference::group_norm, kernels::reference::group_norm_backward),
                  run(kernels::group_norm, kernels::group_norm_backward),
                  {.error = 1e-4, .more_infinite = f != Activation::kNone});
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
         return element_wise(draw, kernels::reference::sigmoid, kernels::sigmoid);
       }},
      {"gelu",
       [](Draw& draw) { return element_wise(draw, kernels::reference::gelu, kernels::gelu); }},
      {"softmax",
       [](Draw& draw) {
         return element_wise(draw, kernels::reference::softmax, kernels::softmax);
       }},
      {"cross_entropy", cross_entropy},
      {"cells", cells},
      {"attention_memory", memory},
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
  }
  return failed;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) { return saccade::run({argv + 1, argv + argc}); }
