#include "tests/gradcheck/gradcheck.h"

#include <cstring>

#include "tests/support/catch.h"

namespace saccade::test {
namespace {

constexpr double kStep = 1e-6;
constexpr double kAbsolute = 1e-6;
constexpr double kRelative = 1e-5;

using Tensors = std::vector<Tensor>;

// A tape over memory that is full of NaN, so that a number that an op forgets to write is noticed.
struct Bench {
  Arena arena;
  Tape tape{arena};

  // Empties the tape and restarts its random numbers, so that dropout masks stay the same.
  void prepare() {
    constexpr std::size_t kBytes = std::size_t{1} << 16;
    tape.reset();
    std::memset(arena.allocate(kBytes), 0xFF, kBytes);
    tape.reset();
    tape.set_training(true);
    tape.set_random(5, 1, 0);
  }
};

std::vector<ConstView> views(const Tensors& tensors) {
  std::vector<ConstView> out;
  for (const Tensor& t : tensors) out.push_back(t.view());
  return out;
}

Tensors random_like(std::span<const Var> vars, const std::string& name) {
  Tensors out;
  for (std::size_t k = 0; k < vars.size(); ++k)
    out.push_back(random_tensor(vars[k].shape(), name + std::to_string(k)));
  return out;
}

// Computes sum_k <cotangent_k, output_k>, without gradients.
double evaluate(Bench& bench, const GradientCase& c, const Tensors& cotangents) {
  if (c.surrogate) return cotangents[0][0] * c.surrogate(c.inputs);
  bench.prepare();
  std::vector<Var> inputs;
  for (const Tensor& t : c.inputs) inputs.push_back(bench.tape.constant(t.view()));
  const std::vector<Var> outputs = c.build(bench.tape, inputs);
  double total = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    for (Index i = 0; i < outputs[k].shape().size(); ++i)
      total += cotangents[k][i] * outputs[k].value()[i];
  return total;
}

enum class Prefill { kNothing, kNoise };
constexpr int kAll = -1;

// The gradients of all inputs, or of input `only` while the others are constants.
Tensors backward(Bench& bench, const GradientCase& c, const Tensors& cotangents, Prefill prefill,
                 int only = kAll) {
  bench.prepare();
  std::vector<Var> inputs;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const bool wanted = only == kAll || only == static_cast<int>(k);
    const ConstView value = c.inputs[k].view();
    inputs.push_back(wanted ? bench.tape.variable(value) : bench.tape.constant(value));
  }
  const std::vector<Var> outputs = c.build(bench.tape, inputs);
  const Tensors noise = random_like(inputs, c.op + c.name + ".noise");
  if (prefill == Prefill::kNoise)
    for (std::size_t k = 0; k < inputs.size(); ++k)
      std::copy_n(noise[k].data(), noise[k].size(), bench.tape.grad(inputs[k]).data);
  bench.tape.backward(outputs, views(cotangents));
  Tensors gradients;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Tensor g(c.inputs[k].shape());
    // An input that no gradient reached has gradient 0.
    if (inputs[k].requires_grad() && bench.tape.has_grad(inputs[k])) {
      std::copy_n(bench.tape.grad(inputs[k]).data, g.size(), g.data());
      if (prefill == Prefill::kNoise)
        for (Index i = 0; i < g.size(); ++i) g[i] -= noise[k][i];
    }
    gradients.push_back(std::move(g));
  }
  return gradients;
}

bool agrees(double numeric, double analytic) {
  const double error = std::abs(numeric - analytic);
  const double size = std::max(std::abs(numeric), std::abs(analytic));
  return error <= kAbsolute + kRelative * size;
}

// Returns how many numbers differ, and puts the first of them into the test's report.
Index count_differences(const Tensor& expected, const Tensor& got, const std::string& what) {
  REQUIRE(expected.size() > 0);
  REQUIRE(expected.shape() == got.shape());
  Index wrong = 0;
  for (Index i = 0; i < expected.size(); ++i) {
    if (agrees(expected[i], got[i])) continue;
    if (wrong++ == 0)
      UNSCOPED_INFO(what << " differs first at " << i << ": expected " << expected[i] << ", got "
                         << got[i]);
  }
  return wrong;
}

Tensors copies(const Tensors& tensors) {
  Tensors out;
  for (const Tensor& t : tensors) out.push_back(t.clone());
  return out;
}

Tensors make_cotangents(Bench& bench, const GradientCase& c) {
  bench.prepare();
  std::vector<Var> inputs;
  for (const Tensor& t : c.inputs) inputs.push_back(bench.tape.variable(t.view()));
  const std::vector<Var> outputs = c.build(bench.tape, inputs);
  REQUIRE_FALSE(outputs.empty());
  REQUIRE(std::any_of(outputs.begin(), outputs.end(), [](Var v) { return v.requires_grad(); }));
  if (c.surrogate) REQUIRE((outputs.size() == 1 && outputs[0].shape().size() == 1));
  return random_like(outputs, c.op + c.name + ".cotangent");
}

}  // namespace

Tensor random_tensor(Shape shape, const std::string& name, double scale) {
  Tensor out(shape);
  Random random({1, Stream::kTest, name_key(name), 0});
  for (Real& x : out.span()) x = static_cast<Real>(scale * random.normal());
  return out;
}

std::vector<Tensor> random_tensors(std::initializer_list<Shape> shapes, const std::string& name,
                                   double scale) {
  std::vector<Tensor> out;
  for (const Shape& shape : shapes)
    out.push_back(random_tensor(shape, name + "." + std::to_string(out.size()), scale));
  return out;
}

void check_gradients(const GradientCase& gradient_case) {
  GradientCase c{.op = gradient_case.op,
                 .name = gradient_case.name,
                 .inputs = copies(gradient_case.inputs),
                 .build = gradient_case.build,
                 .alone = gradient_case.alone,
                 .surrogate = gradient_case.surrogate};
  REQUIRE_FALSE(c.inputs.empty());

  Bench bench;
  const Tensors cotangents = make_cotangents(bench, c);
  Tensors numeric;
  for (Tensor& input : c.inputs) {
    Tensor slopes(input.shape());
    for (Index i = 0; i < input.size(); ++i) {
      const Real saved = input[i];
      input[i] = saved + kStep;
      const double above = evaluate(bench, c, cotangents);
      input[i] = saved - kStep;
      const double below = evaluate(bench, c, cotangents);
      input[i] = saved;
      slopes[i] = (above - below) / (2 * kStep);
    }
    numeric.push_back(std::move(slopes));
  }

  const Tensors fresh = backward(bench, c, cotangents, Prefill::kNothing);
  const Tensors added = backward(bench, c, cotangents, Prefill::kNoise);
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    CAPTURE(k);
    CHECK(count_differences(numeric[k], fresh[k], "the gradient") == 0);
    CHECK(count_differences(numeric[k], added[k], "the gradient that was added to noise") == 0);
    if (c.alone == Alone::kYes) {
      const Tensors alone = backward(bench, c, cotangents, Prefill::kNothing, static_cast<int>(k));
      CHECK(count_differences(numeric[k], alone[k],
                              "the gradient with all other inputs constant") == 0);
    }
    CHECK(std::equal(gradient_case.inputs[k].span().begin(), gradient_case.inputs[k].span().end(),
                     c.inputs[k].span().begin()));
  }
}

}  // namespace saccade::test
