// Optimizer: turns gradients into new weights, range by range of the flat block of a
// ParameterStore, so that ranges can be updated in parallel.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kernels/optimizer_kernels.h"
#include "core/nn/parameter_store.h"
#include "core/optim/optimizer_config.h"
#include "core/optim/weight_average.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Elements [begin, end) of the flat block, all of the same parameter.
struct ParameterRange {
  Index begin = 0;
  Index end = 0;
  Decay decay = Decay::kNo;
  double rate = 1;  // a factor on the learning rate
};

class Optimizer {
 public:
  // A moment of the optimizer with its name, aligned with the store's flat block; for checkpoints.
  struct Moment {
    std::string name;
    Tensor values;
  };

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Starts update number updates() with this learning rate. It is called once, before the update of
  // any range.
  void begin_step(double lr) {
    ++updates_;
    prepare(lr);
  }
  // Updates the weights and moments of a range; gradient.data[0] belongs to range.begin. Ranges
  // that do not overlap may be updated at the same time.
  virtual void update(const ParameterRange& range, const kernels::ClippedGradient& gradient) = 0;

  // Ends an update. It is called once, after the update of all ranges.
  void end_step() {
    if (average_) average_->add(updates_);
  }

  Index updates() const { return updates_; }
  void set_updates(Index count) { updates_ = count; }  // restores the number from a checkpoint
  // Forgets moments and updates, as if the optimizer were new.
  void start_anew() {
    updates_ = 0;
    for (Moment& moment : moments_)
      for (Real& value : moment.values.span()) value = 0;
  }
  // The average of the weights (config.ema); null if there is none, and before the first update.
  WeightAverage* average() { return average_ && updates_ > 0 ? &*average_ : nullptr; }
  const WeightAverage* average() const { return average_ && updates_ > 0 ? &*average_ : nullptr; }
  std::vector<Moment>& moments() { return moments_; }
  const std::vector<Moment>& moments() const { return moments_; }

 protected:
  Optimizer(const OptimizerConfig& config, ParameterStore& store) : store_(&store) {
    if (config.ema > 0) average_.emplace(store, config.ema);
  }
  virtual void prepare(double lr) = 0;
  void add_moment(std::string name) {
    moments_.push_back({std::move(name), Tensor(Shape{store_->flat_size()})});
  }
  Real* moment(std::size_t which, const ParameterRange& range) {
    return moments_[which].values.data() + range.begin;
  }
  Real* weights(const ParameterRange& range) { return store_->flat().data() + range.begin; }

 private:
  ParameterStore* store_;
  std::vector<Moment> moments_;
  std::optional<WeightAverage> average_;
  Index updates_ = 0;
};

// Makes the optimizer that config.type names for an initialised store, which must outlive it.
// weight_decay applies to parameters with Decay::kYes: it is added to the gradient (L2) or, for
// adamw, subtracted from the weights.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, ParameterStore& store);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
