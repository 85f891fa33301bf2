#include "captioning/learning/training/shard_tapes.h"

#include "captioning/learning/config/experiment_config.h"
#include "core/base/error.h"

namespace saccade {

ShardTapes::ShardTapes(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config)
    : model_(&model),
      gradient_step_(model.parameters(), optimizer,
                     {.norm = config.optimizer.clip_norm, .value = config.optimizer.clip_value},
                     config.train.gradient_groups) {}

void ShardTapes::for_each(Index shards, parallel::FunctionRef<void(Index)> body) {
  while (static_cast<Index>(workers_.size()) < shards)
    workers_.push_back(std::make_unique<Worker>());
  shards_ = shards;
  const ConstantWeights weights(std::as_const(model_->parameters()).flat().span(), &copies_);
  parallel::for_each(shards, body);
}

Tape& ShardTapes::start(Index shard, bool training) {
  Tape& tape = workers_[static_cast<std::size_t>(shard)]->tape;
  tape.reset();
  tape.set_parameters(model_->parameters().views(), model_->parameters().trained());
  tape.set_training(training);
  return tape;
}

double ShardTapes::apply(Index update, double lr, Index all_shards) {
  std::vector<Tape*> tapes;
  for (Index s = 0; s < shards_; ++s) tapes.push_back(&workers_[static_cast<std::size_t>(s)]->tape);
  try {
    return gradient_step_.apply(tapes, lr, all_shards).grad_norm;
  } catch (const DivergedError& error) {
    throw DivergedError(str("update ", update, ": ", error.what()));
  }
}

}  // namespace saccade
