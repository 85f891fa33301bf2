// The loss with smoothed labels, in double: its gradient is that of the cross-entropy against the
// smoothed target, which is computed here word by word from single steps. What is reported and
// rewarded is the same as without smoothing.
#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/learning/objectives/scheduled_sampling.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/search/draws.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade::caption_losses_test {
namespace {

constexpr Index kVocabulary = 7;
constexpr int kBos = 1, kEos = 2;
constexpr double kSmoothing = 0.3;

struct SmoothedModel : test::SmallDecoder {
  std::vector<std::vector<int>> captions{{4, 3, 6}, {5}};

  SmoothedModel(const std::string& kind, const std::string& selection)
      : SmallDecoder(kind, selection, kVocabulary, 2) {}

  // The mean over captions of the cross-entropy against the smoothed target, summed over words: log
  // The probability of every word that can come next, times its weight.
  double smoothed_cost() const {
    double sum = 0;
    for (std::size_t c = 0; c < captions.size(); ++c) {
      test::TestTape tape(store.views(), test::Recording::kNo);
      const Tensor own = features_of(static_cast<Index>(c));
      const AttentionMemory memory = decoder->prepare(tape, tape.constant(own.view()), 1);
      std::vector<Var> state = decoder->start(tape, memory);
      std::vector<int> targets = captions[c];
      targets.push_back(kEos);
      int word = kBos;
      for (std::size_t t = 0; t < targets.size(); ++t) {
        const StepOutput step = decoder->step(tape, std::vector<int>{word}, state, memory,
                                              {.step = static_cast<Index>(t)});
        const auto logits = step.logits.value().span();
        double normalizer = 0;
        for (const Real logit : logits) normalizer += std::exp(logit);
        constexpr double kEach = kSmoothing / (kVocabulary - 2);  // without <pad> and <bos>
        for (int v = 0; v < kVocabulary; ++v) {
          const double weight =
              (v == targets[t] ? 1 - kSmoothing : 0) + (v == 0 || v == kBos ? 0 : kEach);
          sum -= weight * (logits[static_cast<std::size_t>(v)] - std::log(normalizer));
        }
        state = step.state;
        word = targets[t];
      }
    }
    return sum / static_cast<double>(captions.size());
  }

  struct Run {
    std::vector<double> nll, costs, gradient;
  };
  Run run(double smoothing) const {
    CaptionLossOptions options = loss_options({}, attention, {});
    options.doubly_stochastic = 0;
    options.label_smoothing = smoothing;
    test::TestTape tape(store.views());
    ShardLoss loss(tape, *decoder, tape.constant(features.view()),
                   pack_captions(captions, kBos, kEos), options,
                   {.seed = 1, .batch_captions = static_cast<Index>(captions.size())});
    RewardBaseline moving;
    loss.backward(batch_baseline(moving, options, std::vector<const ShardLoss*>{&loss}));
    const std::vector<Real> gradient = test::parameter_gradients(tape, store);
    return {loss.nll(), loss.costs(), {gradient.begin(), gradient.end()}};
  }
};

}  // namespace

TEST_CASE("a smoothed loss has the gradient of the cross-entropy against smoothed labels") {
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    SmoothedModel model(kind.name, "soft");
    const auto exact = test::numeric_gradient(model.store, [&] { return model.smoothed_cost(); });
    const SmoothedModel::Run smooth = model.run(kSmoothing), plain = model.run(0);
    CHECK(test::norm(exact) > 0.1);
    CHECK(test::largest_difference(exact, smooth.gradient) < 1e-7);
    CHECK(test::largest_difference(exact, plain.gradient) > 1e-2);
    CHECK(smooth.nll == plain.nll);
  }
}

TEST_CASE("smoothed labels do not change the rewards of regions") {
  const SmoothedModel model("lstm", "hard");
  const SmoothedModel::Run smooth = model.run(kSmoothing), plain = model.run(0);
  CHECK(smooth.costs == plain.costs);
  CHECK(smooth.nll == plain.nll);
  CHECK(test::largest_difference(smooth.gradient, plain.gradient) > 1e-3);
}

// Captions that share the encoding of their image, in double: loss, draws and gradients are those
// of captions with one image each, for every decoder, and also with several samples of a caption.
namespace {

constexpr double kTolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

// Four captions of two images, mixed as in a shard that is sorted by length.
struct SharedModel : test::SmallDecoder {
  const std::vector<std::vector<int>> captions{{4, 3, 6, 5}, {5, 3, 4}, {6, 4}, {3}};
  const std::vector<int> images{1, 0, 0, 1};

  SharedModel(const std::string& kind, const std::string& selection)
      : SmallDecoder(kind, selection, kVocabulary, 2) {}

  struct Run {
    std::vector<double> nll, penalties, costs, parameters, features;
    std::vector<Index> regions;
  };
  // `mask` marks the regions of both images that count; empty: all do.
  Run run(bool shared, double scheduled, const std::vector<Real>& mask) const {
    constexpr auto kImage = static_cast<std::size_t>(kRegions * kFeatures);
    Tensor seen = features.clone();
    std::vector<Real> counted = mask;
    if (!shared) {
      seen = Tensor({4, kRegions, kFeatures});
      counted.clear();
      for (std::size_t c = 0; c < images.size(); ++c) {
        const auto image = static_cast<std::size_t>(images[c]);
        std::copy_n(features.data() + image * kImage, kImage, seen.data() + c * kImage);
        if (!mask.empty())
          counted.insert(counted.end(),
                         mask.begin() + static_cast<std::ptrdiff_t>(image) * kRegions,
                         mask.begin() + static_cast<std::ptrdiff_t>(image + 1) * kRegions);
      }
    }
    CaptionLossOptions options = loss_options({}, attention, {});
    options.scheduled_sampling = scheduled;
    test::TestTape tape(store.views());
    const Var x = tape.variable(seen.view());
    Var marks;
    const Tensor marked =
        counted.empty()
            ? Tensor()
            : Tensor({static_cast<Index>(counted.size()) / kRegions, kRegions}, counted);
    if (!counted.empty()) marks = tape.constant(marked.view());
    PackedCaptions packed = pack_captions(captions, kBos, kEos);
    if (shared) packed.images = images;
    ShardLoss loss(tape, *decoder, {x, marks}, packed, options,
                   {.seed = 3, .update = 5, .first_caption = 8, .batch_captions = 4});
    RewardBaseline moving;
    loss.backward(batch_baseline(moving, options, std::vector<const ShardLoss*>{&loss}));
    Run out{.nll = loss.nll(),
            .penalties = loss.penalties(),
            .costs = loss.costs(),
            .parameters = {},
            .features = std::vector<double>(2 * kImage, 0),
            .regions = loss.regions()};
    for (const Real g : test::parameter_gradients(tape, store)) out.parameters.push_back(g);
    const ConstView g = tape.grad(x);
    for (Index i = 0; i < g.size(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const std::size_t image = shared ? n / kImage : static_cast<std::size_t>(images[n / kImage]);
      out.features[image * kImage + n % kImage] += g[i];
    }
    return out;
  }
};

}  // namespace

TEST_CASE("captions that share an image have the gradients of captions with one image each") {
  for (const auto& kind : decoder_registry().rows())
    for (const std::string selection : {"soft", "hard"})
      for (const double scheduled : {0.0, 0.5})
        for (const std::vector<Real>& mask :
             {std::vector<Real>{}, std::vector<Real>{1, 1, 0, 0, 1, 1}}) {
          INFO(kind.name << ", selection " << selection << ", scheduled sampling " << scheduled
                         << ", mask " << !mask.empty());
          const SharedModel model(kind.name, selection);
          const auto shared = model.run(true, scheduled, mask);
          const auto apart = model.run(false, scheduled, mask);
          CHECK(test::largest_difference(shared.nll, apart.nll) < kTolerance);
          CHECK(test::largest_difference(shared.penalties, apart.penalties) < kTolerance);
          CHECK(test::largest_difference(shared.costs, apart.costs) < kTolerance);
          CHECK(shared.regions == apart.regions);
          CHECK(test::norm(shared.parameters) > 0.1);
          CHECK(test::norm(shared.features) > 1e-3);
          CHECK(test::largest_difference(shared.parameters, apart.parameters) < kTolerance);
          CHECK(test::largest_difference(shared.features, apart.features) < kTolerance);
        }
}

TEST_CASE("captions and images of different numbers need the image of each caption") {
  const SharedModel model("lstm", "soft");
  test::TestTape tape(model.store.views());
  CHECK_THROWS_AS(ShardLoss(tape, *model.decoder, tape.constant(model.features.view()),
                            pack_captions(model.captions, kBos, kEos),
                            loss_options({}, model.attention, {}), {.batch_captions = 4}),
                  ShapeError);
}

// Values that change while a model trains: the loss of an update is that of a model whose config
// has the value of the ramp, and everything else has the value that the ramp ends with.
namespace {

constexpr Index kCells = 4, kWidth = 3;

struct SoftModel {
  AttentionConfig attention;
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;

  SoftModel(const std::string& kind, const Ramp& temperature) {
    DecoderConfig config;
    config.type = kind;
    config.hidden = 4, config.embedding = 3, config.init_hidden = 2, config.dropout = 0;
    config.layers = 2, config.heads = config.widen = 1;
    attention.hidden = 3;
    attention.temperature = temperature;
    decoder = make_decoder(config, attention,
                           {.features = kWidth, .vocabulary = kVocabulary, .grid = {1, kCells}},
                           ParamScope(store, "decoder"));
    store.initialise(3);
    Random random({6, Stream::kTest, 0, 0});
    for (Real& value : store.flat().span()) value = static_cast<Real>(random.normal());
  }

  // -log p of a caption, in training at an update, or outside of training.
  double nll(std::optional<Index> update) const {
    Tensor features(Shape{1, kCells, kWidth});
    Random random({7, Stream::kTest, 0, 0});
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
    test::TestTape tape(store.views());
    const Var x = tape.constant(features.view());
    const PackedCaptions caption = pack_captions(std::vector<std::vector<int>>{{4, 5, 6}}, 1, 2);
    if (!update) {
      const SequenceOutput out = decoder->sequence(tape, caption, decoder->prepare(tape, x, 1), {});
      return caption_sums(caption, out.nll.value())[0];
    }
    const CaptionLossOptions options =
        loss_options({}, attention, {.update = *update, .updates_per_epoch = 2});
    return ShardLoss(tape, *decoder, x, caption, options, {.batch_captions = 1}).nll()[0];
  }
};

TEST_CASE("training uses the current value of a temperature that changes") {
  for (const std::string kind : {"lstm", "transformer"}) {
    const SoftModel moving(kind, {.from = 2, .to = 0.5, .over = epochs(2)});
    const auto still = [&](double temperature, std::optional<Index> update) {
      return SoftModel(kind, Ramp::constant(temperature)).nll(update);
    };
    CHECK(still(2, {}) != still(0.5, {}));
    CHECK(moving.nll(0) == still(2, {}));
    CHECK(moving.nll(1) == still(1.625, {}));
    CHECK(moving.nll(4) == still(0.5, {}));
    CHECK(moving.nll({}) == still(0.5, {}));
    CHECK(still(0.5, 0) == still(0.5, {}));
  }
}

// Scheduled sampling against the procedure of its paper, which is written here once more for a
// single caption: one coin per word, and the model's own word after what was read so far.

constexpr Index kWords = 8;
constexpr int kUnk = 3;

struct ScheduledModel : test::SmallDecoder {
  explicit ScheduledModel(const std::string& kind, const std::string& chosen = "soft")
      : SmallDecoder(kind, chosen, kWords, 3) {}

  std::vector<int> inputs(const std::vector<std::vector<int>>& captions,
                          const SampledInputs& sampling) const {
    test::TestTape tape(store.views());
    const AttentionMemory memory = decoder->prepare(tape, tape.constant(features.view()), 1);
    return scheduled_inputs(store.views(), *decoder, pack_captions(captions, kBos, kEos), memory,
                            {}, sampling);
  }

  // What is read for one caption of the batch, if every word is drawn.
  std::vector<int> expected(Index place, std::size_t words, const SampledInputs& sampling) const {
    const Tensor own = features_of(place);
    test::TestTape tape(store.views(), test::Recording::kNo);
    const AttentionMemory memory = decoder->prepare(tape, tape.constant(own.view()), 1);
    std::vector<Var> state = decoder->start(tape, memory);
    std::vector<int> read{kBos};
    while (read.size() < words) {
      const auto t = static_cast<Index>(read.size());
      const StepOutput step =
          decoder->step(tape, std::vector<int>{read.back()}, state, memory, {.step = t - 1});
      state = step.state;
      Random random(word_draw_key(
          sampling.seed, training_number(sampling.update, sampling.first_caption + place), t));
      random.uniform();  // the coin
      const auto logits = step.logits.value().span();
      double total = 0;
      for (int v = kUnk + 1; v < kWords; ++v)
        total += std::exp(logits[static_cast<std::size_t>(v)]);
      double left = random.uniform();
      int word = kUnk + 1;
      for (; word < kWords - 1; ++word) {
        left -= std::exp(logits[static_cast<std::size_t>(word)]) / total;
        if (left < 0) break;
      }
      read.push_back(word);
    }
    return read;
  }
};

// The packed numbers of one caption.
std::vector<int> of_caption(const PackedCaptions& packed, const std::vector<int>& numbers,
                            Index caption) {
  std::vector<int> out;
  std::size_t first = 0;
  for (const Index rows : packed.rows) {
    if (caption < rows) out.push_back(numbers[first + static_cast<std::size_t>(caption)]);
    first += static_cast<std::size_t>(rows);
  }
  return out;
}

}  // namespace

TEST_CASE("a caption reads words drawn after its own words, whatever else is in the batch") {
  const std::vector<std::vector<int>> captions{{4, 5, 6, 7, 4}, {7, 6, 5}, {5}};
  const PackedCaptions packed = pack_captions(captions, kBos, kEos);
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    const ScheduledModel model(kind.name);
    for (const Index update : {0, 1, 7}) {
      const SampledInputs all{.probability = 1, .seed = 3, .update = update, .first_caption = 11};
      const std::vector<int> inputs = model.inputs(captions, all);
      for (Index c = 0; c < 3; ++c)
        CHECK(of_caption(packed, inputs, c) ==
              model.expected(c, captions[static_cast<std::size_t>(c)].size() + 1, all));
    }
    CHECK(model.inputs(captions, {.probability = 0, .seed = 3}) == packed.inputs);
  }
}

TEST_CASE("the share of the model's own words is the probability") {
  const ScheduledModel model("gru");
  // <unk> is never drawn, so where it is gone, a word was drawn.
  const std::vector<std::vector<int>> captions(3, std::vector<int>(9, kUnk));
  double drawn = 0, words = 0;
  for (Index update = 0; update < 200; ++update) {
    const std::vector<int> inputs =
        model.inputs(captions, {.probability = 0.3, .seed = 1, .update = update});
    for (std::size_t n = 3; n < inputs.size(); ++n, ++words) drawn += inputs[n] != kUnk;
  }
  CHECK(std::abs(drawn / words - 0.3) < 4 * std::sqrt(0.3 * 0.7 / words));
}

TEST_CASE("the loss is that of the true words after the words that were read") {
  const std::vector<std::vector<int>> captions{{4, 5, 6, 7}, {7, 6}, {5}};
  const ScheduledModel model("lstm", "hard");
  const PackedCaptions packed = pack_captions(captions, kBos, kEos);
  const auto loss_of = [&](Tape& tape, double probability, const PackedCaptions& read) {
    tape.set_parameters(model.store.views());
    ObjectiveConfig objective;
    objective.scheduled_sampling = Ramp::constant(probability);
    return ShardLoss(tape, *model.decoder, tape.constant(model.features.view()), read,
                     loss_options(objective, model.attention, {}),
                     {.seed = 5, .update = 2, .batch_captions = 3});
  };
  Arena arena, other_arena;
  Tape tape(arena), other_tape(other_arena);
  const ShardLoss sampled = loss_of(tape, 0.6, packed);
  const PackedCaptions& rows = sampled.rows();
  CHECK(rows.inputs != loss_of(other_tape, 0, packed).rows().inputs);
  PackedCaptions read = packed;
  for (std::size_t n = 0; n < read.inputs.size(); ++n) {
    REQUIRE(rows.inputs[2 * n] == rows.inputs[2 * n + 1]);  // two samples of one caption
    REQUIRE(rows.targets[2 * n] == packed.targets[n]);
    read.inputs[n] = rows.inputs[2 * n];
  }
  other_tape.reset();
  CHECK(sampled.nll() == loss_of(other_tape, 0, read).nll());
}

}  // namespace saccade::caption_losses_test
