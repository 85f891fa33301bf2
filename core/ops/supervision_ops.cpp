#include "core/ops/supervision_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

View copied(Tape& tape, ConstView from) {
  const View copy{tape.scratch(from.size()), from.shape};
  std::copy(from.data, from.data + from.size(), copy.data);
  return copy;
}

// Sums cost(weight, target) over the regions of each map; slope(weight, target) is its derivative
// with respect to the weight.
template <class Cost, class Slope>
Var map_cost(const char* op, Var weights, ConstView target, Cost cost, Slope slope) {
  SACCADE_CHECK(weights.shape() == target.shape, "[", op, "] weights ", weights.shape(),
                ", target ", target.shape);
  Tape& tape = weights.tape();
  const Index rows = weights.rows(), regions = weights.cols();
  const View wanted = copied(tape, target);
  const Var y = tape.output({rows}, {weights});
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < rows; ++r) {
    out[r] = 0;
    for (Index l = 0; l < regions; ++l) out[r] += cost(weights.value().row(r)[l], wanted.row(r)[l]);
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y), d = t->grad(weights);
    for (Index r = 0; r < rows; ++r)
      for (Index l = 0; l < regions; ++l)
        d.row(r)[l] += dy[r] * slope(weights.value().row(r)[l], wanted.row(r)[l]);
  });
  return y;
}

}  // namespace

Var inside_cost(Var weights, ConstView inside) {
  SACCADE_CHECK(weights.shape() == inside.shape, "[inside_cost] weights ", weights.shape(),
                ", inside ", inside.shape);
  Tape& tape = weights.tape();
  const Index rows = weights.rows(), regions = weights.cols();
  const View wanted = copied(tape, inside), total{tape.scratch(rows), {rows}};
  const Var y = tape.output({rows}, {weights});
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < rows; ++r) {
    Real sum = 0;
    bool any = false;
    for (Index l = 0; l < regions; ++l) {
      sum += weights.value().row(r)[l] * wanted.row(r)[l];
      any = any || wanted.row(r)[l] > 0;
    }
    total[r] = any ? sum : Real{0};
    out[r] = any ? -std::log(std::max(sum, kLeastWeight)) : Real{0};
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y), d = t->grad(weights);
    for (Index r = 0; r < rows; ++r) {
      if (total[r] < kLeastWeight) continue;
      const Real scale = dy[r] / total[r];
      for (Index l = 0; l < regions; ++l) d.row(r)[l] -= scale * wanted.row(r)[l];
    }
  });
  return y;
}

Var map_divergence(Var weights, ConstView target) {
  return map_cost(
      "map_divergence", weights, target,
      [](Real weight, Real p) {
        return p > 0 ? p * std::log(p / std::max(weight, kLeastWeight)) : Real{0};
      },
      [](Real weight, Real p) { return weight >= kLeastWeight ? -p / weight : Real{0}; });
}

Var pooled_evidence(Var scores, Real sharpness, ConstView mask) {
  const Shape shape = scores.shape();
  SACCADE_CHECK(shape.rank() == 3 && sharpness > 0, "[pooled_evidence] scores ", shape,
                ", sharpness ", sharpness);
  const Index memories = shape[0], regions = shape[1], classes = shape[2];
  SACCADE_CHECK(!mask.data || mask.shape == Shape({memories, regions}), "[pooled_evidence] mask ",
                mask.shape, " for scores ", shape);
  Tape& tape = scores.tape();
  const Var y = tape.output({memories, classes}, {scores});
  const View out = tape.mutable_value(y);
  // The factors of the gradient: the softmax of sharpness * scores over the unmasked regions.
  const View share{tape.scratch(scores.shape().size()), shape};
  const auto row = [=](Index m, Index l) { return (m * regions + l) * classes; };
  const auto unmasked = [=](Index m, Index l) { return !mask.data || mask.row(m)[l] > 0; };
  std::vector<Real> top(static_cast<std::size_t>(classes)), sum(top.size());
  for (Index m = 0; m < memories; ++m) {
    Index number = 0;
    std::fill(sum.begin(), sum.end(), Real{0});
    for (Index l = 0; l < regions; ++l) {
      if (!unmasked(m, l)) continue;
      const Real* s = scores.value().data + row(m, l);
      for (std::size_t w = 0; w < top.size(); ++w)
        top[w] = number == 0 ? s[w] : std::max(top[w], s[w]);
      ++number;
    }
    SACCADE_CHECK(number > 0, "[pooled_evidence] memory ", m, " has no unmasked region");
    for (Index l = 0; l < regions; ++l) {
      const Real* s = scores.value().data + row(m, l);
      Real* p = share.data + row(m, l);
      for (std::size_t w = 0; w < top.size(); ++w) {
        p[w] = unmasked(m, l) ? std::exp(sharpness * (s[w] - top[w])) : Real{0};
        sum[w] += p[w];
      }
    }
    for (std::size_t w = 0; w < top.size(); ++w)
      out.row(m)[w] = top[w] + std::log(sum[w] / static_cast<Real>(number)) / sharpness;
    for (Index l = 0; l < regions; ++l) {
      Real* p = share.data + row(m, l);
      for (std::size_t w = 0; w < top.size(); ++w) p[w] /= sum[w];
    }
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y), d = t->grad(scores);
    for (Index m = 0; m < memories; ++m)
      for (Index l = 0; l < regions; ++l) {
        const Real* p = share.data + row(m, l);
        Real* ds = d.data + row(m, l);
        for (Index w = 0; w < classes; ++w) ds[w] += dy.row(m)[w] * p[w];
      }
  });
  return y;
}

Var binary_cross_entropy(Var logits, ConstView labels) {
  SACCADE_CHECK(logits.shape() == labels.shape, "[binary_cross_entropy] logits ", logits.shape(),
                ", labels ", labels.shape);
  Tape& tape = logits.tape();
  const Index rows = logits.rows(), classes = logits.cols();
  const View wanted = copied(tape, labels);
  const Var y = tape.output({rows}, {logits});
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < rows; ++r) {
    out[r] = 0;
    for (Index w = 0; w < classes; ++w) {
      const Real x = logits.value().row(r)[w];
      // log(1 + e^x) - label x, without overflow.
      out[r] += std::max(x, Real{0}) + std::log1p(std::exp(-std::abs(x))) - wanted.row(r)[w] * x;
    }
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y), d = t->grad(logits);
    for (Index r = 0; r < rows; ++r)
      for (Index w = 0; w < classes; ++w) {
        const Real p = 1 / (1 + std::exp(-logits.value().row(r)[w]));
        d.row(r)[w] += dy[r] * (p - wanted.row(r)[w]);
      }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
