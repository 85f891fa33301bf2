#include "core/optim/optimizer.h"

#include <cmath>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

Real real(double value) { return static_cast<Real>(value); }

// The weight decay that applies to a range.
Real decay_of(const ParameterRange& range, double weight_decay) {
  return range.decay == Decay::kYes ? real(weight_decay) : Real{0};
}

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerConfig& config, ParameterStore& store)
      : Optimizer(config, store), weight_decay_(config.weight_decay), momentum_(config.momentum) {
    if (momentum_ > 0) add_moment("momentum");
  }

  void update(const ParameterRange& range, const kernels::ClippedGradient& gradient) override {
    const Index count = range.end - range.begin;
    const Real decay = decay_of(range, weight_decay_);
    if (momentum_ > 0) {
      kernels::momentum_update(
          {.lr = lr_ * real(range.rate), .decay = decay, .momentum = real(momentum_)}, gradient,
          count, weights(range), moment(0, range));
    } else {
      kernels::sgd_update({.lr = lr_ * real(range.rate), .decay = decay}, gradient, count,
                          weights(range));
    }
  }

 private:
  void prepare(double lr) override { lr_ = real(lr); }
  double weight_decay_, momentum_;
  Real lr_ = 0;
};

class RmsProp final : public Optimizer {
 public:
  RmsProp(const OptimizerConfig& config, ParameterStore& store)
      : Optimizer(config, store),
        weight_decay_(config.weight_decay),
        rho_(config.rho),
        epsilon_(config.epsilon) {
    add_moment("square");
  }

  void update(const ParameterRange& range, const kernels::ClippedGradient& gradient) override {
    kernels::rmsprop_update({.lr = lr_ * real(range.rate),
                             .decay = decay_of(range, weight_decay_),
                             .rho = real(rho_),
                             .epsilon = real(epsilon_)},
                            gradient, range.end - range.begin, weights(range), moment(0, range));
  }

 private:
  void prepare(double lr) override { lr_ = real(lr); }
  double weight_decay_, rho_, epsilon_;
  Real lr_ = 0;
};

class Adam final : public Optimizer {
 public:
  Adam(const OptimizerConfig& config, ParameterStore& store)
      : Optimizer(config, store), config_(config) {
    add_moment("first_moment");
    add_moment("second_moment");
  }

  void update(const ParameterRange& range, const kernels::ClippedGradient& gradient) override {
    kernels::AdamUpdate u = update_;
    u.step *= real(range.rate);
    if (range.decay == Decay::kYes) {
      u.decay = decay_;
      u.keep = real(1 - range.rate * taken_off_);
    }
    kernels::adam_update(u, gradient, range.end - range.begin, weights(range), moment(0, range),
                         moment(1, range));
  }

 private:
  void prepare(double lr) override {
    const auto t = static_cast<double>(updates());
    update_ = {.step = real(lr / (1 - std::pow(config_.beta1, t))),
               .root = real(1 / std::sqrt(1 - std::pow(config_.beta2, t))),
               .beta1 = real(config_.beta1),
               .beta2 = real(config_.beta2),
               .epsilon = real(config_.epsilon)};
    const bool decoupled = config_.type == OptimizerKind::kAdamw;
    decay_ = real(decoupled ? 0 : config_.weight_decay);
    taken_off_ = decoupled ? lr * config_.weight_decay : 0;
  }
  OptimizerConfig config_;
  kernels::AdamUpdate update_;
  Real decay_ = 0;
  double taken_off_ = 0;  // the share of a weight that decoupled decay subtracts per update
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, ParameterStore& store) {
  SACCADE_ASSERT(store.flat().size() == store.flat_size(), "optimizer before the weights exist");
  switch (config.type) {
    case OptimizerKind::kSgd:
      return std::make_unique<Sgd>(config, store);
    case OptimizerKind::kRmsprop:
      return std::make_unique<RmsProp>(config, store);
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamw:
      return std::make_unique<Adam>(config, store);
  }
  throw InternalError("optimizer kind without a class");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
