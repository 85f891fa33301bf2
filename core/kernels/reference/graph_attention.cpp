#include "core/kernels/graph_attention.h"

#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {

struct Node {
  Index b, h, t;
};

Index node_width(const GraphInputs& in) { return in.nodes.cols() / in.heads; }

template <class AnyView>
auto node(const GraphInputs& in, const AnyView& x, const Node& n, Index t) {
  return x.data + (n.b * x.shape[1] + t) * x.cols() + n.h * node_width(in);
}

double product(const GraphInputs& in, ConstView a, const Node& n, Index t) {
  double sum = 0;
  for (Index c = 0; c < node_width(in); ++c)
    sum += double{a[n.h * node_width(in) + c]} * double{node(in, in.nodes, n, t)[c]};
  return sum;
}

// <a_query, h[t]> + <a_key, h[s]>, before LeakyReLU.
double before(const GraphInputs& in, const Node& n, Index s) {
  return product(in, in.query, n, n.t) + product(in, in.key, n, s);
}
double leaky_slope(double x) { return x > 0 ? 1 : kGraphSlope; }

template <class Body>
void for_each_node(const GraphInputs& in, Body body) {
  for (Index b = 0; b < in.extents().batch; ++b)
    for (Index h = 0; h < in.heads; ++h)
      for (Index t = 0; t < in.extents().queries; ++t) body(Node{b, h, t});
}

template <class Body>
void for_each_neighbour(const GraphInputs& in, const Node& n, Body body) {
  for (Index s = 0; s < in.extents().keys; ++s)
    if (permits(in.mask, in.extents(), n.b, n.t, s)) body(s);
}

Index place(const GraphInputs& in, const Node& n) {
  return (n.b * in.extents().queries + n.t) * in.heads + n.h;
}

}  // namespace

void graph_attention(const GraphInputs& in, View out, const GraphKept& kept) {
  for_each_node(in, [&](const Node& n) {
    kept.query[place(in, n)] = static_cast<Real>(product(in, in.query, n, n.t));
    kept.key[place(in, n)] = static_cast<Real>(product(in, in.key, n, n.t));
    double sum = 0;
    for_each_neighbour(in, n, [&](Index s) {
      const double x = before(in, n, s);
      sum += std::exp(leaky_slope(x) * x);
    });
    kept.lse[place(in, n)] = static_cast<Real>(std::log(sum));
    for (Index c = 0; c < node_width(in); ++c) {
      double mean = 0;
      for_each_neighbour(in, n, [&](Index s) {
        const double x = before(in, n, s);
        mean += std::exp(leaky_slope(x) * x) / sum * double{node(in, in.nodes, n, s)[c]};
      });
      node(in, out, n, n.t)[c] = static_cast<Real>(mean);
    }
  });
}

void graph_attention_backward(const GraphInputs& in, ConstView out, const GraphKept& kept,
                              ConstView dout, const GraphGradients& gradients) {
  const Index width = node_width(in);
  for_each_node(in, [&](const Node& n) {
    const Real *d = node(in, dout, n, n.t), *y = node(in, out, n, n.t);
    for_each_neighbour(in, n, [&](Index s) {
      const double x = before(in, n, s);
      const double p = std::exp(leaky_slope(x) * x - double{kept.lse[place(in, n)]});
      double dx = 0;
      for (Index c = 0; c < width; ++c)
        dx += p * leaky_slope(x) * double{d[c]} *
              (double{node(in, in.nodes, n, s)[c]} - double{y[c]});
      for (Index c = 0; c < width; ++c) {
        const Index a = n.h * width + c;
        if (gradients.dquery.data)
          gradients.dquery[a] += static_cast<Real>(dx * double{node(in, in.nodes, n, n.t)[c]});
        if (gradients.dkey.data)
          gradients.dkey[a] += static_cast<Real>(dx * double{node(in, in.nodes, n, s)[c]});
        if (!gradients.dnodes.data) continue;
        node(in, gradients.dnodes, n, n.t)[c] += static_cast<Real>(dx * double{in.query[a]});
        node(in, gradients.dnodes, n, s)[c] +=
            static_cast<Real>(dx * double{in.key[a]} + p * double{d[c]});
      }
    });
  });
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
