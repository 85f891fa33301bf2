#include "captioning/learning/training/self_critical_step.h"

#include <algorithm>
#include <cmath>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/model/search/draws.h"
#include "core/base/clock.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {

namespace {

// Without the options that narrow the words of captions which people are to read.
SearchOptions free_options(const ExperimentConfig& config) {
  SearchConfig search = config.search;
  search.prompt.clear();  // captions are trained without one
  search.forbidden.clear();
  search.must.clear();
  search.name_objects = 0;
  SearchOptions options = search_options(config, search, Vocabulary());
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
      tapes_(model, optimizer, config) {}

UpdateReport SelfCriticalStep::run(const TrainBatch& batch, Index update, double lr) {
  draws_.assign(batch.shards.size(), {});
  const auto images_of = [](const TrainShard& shard) {
    return static_cast<Index>(shard.images.size());
  };
  const std::vector<Index> first = first_of_shards(batch.shards, batch.captions_before, images_of);
  const Index images = batch.captions();  // one caption stands for each image
  const bool own = rewards_.has_own();
  const auto shards = static_cast<Index>(batch.shards.size());
  const auto place = [&](std::size_t s) {
    return Place{update, first[s], images * config_.samples};
  };
  std::vector<Tape*> tapes(batch.shards.size());
  // An image's baseline comes from its own captions, so a shard runs to the end while its data is
  // in the cache, if nobody else is asked.
  tapes_.for_each(shards, [&](Index s) {
    const auto i = static_cast<std::size_t>(s);
    tapes[i] = &tapes_.start(s, false);  // captions are drawn without dropout
    draw(batch.shards[i], place(i), *tapes[i], draws_[i]);
    if (!own) learn(place(i), *tapes[i], draws_[i]);
  });
  if (own) {
    add_own_rewards(batch);
    tapes_.for_each(shards, [&](Index s) {
      const auto i = static_cast<std::size_t>(s);
      learn(place(i), *tapes[i], draws_[i]);
    });
  }
  UpdateReport result = report(batch, update);
  result.grad_norm = tapes_.apply(update, lr, batch.all_shards());
  return result;
}

void SelfCriticalStep::draw(const TrainShard& shard, const Place& place, Tape& tape,
                            Draws& draws) const {
  const double start = clock_seconds();
  const std::uint64_t first_image = training_number(place.update, place.first_image);
  draws.images = model_->encode(tape, shard.inputs.view());
  const auto decode = [&](const SearchOptions& options) {
    return search(model_->decoder(), model_->parameters().views(), draws.images.values(),
                  SpecialWords{}, options, first_image);
  };
  draws.captions = decode(sampling_);
  if (config_.baseline == SelfCriticalBaseline::kGreedy) draws.rivals = decode(greedy_);

  const double before_rewards = clock_seconds();
  draws.rewards = rewards_of(shard, draws.captions);
  draws.rival_rewards = rewards_of(shard, draws.rivals);
  draws.reward_seconds = clock_seconds() - before_rewards;
  draws.seconds = clock_seconds() - start;
}

void SelfCriticalStep::add_own_rewards(const TrainBatch& batch) {
  const double start = clock_seconds();
  std::vector<Index> images;
  std::vector<std::string> captions;
  std::vector<double*> rewards;
  const auto add = [&](const TrainShard& shard, const std::vector<DecodedCaption>& drawn,
                       std::vector<double>& values) {
    for (std::size_t c = 0; c < drawn.size(); ++c) {
      images.push_back(shard.images[c / (drawn.size() / shard.images.size())]);
      captions.push_back(caption_text(drawn[c], model_->vocabulary()));
      rewards.push_back(&values[c]);
    }
  };
  for (std::size_t s = 0; s < draws_.size(); ++s)
    add(batch.shards[s], draws_[s].captions, draws_[s].rewards);
  for (std::size_t s = 0; s < draws_.size(); ++s)
    add(batch.shards[s], draws_[s].rivals, draws_[s].rival_rewards);
  const std::vector<double> own = rewards_.own(images, captions);
  for (std::size_t c = 0; c < own.size(); ++c) *rewards[c] += own[c];
  const double seconds = (clock_seconds() - start) / static_cast<double>(draws_.size());
  for (Draws& draws : draws_) {
    draws.reward_seconds += seconds;
    draws.seconds += seconds;
  }
}

void SelfCriticalStep::learn(const Place& place, Tape& tape, Draws& draws) const {
  const double start = clock_seconds();
  const bool greedy = config_.baseline == SelfCriticalBaseline::kGreedy;
  draws.baselines =
      greedy ? std::move(draws.rival_rewards) : leave_one_out(draws.rewards, config_.samples);
  for (std::size_t c = 0; c < draws.rewards.size(); ++c) {
    const std::size_t image = c / static_cast<std::size_t>(config_.samples);
    draws.advantages.push_back(draws.rewards[c] - draws.baselines[greedy ? image : c]);
  }

  tape.set_training(config_.dropout);
  tape.set_random(sampling_.seed, static_cast<std::uint64_t>(place.update),
                  static_cast<std::uint64_t>(place.first_image * config_.samples));
  std::vector<DrawnCaption> drawn;
  for (const DecodedCaption& caption : draws.captions) drawn.push_back(drawn_caption(caption));
  PolicyLoss loss(tape, model_->decoder(), model_->decoder().prepare(tape, draws.images, 1), drawn,
                  {selection_, config_.temperature});
  draws.log_probs = draws.word_log_probs = loss.word_log_probs();
  for (std::size_t c = 0; c < drawn.size(); ++c) draws.log_probs[c] += loss.region_log_probs()[c];
  loss.backward(draws.advantages, place.batch_captions);
  draws.seconds += clock_seconds() - start;
}

std::vector<double> SelfCriticalStep::rewards_of(
    const TrainShard& shard, const std::vector<DecodedCaption>& captions) const {
  const std::size_t per_image = std::max<std::size_t>(1, captions.size() / shard.images.size());
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

namespace {

// The sums of a report, in the order of their numbers.
enum DrawFigure : std::size_t {
  kReward,
  kAdvantage,
  kSquare,
  kLogProb,
  kPolicyLoss,
  kLength,
  kFinished,
  kDrawnWords,
  kDrawnCaptions,
  kRewardSeconds,
  kShardSeconds,
  kDrawFigures
};

}  // namespace

std::vector<double> SelfCriticalStep::figures_of(const Draws& draws, const TrainShard& shard,
                                                 Index update, std::string& error) const {
  std::vector<double> out(kDrawFigures);
  out[kShardSeconds] = draws.seconds;
  out[kRewardSeconds] = draws.reward_seconds;
  for (std::size_t c = 0; c < draws.captions.size(); ++c) {
    const std::size_t image = c / static_cast<std::size_t>(config_.samples);
    if (error.empty() && !std::isfinite(draws.log_probs[c]))
      error =
          str("update ", update, ": log p of a caption of image ", shard.ids[image], " is ",
              draws.log_probs[c], "; lower objective.self_critical.lr or set optimizer.clip_norm");
    const auto words = static_cast<double>(draws.captions[c].words.size());
    out[kReward] += draws.rewards[c];
    out[kAdvantage] += draws.advantages[c];
    out[kSquare] += draws.advantages[c] * draws.advantages[c];
    out[kLogProb] += draws.word_log_probs[c];
    out[kPolicyLoss] -= draws.advantages[c] * draws.log_probs[c];
    out[kLength] += words;
    out[kFinished] += draws.captions[c].finished ? 1 : 0;
    out[kDrawnWords] += words + 1;
    out[kDrawnCaptions] += 1;
  }
  return out;
}

UpdateReport SelfCriticalStep::report(const TrainBatch& batch, Index update) const {
  std::string error;
  std::vector<std::vector<double>> of_shards;
  for (std::size_t s = 0; s < batch.shards.size(); ++s)
    of_shards.push_back(figures_of(draws_[s], batch.shards[s], update, error));
  const std::vector<double> sum = parallel::add_up(of_shards, error);

  const double captions = sum[kDrawnCaptions], advantage = sum[kAdvantage] / captions;
  SelfCriticalReport more;
  more.reward = sum[kReward] / captions;
  more.length = sum[kLength] / captions;
  more.finished = sum[kFinished] / captions;
  more.baseline = more.reward - advantage;
  more.advantage_deviation =
      std::sqrt(std::max(0.0, sum[kSquare] / captions - advantage * advantage));
  more.reward_share = sum[kRewardSeconds] / sum[kShardSeconds];
  UpdateReport out;
  out.captions = static_cast<Index>(captions);
  out.words = static_cast<Index>(sum[kDrawnWords]);
  out.loss = sum[kPolicyLoss] / captions;
  out.nll_per_word = -sum[kLogProb] / sum[kDrawnWords];
  out.self_critical = more;
  return out;
}

}  // namespace saccade
