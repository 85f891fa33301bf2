// What the pairs of kernels in the campaign of numerics share: inputs at random, and how results
// are compared.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/tensor/tensor.h"
#include "tests/support/kernel_results.h"

namespace saccade::campaign {

inline constexpr float kEndless = std::numeric_limits<float>::infinity();
inline constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

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

using test::made;
using test::Results;
using test::rounded;

// How the results of a pair may differ.
struct Allowed {
  double error = 2e-5;         // as a share of the largest finite number, and of `least` at least
  bool more_infinite = false;  // the fast one may spread what is not finite
  double least = 1e-30;        // a sum may cancel out
};

// What differs; "" for nothing. A number that is not finite may not get lost: nobody would see that
// a run diverged.
inline std::string difference(const Results& reference, const Results& fast,
                              const Allowed& allowed) {
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

// Attention between queries and a memory, among the positions of sequences, and along graphs.
std::string attention_memory(Draw& draw);
std::string sequences(Draw& draw, bool linear);
std::string graph(Draw& draw);

}  // namespace saccade::campaign
