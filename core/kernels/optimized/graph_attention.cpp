#include "core/kernels/graph_attention.h"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

Real slope(Real x) { return x > 0 ? Real{1} : static_cast<Real>(kGraphSlope); }

// Calls body(b, t, neighbours of t) for every node.
template <class Body>
void for_each_node(const GraphInputs& in, Body body) {
  const AttentionExtents e = in.extents();
  std::vector<Index> keys;
  for (Index b = 0; b < e.batch; ++b)
    for (Index t = 0; t < e.queries; ++t) {
      seen_neighbours(in.mask, e, b, t, keys);
      body(b, t, keys);
    }
}

// Where the kept numbers of a node's heads begin.
Index place(const GraphInputs& in, Index b, Index t) {
  return (b * in.extents().queries + t) * in.heads;
}

}  // namespace

void graph_attention(const GraphInputs& in, View out, const GraphKept& kept) {
  const Index heads = in.heads, width = in.nodes.cols() / heads;
  for (Index r = 0; r < in.nodes.rows(); ++r)
    for (Index h = 0; h < heads; ++h) {
      const auto node = array(in.nodes.row(r) + h * width, width);
      kept.query[r * heads + h] = (array(in.query.data + h * width, width) * node).sum();
      kept.key[r * heads + h] = (array(in.key.data + h * width, width) * node).sum();
    }
  Array weights;
  for_each_node(in, [&](Index b, Index t, const std::vector<Index>& keys) {
    const Index own = place(in, b, t);
    weights.resize(static_cast<Index>(keys.size()));
    for (Index h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const Real x = kept.query[own + h] + kept.key[place(in, b, keys[i]) + h];
        weights[static_cast<Index>(i)] = slope(x) * x;
      }
      const Real most = weights.maxCoeff();
      weights = (weights - most).exp();
      const Real sum = weights.sum();
      kept.lse[own + h] = most + std::log(sum);
      auto mean = head_array(out, heads, b, t, h);
      mean.setZero();
      for (std::size_t i = 0; i < keys.size(); ++i)
        mean += (weights[static_cast<Index>(i)] / sum) * head_array(in.nodes, heads, b, keys[i], h);
    }
  });
}

void graph_attention_backward(const GraphInputs& in, ConstView out, const GraphKept& kept,
                              ConstView dout, const GraphGradients& gradients) {
  const Index heads = in.heads, width = in.nodes.cols() / heads;
  Array dquery = Array::Zero(in.nodes.rows() * heads), dkey = dquery;  // of <a, h>
  for_each_node(in, [&](Index b, Index t, const std::vector<Index>& keys) {
    const Index own = place(in, b, t);
    for (Index h = 0; h < heads; ++h) {
      const auto d = head_array(dout, heads, b, t, h);
      const Real mean = (d * head_array(out, heads, b, t, h)).sum();
      for (const Index s : keys) {
        const Index other = place(in, b, s) + h;
        const Real x = kept.query[own + h] + kept.key[other];
        const Real p = std::exp(slope(x) * x - kept.lse[own + h]);
        const Real dx = p * slope(x) * ((d * head_array(in.nodes, heads, b, s, h)).sum() - mean);
        dquery[own + h] += dx;
        dkey[other] += dx;
        if (gradients.dnodes.data) head_array(gradients.dnodes, heads, b, s, h) += p * d;
      }
    }
  });
  for (Index r = 0; r < in.nodes.rows(); ++r)
    for (Index h = 0; h < heads; ++h) {
      const Real dq = dquery[r * heads + h], dk = dkey[r * heads + h];
      const auto node = array(in.nodes.row(r) + h * width, width);
      if (gradients.dquery.data) array(gradients.dquery.data + h * width, width) += dq * node;
      if (gradients.dkey.data) array(gradients.dkey.data + h * width, width) += dk * node;
      if (!gradients.dnodes.data) continue;
      array(gradients.dnodes.row(r) + h * width, width) +=
          dq * array(in.query.data + h * width, width) + dk * array(in.key.data + h * width, width);
    }
}

void graph_attention_weights(const GraphInputs& in, const GraphKept& kept, View weights) {
  const AttentionExtents e = in.extents();
  array(weights).setZero();
  for_each_node(in, [&](Index b, Index t, const std::vector<Index>& keys) {
    const Index own = place(in, b, t);
    for (Index h = 0; h < in.heads; ++h)
      for (const Index s : keys) {
        const Real x = kept.query[own + h] + kept.key[place(in, b, s) + h];
        weights.row((b * in.heads + h) * e.queries + t)[s] =
            std::exp(slope(x) * x - kept.lse[own + h]);
      }
  });
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
