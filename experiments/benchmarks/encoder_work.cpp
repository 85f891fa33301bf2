#include "experiments/benchmarks/encoder_work.h"

#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "core/kernels/constant_weights.h"
#include "core/nn/dense.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "core/optim/gradient_step.h"
#include "core/parallel/parallel.h"
#include "core/parallel/per_thread.h"
#include "vision/encoders/encoder.h"

namespace saccade {

namespace {

constexpr Index kSide = 224, kClasses = 1000, kShard = 4;

const std::map<std::string, EncoderConfig>& networks() {
  const auto of = [](const std::string& type, VitSize size) {
    EncoderConfig config;
    config.type = type;
    config.image_size = kSide;
    config.positions = type == "vit" ? PositionKind::kLearned : PositionKind::kNone;
    config.vit.size = size;
    return config;
  };
  static const std::map<std::string, EncoderConfig> all = {
      {"r18", of("resnet18", {})},
      {"r50", of("resnet50", {})},
      {"vgg19", of("vgg19", {})},
      {"vit_t", of("vit", VitSize::kTiny)},
      {"vit_s", of("vit", VitSize::kSmall)},
  };
  return all;
}

// A network and its images, cut into shards that run in parallel, each with a tape.
class EncoderWork {
 public:
  EncoderWork(const std::string& network, Index images)
      : network_(make_encoder(networks().at(network), ParamScope(store_, "encoder"))),
        head_(ParamScope(store_, "head"), {.in = network_->grid().features, .out = kClasses}),
        images_({images, kSide, kSide, 3}),
        labels_(static_cast<std::size_t>(images)) {
    store_.initialise(1);
    Random random({1, Stream::kTest, 0, 0});
    for (Real& x : images_.span()) x = static_cast<Real>(random.uniform());
    std::iota(labels_.begin(), labels_.end(), 0);
    for (Index s = 0; s * kShard < images; ++s) shards_.push_back(std::make_unique<Shard>());
  }

  // Weights are held as those of a frozen network are.
  void encode() {
    if (!held_) held_.emplace(std::as_const(store_).flat().span());
    parallel::for_each(std::ssize(shards_), [&](Index s) {
      static parallel::PerThread<Shard> of_threads;  // as no gradients are kept
      Tape& tape = of_threads.get().tape;
      tape.reset();
      tape.set_parameters(store_.views(), store_.trained());
      tape.set_recording(false);
      network_->forward(tape, tape.constant(part(s)));
    });
  }

  // Forward and backward; returns the loss.
  double learn() {
    std::vector<double> losses(shards_.size());
    const ConstantWeights weights(std::as_const(store_).flat().span(), &copies_);
    for_shards([&](Index s, Tape& tape) {
      const ConstView pixels = part(s);
      const auto count = static_cast<std::size_t>(pixels.shape[0]);
      tape.set_training(true);
      const Var features = network_->forward(tape, tape.constant(pixels));
      const Var logits = head_(tape, ops::mean_regions(features));
      const std::vector<Real> share(count, 1 / static_cast<Real>(labels_.size()));
      const std::span<const int> labels = labels_;
      const Var loss = ops::dot_constant(
          ops::cross_entropy(logits, labels.subspan(static_cast<std::size_t>(s * kShard), count)),
          share);
      losses[static_cast<std::size_t>(s)] = loss.value()[0];
      tape.backward(loss);
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  ParameterStore& store() { return store_; }
  std::vector<Tape*> tapes() {
    std::vector<Tape*> all;
    for (const auto& shard : shards_) all.push_back(&shard->tape);
    return all;
  }

 private:
  struct Shard {
    Arena arena;
    Tape tape{arena};
  };

  ConstView part(Index s) const {
    const Index first = s * kShard, image = kSide * kSide * 3;
    const Index count = std::min(kShard, images_.shape()[0] - first);
    return {images_.data() + first * image, {count, kSide, kSide, 3}};
  }
  template <class Body>
  void for_shards(Body body) {
    parallel::for_each(static_cast<Index>(shards_.size()), [&](Index s) {
      Tape& tape = shards_[static_cast<std::size_t>(s)]->tape;
      tape.reset();
      tape.set_parameters(store_.views(), store_.trained());
      body(s, tape);
    });
  }

  ParameterStore store_;
  std::unique_ptr<Encoder> network_;
  Dense head_;
  Tensor images_;
  std::vector<int> labels_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::optional<ConstantWeights> held_;
  WeightCopies copies_;
};

}  // namespace

std::vector<std::string> encoder_work_names() {
  std::vector<std::string> names;
  for (const auto& [name, config] : networks()) names.push_back(name);
  return names;
}

Timing encode_images(const std::string& network, const WorkSize& size) {
  EncoderWork work(network, size.batch);
  return measure(size.seconds, [&] {
    work.encode();
    return 0.0;
  });
}

Timing train_encoder(const std::string& network, const WorkSize& size) {
  EncoderWork work(network, size.batch);
  const OptimizerConfig config;
  const auto optimizer = make_optimizer(config, work.store());
  GradientStep step(work.store(), *optimizer, {.norm = 0, .value = 5});
  Timing timing = measure(size.seconds, [&] {
    const double loss = work.learn();
    step.apply(work.tapes(), config.lr);
    return loss;
  });
  timing.parameters = work.store().flat_size();
  return timing;
}

}  // namespace saccade
