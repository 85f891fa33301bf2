#include "core/ops/normalizers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/kernels/pointwise.h"
#include "core/kernels/simplex.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

constexpr Real kMasked = -std::numeric_limits<Real>::infinity();

// NaN counts as a region: it goes through, so that the check for diverged runs finds it.
void check_rows(const char* op, Var scores) {
  SACCADE_CHECK(scores.cols() > 0, "[", op, "] row 0 has no columns in ", scores.shape());
  const ConstView x = scores.value();
  for (Index r = 0; r < x.rows(); ++r)
    SACCADE_CHECK(!std::all_of(x.row(r), x.row(r) + x.cols(), [](Real v) { return v == kMasked; }),
                  "[", op, "] every region of row ", r, " is masked");
}

// The gradient of an op that passes some scores on and masks the others.
void record_mask(Var scores, Var masked) {
  Tape& tape = scores.tape();
  tape.record(masked, [scores, masked, t = &tape] {
    const ConstView y = masked.value(), dy = t->grad(masked);
    const View dx = t->grad(scores);
    for (Index i = 0; i < y.size(); ++i)
      if (y[i] != kMasked) dx[i] += dy[i];
  });
}

}  // namespace

Var softmax(Var scores) {
  check_rows("softmax", scores);
  Tape& tape = scores.tape();
  const Var y = tape.output(scores.shape(), {scores});
  kernels::softmax(scores.value(), tape.mutable_value(y));
  tape.record(y, [scores, y, t = &tape] {
    kernels::softmax_backward(y.value(), t->grad(y), t->grad(scores));
  });
  return y;
}

Var sparsemax(Var scores) {
  check_rows("sparsemax", scores);
  Tape& tape = scores.tape();
  const Var y = tape.output(scores.shape(), {scores});
  const View scratch{tape.scratch(scores.cols()), {scores.cols()}};
  kernels::sparsemax(scores.value(), tape.mutable_value(y), scratch.span());
  tape.record(y, [scores, y, t = &tape] {
    kernels::sparsemax_backward(y.value(), t->grad(y), t->grad(scores));
  });
  return y;
}

Var entmax15(Var scores) {
  check_rows("entmax15", scores);
  Tape& tape = scores.tape();
  const Var y = tape.output(scores.shape(), {scores});
  const View scratch{tape.scratch(scores.cols()), {scores.cols()}};
  kernels::entmax15(scores.value(), tape.mutable_value(y), scratch.span());
  tape.record(y, [scores, y, t = &tape] {
    kernels::entmax15_backward(y.value(), t->grad(y), t->grad(scores));
  });
  return y;
}

Var top_k(Var scores, Index k) {
  check_rows("top_k", scores);
  SACCADE_CHECK(k >= 1, "[top_k] needs k of at least 1; got ", k);
  const Index regions = scores.cols();
  if (k >= regions) return scores;
  Tape& tape = scores.tape();
  const Var y = tape.output(scores.shape(), {scores});
  const ConstView x = scores.value();
  const View out = tape.mutable_value(y);
  std::fill_n(out.data, out.size(), kMasked);
  Index* const places = tape.arena().allocate_array<Index>(static_cast<std::size_t>(regions));
  for (Index r = 0; r < x.rows(); ++r) {
    // NaN above all: it is kept, and the order stays one that a selection may rely on.
    const auto rank = [row = x.row(r)](Index l) {
      return std::isnan(row[l]) ? std::numeric_limits<Real>::infinity() : row[l];
    };
    std::iota(places, places + regions, Index{0});
    std::nth_element(places, places + k, places + regions, [&](Index a, Index b) {
      return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
    });
    for (Index i = 0; i < k; ++i) out.row(r)[places[i]] = x.row(r)[places[i]];
  }
  record_mask(scores, y);
  return y;
}

Var mask_scores(Var scores, std::span<const std::uint8_t> allowed) {
  const auto count = static_cast<Index>(allowed.size());
  const bool by_row = count == scores.shape().size();
  SACCADE_CHECK(by_row || count == scores.cols(), "[mask_scores] ", count, " marks for ",
                scores.shape());
  Tape& tape = scores.tape();
  const Var y = tape.output(scores.shape(), {scores});
  const ConstView x = scores.value();
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < x.rows(); ++r) {
    const std::uint8_t* const marks = allowed.data() + (by_row ? r * x.cols() : 0);
    for (Index l = 0; l < x.cols(); ++l) out.row(r)[l] = marks[l] ? x.row(r)[l] : kMasked;
  }
  check_rows("mask_scores", y);
  record_mask(scores, y);
  return y;
}

Var gumbel_one_hot(Var scores, Real temperature, std::span<const Real> noise) {
  check_rows("gumbel_one_hot", scores);
  SACCADE_CHECK(temperature > 0, "[gumbel_one_hot] needs a temperature above 0; got ", temperature);
  SACCADE_CHECK(static_cast<Index>(noise.size()) == scores.shape().size(), "[gumbel_one_hot] ",
                noise.size(), " numbers of noise for ", scores.shape());
  Tape& tape = scores.tape();
  const Var y = tape.output(scores.shape(), {scores});
  const View out = tape.mutable_value(y), soft{tape.scratch(out.size()), out.shape};
  for (Index i = 0; i < out.size(); ++i)
    soft[i] = scores.value()[i] + noise[static_cast<std::size_t>(i)];
  for (Index r = 0; r < out.rows(); ++r) {
    const Real* const row = soft.row(r);
    const Index best = std::max_element(row, row + out.cols()) - row;
    for (Index l = 0; l < out.cols(); ++l)
      out.row(r)[l] = std::isnan(row[l]) ? row[l] : Real(l == best);
  }
  if (!y.requires_grad()) return y;
  for (Real& v : soft.span()) v /= temperature;
  kernels::softmax(soft, soft);
  tape.record(y, [scores, y, soft, temperature, t = &tape] {
    const View d{t->scratch(soft.size()), soft.shape};
    std::fill_n(d.data, d.size(), Real{0});
    kernels::softmax_backward(soft, t->grad(y), d);
    kernels::accumulate(d, t->grad(scores), 1 / temperature);
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
