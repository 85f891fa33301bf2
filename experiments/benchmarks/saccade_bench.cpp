// saccade_bench WORKLOAD [--threads N] [--batch B] [--seconds S]: times one piece of work and
// prints one JSON line, as peer programs do (peer.sh runs them in turns).
//   sat_vec        a training step of the soft captioner on given features
//   sat_hard       the same with hard attention and its estimator
//   beam3_batched  beam-3 captions of `batch` images, 20 words each
//   cnn            a training step of the small CNN with the decoder, on 64 x 64 images
//   scst           a self-critical step over `batch` images: five captions drawn of each, of at
//   most
//                  20 words, rewarded with CIDEr-D; reward_share is what the rewards take of it
// The shapes are those of Show, Attend and Tell on a 14 x 14 x 512 grid with 10,000 words; caption
// i of a batch has 12 + (7 i mod 9) tokens with <bos> and <eos>.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "captioning/training/self_critical_step.h"
#include "core/parallel/parallel.h"

namespace saccade {
namespace {

constexpr Index kRegionsPerSide = 14, kFeatures = 512, kWords = 10000, kSteps = 20;

double milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ExperimentConfig bench_config(const std::string& workload) {
  ExperimentConfig config;
  config.encoder.type = workload == "cnn" ? EncoderKind::kCnn : EncoderKind::kOnnx;
  if (workload == "sat_hard") config.attention.selection = SelectionKind::kHard;
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
  std::vector<Index> lengths;  // words: tokens without <bos> and <eos>
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
    std::vector<Index> extents{static_cast<Index>(words.size())};
    for (int a = 0; a < input.rank(); ++a) extents.push_back(input[a]);
    part.inputs = Tensor(Shape::of(extents.data(), static_cast<int>(extents.size())));
    for (Real& x : part.inputs.span()) x = static_cast<Real>(random.uniform());
    part.ids.assign(words.size(), "bench");
    part.captions = pack_captions(words, static_cast<int>(Vocabulary::kBos),
                                  static_cast<int>(Vocabulary::kEos));
    batch.shards.push_back(std::move(part));
  }
  return batch;
}

struct Timing {
  std::vector<double> times;  // ms
  double first_loss = 0;
  double reward_share = 0;
};

template <class Work>
Timing measure(double seconds, Work work) {
  Timing timing;
  timing.first_loss = work();
  work();  // warm: arenas and primitives exist
  const double end = milliseconds() + 1e3 * seconds;
  while (timing.times.size() < 5 || milliseconds() < end) {
    const double start = milliseconds();
    work();
    timing.times.push_back(milliseconds() - start);
  }
  std::sort(timing.times.begin(), timing.times.end());
  return timing;
}

Timing train(const std::string& workload, Index captions, double seconds) {
  const ExperimentConfig config = bench_config(workload);
  Captioner model(config, bench_vocabulary(),
                  {.rows = kRegionsPerSide, .cols = kRegionsPerSide, .features = kFeatures});
  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  TrainStep step(model, *optimizer, config, 1);
  const TrainBatch batch = bench_batch(model.input_shape(), captions, config.train.shard);
  Index update = 0;
  return measure(seconds, [&] { return step.run(batch, update++, config.optimizer.lr).loss; });
}

// As many images as a batch has, with five captions of 10 words each.
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

Timing self_critical(Index images, double seconds) {
  const ExperimentConfig config = bench_config("scst");
  const Vocabulary vocabulary = bench_vocabulary();
  Captioner model(config, vocabulary,
                  {.rows = kRegionsPerSide, .cols = kRegionsPerSide, .features = kFeatures});
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
  Timing timing = measure(seconds, [&] {
    const UpdateReport report = step.run(batch, update++, config.objective.self_critical.lr);
    share += report.self_critical->reward_share;
    return report.loss;
  });
  timing.reward_share = share / static_cast<double>(update);
  return timing;
}

Timing beam(Index images, double seconds) {
  const ExperimentConfig config = bench_config("beam3_batched");
  Captioner model(config, bench_vocabulary(),
                  {.rows = kRegionsPerSide, .cols = kRegionsPerSide, .features = kFeatures});
  // No hypothesis may end early: every caption takes all its words.
  model.parameters().value(
      model.parameters().find("decoder.output.vocabulary_bias"))[Vocabulary::kEos] = -1e4f;
  const Index regions = kRegionsPerSide * kRegionsPerSide, group = 8;
  Tensor features({images, regions, kFeatures});
  Random random({1, Stream::kTest, 1, 0});
  for (Real& x : features.span()) x = static_cast<Real>(random.uniform());
  SearchOptions options{.beam = 3, .max_length = kSteps};
  return measure(seconds, [&] {
    parallel::for_each((images + group - 1) / group, [&](Index g) {
      const Index first = g * group, count = std::min(group, images - first);
      model.caption({features.data() + first * regions * kFeatures, {count, regions, kFeatures}},
                    options, static_cast<std::uint64_t>(first));
    });
    return 0.0;
  });
}

int run(int argc, char** argv) {
  CLI::App app{"Times one piece of work; prints one JSON line"};
  std::string workload;
  int threads = 1;
  Index batch = 32;
  double seconds = 8;
  app.add_option("workload", workload)
      ->required()
      ->check(CLI::IsMember({"sat_vec", "sat_hard", "beam3_batched", "cnn", "scst"}));
  app.add_option("--threads", threads);
  app.add_option("--batch", batch);
  app.add_option("--seconds", seconds);
  CLI11_PARSE(app, argc, argv);
  parallel::set_threads(threads);
  const Timing timing = workload == "beam3_batched" ? beam(batch, seconds)
                        : workload == "scst"        ? self_critical(batch, seconds)
                                                    : train(workload, batch, seconds);
  const double median = timing.times[timing.times.size() / 2];
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::json line = {{"workload", workload},
                         {"threads", threads},
                         {"batch", batch},
                         {"min_ms", timing.times.front()},
                         {"median_ms", median},
                         {"n", timing.times.size()},
                         {"items_per_s", static_cast<double>(batch) / median * 1e3},
                         {"peak_rss_mib", usage.ru_maxrss / 1024},
                         {"first_loss", timing.first_loss}};
  if (workload == "scst") line["reward_share"] = timing.reward_share;
  std::cout << line.dump() << "\n";
  return 0;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) { return saccade::run(argc, argv); }
