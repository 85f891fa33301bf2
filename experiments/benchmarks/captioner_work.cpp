#include "experiments/benchmarks/captioner_work.h"

#include <numeric>

#include "captioning/captioner.h"
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/self_critical_step.h"
#include "captioning/model/decoding/ensemble.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kRegionsPerSide = 14, kFeatures = 512, kWords = 10000, kSteps = 20;

// Six post-norm layers with eight heads, for the attention to the words and for that to the image.
void make_transformer(ExperimentConfig& config) {
  config.decoder.type = "transformer";
  config.decoder.layers = 6;
  config.decoder.norm = NormPlacement::kPost;
  config.decoder.positions = WordPositions::kLearned;
  config.decoder.longest = kSteps + 1;
  config.decoder.dropout = 0.1;
  config.attention.score = "scaled_dot";
  config.attention.heads = 8;
  config.attention.gate = "none";
  config.objective.doubly_stochastic = 0;
}

ExperimentConfig bench_config(const std::string& workload) {
  ExperimentConfig config;
  if (workload != "cnn") config.encoder.frozen_stages = -1;  // the input is its grid
  if (workload == "sat_hard" || workload == "marginal_beam3") config.attention.selection = "hard";
  if (workload == "sat_gru") config.decoder.type = "gru";
  if (workload.starts_with("tdec")) make_transformer(config);
  config.optimizer.clip_value = 5;
  return config;
}

Vocabulary bench_vocabulary() {
  std::vector<std::string> words = Vocabulary().words();
  while (static_cast<Index>(words.size()) < kWords)
    words.push_back("word" + std::to_string(words.size()));
  return Vocabulary(std::move(words));
}

TrainBatch bench_batch(const Shape& input, Index captions, Index shard) {
  std::vector<Index> lengths;  // in words: <bos> and <eos> are not counted
  for (Index i = 0; i < captions; ++i) lengths.push_back(10 + 7 * i % 9);
  std::sort(lengths.rbegin(), lengths.rend());
  const Index shards = (captions + shard - 1) / shard;
  Random random({1, Stream::kTest, 0, 0});
  TrainBatch batch;
  for (Index s = 0; s < shards; ++s) {
    std::vector<std::vector<int>> words;
    for (Index i = s; i < captions; i += shards) {
      words.emplace_back();
      for (Index w = 0; w < lengths[static_cast<std::size_t>(i)]; ++w)
        words.back().push_back(4 + static_cast<int>(random.below(kWords - 4)));
    }
    TrainShard part;
    part.inputs = InputBatch(input, static_cast<Index>(words.size()));
    for (Real& x : part.inputs.values()) x = static_cast<Real>(random.uniform());
    part.ids.assign(words.size(), "bench");
    part.captions = pack_captions(words, static_cast<int>(Vocabulary::kBos),
                                  static_cast<int>(Vocabulary::kEos));
    batch.shards.push_back(std::move(part));
  }
  return batch;
}

}  // namespace

Timing train_captioner(const std::string& workload, const WorkSize& size) {
  const ExperimentConfig config = bench_config(workload);
  CaptionModel model(config, bench_vocabulary(),
                     {{.rows = kRegionsPerSide, .cols = kRegionsPerSide}, kFeatures});
  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  TrainStep step(model, *optimizer, config, 1);
  const TrainBatch batch = bench_batch(model.input_shape(), size.batch, config.train.shard);
  Index update = 0;
  Timing timing =
      measure(size.seconds, [&] { return step.run(batch, update++, config.optimizer.lr).loss; });
  timing.parameters = model.parameters().flat_size();
  return timing;
}

namespace {

// References for this many images, with five captions of 10 words each.
Dataset bench_references(Index images) {
  Dataset data;
  Random random({1, Stream::kTest, 2, 0});
  for (Index i = 0; i < images; ++i) {
    CaptionedImage& image = data.images.emplace_back();
    for (Index c = 0; c < 5; ++c) {
      std::string& text = image.captions.emplace_back();
      for (Index w = 0; w < 10; ++w) text += "word" + std::to_string(4 + random.below(100)) + " ";
    }
  }
  return data;
}

}  // namespace

Timing train_self_critical(const WorkSize& size) {
  const Index images = size.batch;
  const ExperimentConfig config = bench_config("scst");
  const Vocabulary vocabulary = bench_vocabulary();
  CaptionModel model(config, vocabulary,
                     {{.rows = kRegionsPerSide, .cols = kRegionsPerSide}, kFeatures});
  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  const Dataset references = bench_references(images);
  std::vector<Index> numbers(static_cast<std::size_t>(images));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  SelfCriticalStep step(model, *optimizer, config,
                        {references, numbers, vocabulary, config.objective.self_critical.reward});
  TrainBatch batch = bench_batch(model.input_shape(), images, self_critical_shard(config));
  Index next = 0;
  for (TrainShard& shard : batch.shards)
    for (std::size_t i = 0; i < shard.ids.size(); ++i) shard.images.push_back(next++);
  Index update = 0;
  double share = 0;
  Timing timing = measure(size.seconds, [&] {
    const UpdateReport report = step.run(batch, update++, config.objective.self_critical.lr);
    share += report.self_critical->reward_share;
    return report.loss;
  });
  timing.reward_share = share / static_cast<double>(update);
  return timing;
}

Timing search_beam(const std::string& workload, const WorkSize& size) {
  const ExperimentConfig config = bench_config(workload);
  const Index images = size.batch;
  CaptionModel model(config, bench_vocabulary(),
                     {{.rows = kRegionsPerSide, .cols = kRegionsPerSide}, kFeatures});
  // No hypothesis may end early, so that every caption has all of its words.
  model.parameters().value(model.decoder().word_parameters().bias)[Vocabulary::kEos] = -1e4f;
  const Index regions = kRegionsPerSide * kRegionsPerSide, group = 8;
  Tensor features({images, regions, kFeatures});
  Random random({1, Stream::kTest, 1, 0});
  for (Real& x : features.span()) x = static_cast<Real>(random.uniform());
  SearchOptions options{.beam = 3, .max_length = kSteps};
  if (workload == "marginal_beam3") options.regime = Regime::kMarginal;
  return measure(size.seconds, [&] {
    parallel::for_each((images + group - 1) / group, [&](Index g) {
      const Index first = g * group, count = std::min(group, images - first);
      const InputView input{
          ConstView{features.data() + first * regions * kFeatures, {count, regions, kFeatures}}};
      EncodedPictures(model, {&input, 1}).caption(options, static_cast<std::uint64_t>(first));
    });
    return 0.0;
  });
}

Timing caption_photo(const WorkSize& size) {
  const Captioner captioner(size.checkpoint, {.threads = size.threads});
  const Image picture = read_image(size.photo);
  return measure(size.seconds, [&] { return captioner.caption(picture).log_probability; });
}

}  // namespace saccade
