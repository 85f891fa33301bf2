#include "captioning/learning/training/self_critical_step.h"

#include <cmath>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/search/draws.h"
#include "core/base/clock.h"

namespace saccade {

namespace {

// Without the options that narrow the words of captions which people are to read.
SearchOptions free_options(const ExperimentConfig& config) {
  SearchOptions options = search_options(config, config.search, Vocabulary());
  options.top_k = 0;
  options.top_p = 1;
  options.rules = {};
  return options;
}

// The distribution that is trained: it covers the whole vocabulary, and under hard attention
// regions are drawn.
SearchOptions sampling_options(const ExperimentConfig& config) {
  SearchOptions options = free_options(config);
  options.mode = SearchMode::kSample;
  options.temperature = config.objective.self_critical.temperature;
  options.samples = config.objective.self_critical.samples;
  options.allowed_words = AllowedWords::kAll;
  if (draws_regions(config.attention.selection)) options.regime = Regime::kSample;
  return options;
}

SearchOptions greedy_options(const ExperimentConfig& config) {
  SearchOptions options = free_options(config);
  options.mode = SearchMode::kGreedy;
  return options;
}

}  // namespace

Index self_critical_shard(const ExperimentConfig& config) {
  const Index samples = config.objective.self_critical.samples;
  return (config.train.shard + samples - 1) / samples;
}

SelfCriticalStep::SelfCriticalStep(CaptionModel& model, Optimizer& optimizer,
                                   const ExperimentConfig& config, CaptionRewards rewards)
    : model_(&model),
      config_(config.objective.self_critical),
      selection_(config.attention.selection),
      sampling_(sampling_options(config)),
      greedy_(greedy_options(config)),
      rewards_(std::move(rewards)),
      tapes_(model, optimizer, config.optimizer) {}

UpdateReport SelfCriticalStep::run(const TrainBatch& batch, Index update, double lr) {
  draws_.assign(batch.shards.size(), {});
  const auto images_of = [](const TrainShard& shard) {
    return static_cast<Index>(shard.images.size());
  };
  const std::vector<Index> first = first_of_shards(batch.shards, images_of);
  const Index images = first.empty() ? 0 : first.back() + images_of(batch.shards.back());
  // An image's baseline comes from its own captions, so a shard runs to the end while its data is
  // in the cache.
  tapes_.for_each(static_cast<Index>(batch.shards.size()), [&](Index s) {
    const auto i = static_cast<std::size_t>(s);
    // Captions are drawn without dropout.
    run_shard(batch.shards[i], {update, first[i], images * config_.samples}, tapes_.start(s, false),
              draws_[i]);
  });
  UpdateReport result = report(batch, update);
  result.grad_norm = tapes_.apply(update, lr);
  return result;
}

void SelfCriticalStep::run_shard(const TrainShard& shard, const Place& place, Tape& tape,
                                 Draws& draws) const {
  const double start = clock_seconds();
  const std::uint64_t first_image = training_number(place.update, place.first_image);
  const EncodedImages images = model_->encode(tape, shard.inputs.view());
  const auto decode = [&](const SearchOptions& options) {
    return search(model_->decoder(), model_->parameters().views(), images.values(), SpecialWords{},
                  options, first_image);
  };
  draws.captions = decode(sampling_);
  const bool greedy = config_.baseline == SelfCriticalBaseline::kGreedy;
  std::vector<DecodedCaption> rivals;
  if (greedy) rivals = decode(greedy_);

  const double before_rewards = clock_seconds();
  draws.rewards = rewards_of(shard, draws.captions);
  draws.baselines =
      greedy ? rewards_of(shard, rivals) : leave_one_out(draws.rewards, config_.samples);
  draws.reward_seconds = clock_seconds() - before_rewards;
  for (std::size_t c = 0; c < draws.rewards.size(); ++c) {
    const std::size_t image = c / static_cast<std::size_t>(config_.samples);
    draws.advantages.push_back(draws.rewards[c] - draws.baselines[greedy ? image : c]);
  }

  tape.set_training(config_.dropout);
  tape.set_random(sampling_.seed, static_cast<std::uint64_t>(place.update),
                  static_cast<std::uint64_t>(place.first_image * config_.samples));
  std::vector<DrawnCaption> drawn;
  for (const DecodedCaption& caption : draws.captions) drawn.push_back(drawn_caption(caption));
  PolicyLoss loss(tape, model_->decoder(), model_->decoder().prepare(tape, images, 1), drawn,
                  {selection_, config_.temperature});
  draws.log_probs = draws.word_log_probs = loss.word_log_probs();
  for (std::size_t c = 0; c < drawn.size(); ++c) draws.log_probs[c] += loss.region_log_probs()[c];
  loss.backward(draws.advantages, place.batch_captions);
  draws.seconds = clock_seconds() - start;
}

std::vector<double> SelfCriticalStep::rewards_of(
    const TrainShard& shard, const std::vector<DecodedCaption>& captions) const {
  const std::size_t per_image = captions.size() / shard.images.size();
  std::vector<double> out;
  for (std::size_t c = 0; c < captions.size(); ++c) {
    std::vector<int> words;
    for (const DecodedWord& word : captions[c].words) words.push_back(word.id);
    const auto ending =
        captions[c].finished ? CaptionRewards::Ending::kEos : CaptionRewards::Ending::kCut;
    out.push_back(rewards_.score(shard.images[c / per_image], words, ending));
  }
  return out;
}

UpdateReport SelfCriticalStep::report(const TrainBatch& batch, Index update) const {
  UpdateReport out;
  SelfCriticalReport more;
  double advantage = 0, square = 0, log_prob = 0, seconds = 0;
  for (std::size_t s = 0; s < batch.shards.size(); ++s) {
    const Draws& draws = draws_[s];
    seconds += draws.seconds;
    more.reward_share += draws.reward_seconds;
    for (std::size_t c = 0; c < draws.captions.size(); ++c) {
      const std::size_t image = c / static_cast<std::size_t>(config_.samples);
      if (!std::isfinite(draws.log_probs[c]))
        throw DivergedError(str("update ", update, ": log p of a caption of image ",
                                batch.shards[s].ids[image], " is ", draws.log_probs[c],
                                "; lower objective.self_critical.lr or set optimizer.clip_norm"));
      more.reward += draws.rewards[c];
      advantage += draws.advantages[c];
      square += draws.advantages[c] * draws.advantages[c];
      log_prob += draws.word_log_probs[c];
      out.loss -= draws.advantages[c] * draws.log_probs[c];
      more.length += static_cast<double>(draws.captions[c].words.size());
      more.finished += draws.captions[c].finished ? 1 : 0;
      out.words += static_cast<Index>(draws.captions[c].words.size()) + 1;
      ++out.captions;
    }
  }
  const auto captions = static_cast<double>(out.captions);
  out.loss /= captions;
  out.nll_per_word = -log_prob / static_cast<double>(out.words);
  more.reward /= captions, more.length /= captions, more.finished /= captions;
  advantage /= captions;
  more.baseline = more.reward - advantage;
  more.advantage_deviation = std::sqrt(std::max(0.0, square / captions - advantage * advantage));
  more.reward_share /= seconds;
  out.self_critical = more;
  return out;
}

}  // namespace saccade
