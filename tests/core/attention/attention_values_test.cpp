// What attention mechanisms compute, against their formulas written as plain loops over the
// parameters, in double. Nothing here calls an op or a kernel.
#include <cmath>
#include <numeric>
#include <vector>

#include "core/attention/sequence/differential_attention.h"
#include "tests/contract/mechanisms.h"
#include "tests/core/attention/module_support.h"

namespace saccade::test {

namespace {

constexpr Index kRegions = 6;
using Vector = std::vector<double>;

// A parameter as a function of its indices.
struct Matrix {
  ConstView values;
  Index rows() const { return values.rows(); }
  Index cols() const { return values.cols(); }
  double operator()(Index i, Index j) const { return values.row(i)[j]; }
};

Matrix parameter(const ParameterStore& store, const std::string& name) {
  INFO(name);
  REQUIRE(store.find(name) >= 0);
  return {store.value(store.find(name))};
}

// x' W (+ b).
Vector times(const Vector& x, const Matrix& w, const Matrix* bias = nullptr) {
  REQUIRE(static_cast<Index>(x.size()) == w.rows());
  Vector out;
  for (Index j = 0; j < w.cols(); ++j) {
    double sum = bias ? (*bias)(0, j) : 0;
    for (Index i = 0; i < w.rows(); ++i) sum += x[static_cast<std::size_t>(i)] * w(i, j);
    out.push_back(sum);
  }
  return out;
}

double dot(const Vector& a, const Vector& b) {
  REQUIRE(a.size() == b.size());
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector softmax(const Vector& scores) {
  Vector out;
  double sum = 0;
  for (const double e : scores) sum += std::exp(e);
  for (const double e : scores) out.push_back(std::exp(e) / sum);
  return out;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One query to one image, and what a mechanism makes of it.
struct Case {
  Mechanism m;
  Tensor features = normal_tensor({1, kRegions, kFeatures}, 7),
         query = normal_tensor({1, kQuery}, 8);
  AttentionResult seen;

  explicit Case(const AttentionConfig& config)
      : m(make(config, kRegions)),
        seen(attend(m, {.features = features.view(), .query = query.view(), .grid = {2, 3}})) {}
  Vector region(Index l) const {
    return {features.data() + l * kFeatures, features.data() + (l + 1) * kFeatures};
  }
  Vector h() const { return {query.data(), query.data() + kQuery}; }
  Matrix p(const std::string& name) const { return parameter(m.store, "attention." + name); }
};

AttentionConfig config_of(const std::string& score) {
  AttentionConfig c;
  c.score = score, c.gate = "none", c.hidden = 4, c.radius = 1, c.projected = 2;
  return c;
}

void check_values(const Tensor& seen, const Vector& expected) {
  REQUIRE(seen.size() == static_cast<Index>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(i);
    CHECK(std::abs(seen[static_cast<Index>(i)] - expected[i]) < 1e-12);
  }
}

// The mean of vectors under weights.
Vector mean(const std::vector<Vector>& vectors, const Vector& weights) {
  Vector out(vectors[0].size(), 0);
  for (std::size_t l = 0; l < vectors.size(); ++l)
    for (std::size_t d = 0; d < out.size(); ++d) out[d] += weights[l] * vectors[l][d];
  return out;
}

std::vector<Vector> regions_of(const Case& c) {
  std::vector<Vector> out;
  for (Index l = 0; l < kRegions; ++l) out.push_back(c.region(l));
  return out;
}

// Checks weights and their context over the features themselves.
void check_map(const Case& c, const Vector& weights) {
  check_values(c.seen.weights, weights);
  check_values(c.seen.context, mean(regions_of(c), weights));
}

}  // namespace

TEST_CASE("values: concat scores [h; a] with one matrix") {
  const Case c(config_of("concat"));
  const Matrix bias = c.p("score.bias"), v = c.p("score.vector");
  Vector scores;
  for (Index l = 0; l < kRegions; ++l) {
    Vector both = c.h();
    for (const double x : c.region(l)) both.push_back(x);
    double score = 0;
    const Vector inner = times(both, c.p("score.weight"), &bias);
    for (Index j = 0; j < v.cols(); ++j)
      score += v(0, j) * std::tanh(inner[static_cast<std::size_t>(j)]);
    scores.push_back(score);
  }
  check_map(c, softmax(scores));
}

TEST_CASE("values: cosine multiplies the cosine by a learned sharpness") {
  const Case c(config_of("cosine"));
  const Matrix bias = c.p("score.query.bias");
  const Vector q = times(c.h(), c.p("score.query.weight"), &bias);
  Vector scores;
  for (Index l = 0; l < kRegions; ++l) {
    const Vector k = times(c.region(l), c.p("score.key.weight"));
    scores.push_back(std::exp(c.p("score.log_sharpness")(0, 0)) * dot(q, k) /
                     std::sqrt(dot(q, q) * dot(k, k)));
  }
  check_map(c, softmax(scores));
}

TEST_CASE("values: linear weighs by products of elu + 1") {
  AttentionConfig config = config_of("additive");
  config.mechanism = "linear";
  const Case c(config);
  const auto phi = [](Vector x) {
    for (double& one : x) one = one > 0 ? one + 1 : std::exp(one);
    return x;
  };
  const Matrix bias = c.p("linear.query.bias");
  const Vector q = phi(times(c.h(), c.p("linear.query.weight"), &bias));
  Vector weights;
  double total = 0;
  for (Index l = 0; l < kRegions; ++l) {
    weights.push_back(dot(q, phi(times(c.region(l), c.p("linear.key.weight")))));
    total += weights.back();
  }
  for (double& w : weights) w /= total;
  check_map(c, weights);
}

TEST_CASE("values: Linformer weighs learned mixtures of the regions") {
  AttentionConfig config = config_of("additive");
  config.mechanism = "linformer";
  const Case c(config);
  const Matrix mixing = c.p("linformer.mixing"), bias = c.p("linformer.query.bias");
  const Vector q = times(c.h(), c.p("linformer.query.weight"), &bias);
  std::vector<Vector> mixtures;
  Vector scores;
  for (Index k = 0; k < mixing.rows(); ++k) {
    Vector of_regions;
    for (Index l = 0; l < kRegions; ++l) of_regions.push_back(mixing(k, l));
    mixtures.push_back(mean(regions_of(c), of_regions));
    scores.push_back(dot(q, times(mixtures.back(), c.p("linformer.key.weight"))) / 2);  // sqrt(4)
  }
  const Vector of_mixtures = softmax(scores);
  Vector weights(kRegions, 0);
  for (Index k = 0; k < mixing.rows(); ++k)
    for (Index l = 0; l < kRegions; ++l)
      weights[static_cast<std::size_t>(l)] +=
          of_mixtures[static_cast<std::size_t>(k)] * mixing(k, l);
  check_values(c.seen.weights, weights);
  check_values(c.seen.context, mean(mixtures, of_mixtures));
}

TEST_CASE("values: differential takes a second map away from the first") {
  AttentionConfig config = config_of("additive");
  config.mechanism = "differential";
  const Case c(config);
  double lambda = 0.8;
  std::vector<Vector> maps;
  for (const std::string map : {"first", "second"}) {
    const auto own = [&](const std::string& name) {
      return c.p("differential." + map + "." + name);
    };
    const Matrix bias = own("query.bias"), l = own("lambda_query"), m = own("lambda_key");
    const Vector q = times(c.h(), own("query.weight"), &bias);
    Vector scores;
    for (Index r = 0; r < kRegions; ++r)
      scores.push_back(dot(q, times(c.region(r), own("key.weight"))) / std::sqrt(2.0));
    maps.push_back(softmax(scores));
    double product = 0;
    for (Index j = 0; j < l.cols(); ++j) product += l(0, j) * m(0, j);
    lambda += (map == "first" ? 1 : -1) * std::exp(product);
  }
  Vector weights;
  for (std::size_t r = 0; r < maps[0].size(); ++r)
    weights.push_back(maps[0][r] - lambda * maps[1][r]);
  check_map(c, weights);
}

TEST_CASE("values: lambda of differential blocks starts lower in lower layers") {
  CHECK(differential_initial(0) == Approx(0.2).epsilon(1e-14));
  CHECK(differential_initial(1) == Approx(0.35550906759096926).epsilon(1e-14));
  CHECK(differential_initial(2) == Approx(0.4707130183435842).epsilon(1e-14));
  CHECK(differential_initial(11) == Approx(0.777870099559256).epsilon(1e-14));
}

TEST_CASE("values: a differential block of two heads, of layer 2") {
  constexpr Index kWidth = 8, kLength = 3, kHeads = 2, kHalf = 2, kHead = 4;
  ParameterStore store;
  const double initial = differential_initial(2);
  const DifferentialAttention attention(ParamScope(store, "d"),
                                        {.features = kWidth, .heads = kHeads}, initial);
  randomise(store);
  const Tensor x = normal_tensor({1, kLength, kWidth}, 9);
  const Tensor seen =
      value_of(store, [&](Tape& tape) { return attention(tape, tape.constant(x.view()), {}); });
  const auto p = [&](const std::string& name) { return parameter(store, "d." + name); };
  const auto rows = [&](const std::string& layer) {
    const Matrix bias = p(layer + ".bias");
    std::vector<Vector> out;
    for (Index t = 0; t < kLength; ++t)
      out.push_back(
          times({x.view().row(t), x.view().row(t) + kWidth}, p(layer + ".weight"), &bias));
    return out;
  };
  double lambda = initial;
  for (const int map : {1, 2}) {
    double product = 0;
    for (Index j = 0; j < kHalf; ++j)
      product += p(str("lambda.query_", map))(0, j) * p(str("lambda.key_", map))(0, j);
    lambda += (map == 1 ? 1 : -1) * std::exp(product);
  }
  const std::vector<Vector> values = rows("value");
  const Matrix gain = p("gain"), bias = p("output.bias");
  Vector expected;
  for (std::size_t t = 0; t < kLength; ++t) {
    Vector heads;
    for (Index h = 0; h < kHeads; ++h) {
      Vector head(kHead, 0);
      for (const int map : {1, 2}) {
        const std::vector<Vector> q = rows(str("query_", map)), k = rows(str("key_", map));
        Vector scores;
        for (std::size_t s = 0; s < kLength; ++s) {
          double score = 0;
          for (Index j = h * kHalf; j < (h + 1) * kHalf; ++j)
            score += q[t][static_cast<std::size_t>(j)] * k[s][static_cast<std::size_t>(j)];
          scores.push_back(score / std::sqrt(2.0));
        }
        const Vector weights = softmax(scores);
        for (std::size_t s = 0; s < kLength; ++s)
          for (std::size_t d = 0; d < kHead; ++d)
            head[d] += (map == 1 ? 1 : -lambda) * weights[s] *
                       values[s][static_cast<std::size_t>(h * kHead) + d];
      }
      const double square = dot(head, head) / kHead;
      for (std::size_t d = 0; d < kHead; ++d)
        heads.push_back((1 - initial) * gain(0, static_cast<Index>(d)) * head[d] /
                        std::sqrt(square + 1e-5));
    }
    for (const double y : times(heads, p("output.weight"), &bias)) expected.push_back(y);
  }
  check_values(seen, expected);
}

TEST_CASE("values: local_p's centre comes from the query, and its window has a Gaussian in it") {
  AttentionConfig config = config_of("scaled_dot");
  config.scope = "local_p";
  const Case c(config);
  const Matrix hidden_bias = c.p("scope.hidden.bias"), centre_bias = c.p("scope.centre.bias");
  Vector hidden = times(c.h(), c.p("scope.hidden.weight"), &hidden_bias);
  for (double& x : hidden) x = std::tanh(x);
  const Vector at = times(hidden, c.p("scope.centre.weight"), &centre_bias);
  // A grid of 2 x 3 cells has rows 0 to 1 and columns 0 to 2.
  const double row = sigmoid(at[0]), col = 2 * sigmoid(at[1]);
  const Matrix bias = c.p("score.query.bias");
  const Vector q = times(c.h(), c.p("score.query.weight"), &bias);
  Vector scores, inside;
  for (Index l = 0; l < kRegions; ++l) {
    const double r = static_cast<double>(l / 3), k = static_cast<double>(l % 3);
    const bool near = std::abs(r - row) <= 1 && std::abs(k - col) <= 1;  // radius 1
    scores.push_back(near ? dot(q, times(c.region(l), c.p("score.key.weight"))) / 2 : -INFINITY);
    const double sigma = 0.5;  // half the radius
    inside.push_back(
        near ? std::exp(-((r - row) * (r - row) + (k - col) * (k - col)) / (2 * sigma * sigma))
             : 0);
  }
  // Some cells are inside of the window and some are not, or its edge would not be tested.
  const auto outside = std::count(inside.begin(), inside.end(), 0.0);
  REQUIRE((outside > 0 && outside < kRegions));
  Vector weights = softmax(scores);
  for (std::size_t l = 0; l < weights.size(); ++l) weights[l] *= inside[l];
  check_map(c, weights);
}

TEST_CASE("values: gates multiply the context by a sigmoid of the query") {
  AttentionConfig config = config_of("general");
  const Case plain(config);
  for (const std::string gate : {"scalar", "vector"}) {
    INFO(gate);
    config.gate = gate;
    const Case c(config);
    const Matrix bias = c.p("gate.bias");
    const Vector factors = times(c.h(), c.p("gate.weight"), &bias);
    REQUIRE(factors.size() == (gate == "scalar" ? 1U : kFeatures));
    const Vector q = times(c.h(), c.p("score.weight"));
    Vector scores, expected;
    for (Index l = 0; l < kRegions; ++l) scores.push_back(dot(q, c.region(l)));
    const Vector context = mean(regions_of(c), softmax(scores));
    for (std::size_t d = 0; d < context.size(); ++d)
      expected.push_back(context[d] * sigmoid(factors[factors.size() == 1 ? 0 : d]));
    check_values(c.seen.context, expected);
  }
}

TEST_CASE("values: heads project their values, and W_O joins their contexts") {
  for (const std::int64_t heads : {1, 2})
    for (const bool output : {false, true}) {
      INFO(heads << ", " << output);
      AttentionConfig config = config_of("scaled_dot");
      config.heads = heads, config.value_projection = heads == 1;
      config.output_projection = output;
      const Case c(config);
      Vector joined, weights(kRegions, 0);
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::string own = heads == 1 ? "" : str("head_", h, ".");
        const Matrix bias = c.p(own + "score.query.bias");
        const Vector q = times(c.h(), c.p(own + "score.query.weight"), &bias);
        REQUIRE(q.size() == static_cast<std::size_t>(4 / heads));
        Vector scores;
        std::vector<Vector> values;
        for (Index l = 0; l < kRegions; ++l) {
          scores.push_back(dot(q, times(c.region(l), c.p(own + "score.key.weight"))) /
                           std::sqrt(static_cast<double>(q.size())));
          values.push_back(times(c.region(l), c.p(own + "value.weight")));
        }
        const Vector map = softmax(scores);
        for (const double x : mean(values, map)) joined.push_back(x);
        for (std::size_t l = 0; l < map.size(); ++l)
          weights[l] += map[l] / static_cast<double>(heads);
      }
      check_values(c.seen.weights, weights);
      check_values(c.seen.context, output ? times(joined, c.p("output.weight")) : joined);
    }
}

}  // namespace saccade::test
