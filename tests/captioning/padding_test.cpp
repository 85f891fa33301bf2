// Padded pictures from file to score: what lies in the padding changes no caption, whatever the
// encoder and the decoder. They train, are evaluated, and come out of a cache as they went in.
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/decoding/localizer_maps.h"
#include "captioning/model/maps/map_views.h"
#include "captioning/study/evaluation/nearest_images.h"
#include "captioning/study/evaluation/patch_norms.h"
#include "captioning/study/evaluation/perplexity.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "captioning/study/inspection/gradient_flow.h"
#include "captioning/study/inspection/head_profiles.h"
#include "core/optim/optimizer.h"
#include "core/parallel/parallel.h"
#include "tests/captioning/small_encoders.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

// Tall, wide, square and very thin pictures, with captions that have words in common.
class Aspects {
 public:
  Aspects() {
    struct Size {
      Index height, width;
    };
    const Size sizes[] = {{40, 20}, {20, 40}, {30, 30}, {60, 6}, {5, 50}, {33, 31}};
    std::string csv = "image,caption,split\n";
    std::uint64_t number = 0;
    for (const auto& [height, width] : sizes)
      for (const char* split : {"train", "train", "val"}) {
        const std::string file = str("picture-", ++number, ".png");
        write_png(folder_ / file, test_picture(height, width, number));
        csv += str(file, ",a picture of ", width, " columns,", split, "\n", file, ",one of ",
                   height, " rows,", split, "\n");
      }
    folder_.write("captions.csv", csv);
  }

  // The config of a model that pads them.
  ExperimentConfig config(const std::string& selection) const {
    ExperimentConfig config = small_experiment(selection);
    config.data.type = DataKind::kFolder;
    config.data.images = folder_.path().string();
    config.encoder.resize = ResizeMode::kPad;
    return config;
  }
  const TempFolder& files() const { return folder_; }

 private:
  TempFolder folder_{"padding"};
};

ExperimentConfig with_vit(ExperimentConfig config) {
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 8, .layers = 2, .heads = 2, .patch = 8, .registers = 1};
  return config;
}

// The images of a split that differ from each other.
std::vector<Index> some(const Experiment& experiment) {
  return images_of(experiment.data.dataset, Split::kVal);
}

std::vector<DecodedCaption> captions_of(const CaptionModel& model, const EncodedValues& images) {
  return search(model.decoder(), model.parameters().views(), images, SpecialWords{},
                {.beam = 2, .max_length = 5}, 0);
}

void check_same(const std::vector<DecodedCaption>& a, const std::vector<DecodedCaption>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    CHECK(a[c].log_prob == b[c].log_prob);
    REQUIRE(a[c].words.size() == b[c].words.size());
    for (std::size_t w = 0; w < a[c].words.size(); ++w) {
      CHECK(a[c].words[w].id == b[c].words[w].id);
      CHECK(a[c].words[w].map.weights == b[c].words[w].map.weights);
    }
  }
}

// The numbers that an encoder makes from a batch.
struct Encoded {
  Tensor features, mask;

  Encoded(const CaptionModel& model, const InputView& input) {
    TestTape tape(model.parameters().views(), Recording::kNo);
    const EncodedValues values = model.encode(tape, input).values();
    REQUIRE(values.mask.data != nullptr);
    features = Tensor(values.features.shape, values.features.span());
    mask = Tensor(values.mask.shape, values.mask.span());
  }
  EncodedValues values() const { return {features.view(), mask.view()}; }
};

}  // namespace

TEST_CASE("the content of padding changes no caption, with any encoder and decoder") {
  const Aspects aspects;
  const TempFolder folder("padding-encoders");
  save_small_onnx(folder / "small.onnx");
  for (const auto& encoder : encoder_registry().rows())
    for (const auto& decoder : decoder_registry().rows()) {
      INFO(encoder.name << ", " << decoder.name);
      const bool features = encoder.name == "features";  // of scenes; they pad by themselves
      ExperimentConfig config = features ? small_experiment() : aspects.config("soft");
      set_small_encoder(encoder.name, folder, config.encoder);
      set_readable_data(config.encoder, config.data);
      config.decoder.type = decoder.name;
      config.decoder.layers = 1, config.decoder.heads = 2;
      const Experiment experiment(config);
      const CaptionModel& model = experiment.model;
      InputBatch batch = experiment.inputs.batch(some(experiment));
      const Encoded images(model, batch.view());
      const std::vector<DecodedCaption> own = captions_of(model, images.values());
      Encoded changed(model, batch.view());
      Index padding = 0;
      for (Index r = 0; r < images.mask.size(); ++r) {
        if (images.mask[r] != 0) continue;
        ++padding;
        Real* row = changed.features.view().row(r);
        for (Index d = 0; d < changed.features.shape().cols(); ++d)
          row[d] += static_cast<Real>(3 - d % 5);
      }
      CHECK(padding > 0);
      check_same(own, captions_of(model, changed.values()));
      if (encoder.name != "vit") continue;  // cells of a CNN see their neighbours
      const Index side = config.encoder.image_size, patch = config.encoder.vit.patch;
      for (Index i = 0; i < batch.count(); ++i) {
        const CellBlock cells = picture_cells(batch.area(i), {side / patch, side / patch});
        for (Index y = 0; y < side; ++y)
          for (Index x = 0; x < side; ++x)
            for (Index c = 0; c < 3 && !cells.has(y / patch, x / patch); ++c)
              batch.values_of(i)[static_cast<std::size_t>((y * side + x) * 3 + c)] =
                  static_cast<Real>(c + (x * 7 + y * 3) % 11);
      }
      check_same(own, captions_of(model, Encoded(model, batch.view()).values()));
    }
}

TEST_CASE("padded pictures train, with the same bits for any number of threads") {
  const Aspects aspects;
  const int before = parallel::threads();
  for (const bool vit : {false, true})
    for (const std::string selection : {"soft", "hard"}) {
      INFO((vit ? "vit, " : "cnn, ") << selection);
      ExperimentConfig config = aspects.config(selection);
      if (vit) config = with_vit(config);
      config.encoder.augment = {.flip = true, .shift = 6, .color = 0.3};
      config.encoder.refine.layers = vit ? 0 : 1;
      config.encoder.refine.type = "window";
      config.encoder.refine.radius = 1;
      config.optimizer.lr = 3e-3;
      config.optimizer.clip_norm = 5;
      std::vector<std::vector<double>> losses;
      for (const int threads : {1, 2, 4}) {
        parallel::set_threads(threads);
        Experiment experiment(config);
        experiment.model.parameters().initialise(1);
        const TrainingSet set(experiment.data, config.data, experiment.model.vocabulary(), {});
        const auto optimizer = make_optimizer(config.optimizer, experiment.model.parameters());
        TrainStep step(experiment.model, *optimizer, config, 1);
        std::vector<double>& own = losses.emplace_back();
        for (Index epoch = 0; epoch < 10; ++epoch) {
          const BatchPlanOptions options{
              .batch = 12, .shard = 4, .captions = CaptionsPerEpoch::kOnePerImage};
          const TrainBatch batch = make_batch(plan_epoch(set.items(), options, epoch).at(0), set,
                                              experiment.inputs, 1, epoch);
          const UpdateReport report = step.run(batch, epoch + 1, config.optimizer.lr);
          own.push_back(report.nll_per_word);
          CHECK(report.penalty > -1e-4);  // over the unmasked regions it cannot be below 0
        }
      }
      CHECK(losses[0] == losses[1]);
      CHECK(losses[0] == losses[2]);
      CHECK(losses[0].back() < losses[0].front());
    }
  parallel::set_threads(before);
}

TEST_CASE("the doubly stochastic penalty is over the unmasked regions") {
  const Aspects aspects;
  ExperimentConfig config = aspects.config("soft");
  config.attention.score = "none";
  config.attention.gate = "none";
  config.objective.doubly_stochastic = 1;
  Experiment experiment(config);
  const TrainingSet set(experiment.data, config.data, experiment.model.vocabulary(), {});
  const TrainBatch batch = make_batch(plan_epoch(set.items(), {.batch = 24, .shard = 5}, 0).at(0),
                                      set, experiment.inputs, 1, 0);
  const auto optimizer = make_optimizer(config.optimizer, experiment.model.parameters());
  TrainStep step(experiment.model, *optimizer, config, 1);
  // Equal weights reach its floor, however many regions share them.
  CHECK(std::abs(step.run(batch, 1, 0).penalty) < 1e-4);
}

TEST_CASE("features of padded pictures come out of the cache with their padding") {
  const Aspects aspects;
  ExperimentConfig config = with_vit(aspects.config("soft"));
  const std::filesystem::path weights = aspects.files() / "vit.safetensors";
  config.encoder.vit.registers = 0;
  {
    ParameterStore store;
    const auto network = make_encoder(config.encoder, ParamScope(store, "encoder"));
    store.initialise(5);
    for (Real& value : store.flat().span()) value *= 4;
    save_torch_weights(weights, pretrained(*network, "encoder"), store);
  }
  config.encoder.weights = weights.string();
  config.encoder.frozen_stages = -1;
  const Experiment memory(config);
  config.encoder.cache = (aspects.files() / "cache").string();
  for (const bool filled : {false, true}) {
    INFO("the cache is filled: " << filled);
    const Experiment cached(config);
    const InputBatch own = memory.inputs.batch(some(memory)),
                     read = cached.inputs.batch(some(cached));
    const auto numbers = [](const InputBatch& batch) { return batch.view().values.span(); };
    CHECK(std::equal(numbers(own).begin(), numbers(own).end(), numbers(read).begin()));
    CHECK(memory.model.mask(own.view()) == cached.model.mask(read.view()));
  }
  // Features of one way to resize are not taken for those of another.
  ExperimentConfig squash = config;
  squash.encoder.resize = ResizeMode::kSquash;
  const InputPipeline padded(config.encoder), squashed(squash.encoder);
  CHECK(padded.frozen()->digest() != squashed.frozen()->digest());
  // A frozen transformer does not read padding, either.
  const Image tall = test_picture(40, 10);
  const Prepared seen = prepare(tall, padded.preparation());
  const PictureArea area = picture_area(seen.geometry);
  const CellBlock cells = picture_cells(area, {4, 4});
  Image noisy = seen.image;
  for (Index y = 0; y < 32; ++y)
    for (Index x = 0; x < 32; ++x)
      if (!cells.has(y / 8, x / 8)) noisy.pixel(y, x)[1] = static_cast<std::uint8_t>(x * 37 % 256);
  std::vector<float> a(4 * 4 * 8), b(a.size());
  padded.encode(seen.image, area, a);
  padded.encode(noisy, area, b);
  for (Index cell = 0; cell < 16; ++cell)
    for (Index d = 0; d < 8; ++d)
      if (cells.has(cell / 4, cell % 4))
        CHECK(a[static_cast<std::size_t>(cell * 8 + d)] ==
              b[static_cast<std::size_t>(cell * 8 + d)]);
  CHECK(a != b);
}

TEST_CASE("padded pictures are evaluated: maps, their health and overlays leave padding out") {
  const Aspects aspects;
  ExperimentConfig config = aspects.config("soft");
  config.attention.score = "none";
  config.attention.gate = "none";
  const Experiment blind(config);
  const EvaluationReport report = blind.run();
  Index narrow = 0;
  for (const RegimeReport& regime : report.regimes)
    for (const DecodedCaption& caption : regime.captions) {
      if (caption.words.empty()) continue;
      const Index unmasked = unmasked_cells(caption.words[0].map);
      narrow += unmasked < 16;
      for (const DecodedWord& word : caption.words) {
        REQUIRE(word.map.mask == caption.words[0].map.mask);
        for (std::size_t l = 0; l < word.map.weights.size(); ++l)
          CHECK(word.map.weights[l] ==
                Approx(word.map.mask[l] / static_cast<double>(unmasked)).margin(1e-7));
      }
      // A mean over what is unmasked is uniform, however few regions that is.
      const AttentionHealth health = attention_health({&caption, 1});
      CHECK((unmasked == 1 || health.entropy == Approx(1)));
      CHECK(std::abs(health.coverage_excess) < 1e-9);
    }
  CHECK(narrow > 0);

  config = with_vit(aspects.config("soft"));
  config.attention.heads = 2;
  config.encoder.refine.layers = 1;
  const Experiment vit(config);
  const std::vector<Index> images = some(vit);
  const InputBatch first = vit.inputs.batch(std::span(images).first(1));
  const std::vector<std::uint8_t> mask = vit.model.mask(first.view());
  REQUIRE(std::count(mask.begin(), mask.end(), 0) > 0);
  const InputView view = first.view();
  const DecodedCaption caption =
      EncodedPictures(vit.model, {&view, 1})
          .caption(search_options(vit.config, vit.config.search, vit.model.vocabulary()), 0)[0];
  for (const DecodedWord& word : caption.words) {
    REQUIRE(word.parts.size() == 2);
    for (const AttentionMap& map : word.parts) {
      CHECK(map.mask == mask);
      for (std::size_t l = 0; l < 16; ++l)
        if (map.masked(l)) CHECK(map.weights[l] == 0);
    }
  }
  const EncoderMaps maps = encoder_maps(vit.model, view);
  CHECK(maps.mask == mask);
  for (const auto* all : {&maps.tokens, &maps.regions})
    for (const LayerMap& map : *all) {
      const Index skipped = map.weights.shape()[1] - 16;  // tokens without a place
      for (Index t = 0; t < map.weights.shape()[0]; ++t)
        for (Index l = 0; l < 16; ++l)
          if (mask[static_cast<std::size_t>(l)] == 0)
            CHECK(map.weights.view().row(t)[skipped + l] == 0);
    }
  // The measures of a model are the same with other pixels in the padding.
  CHECK(std::isfinite(
      measure_perplexity(vit.model, vit.data.dataset, vit.inputs, images, {}).value()));
  CHECK(patch_norms(vit.model, vit.inputs, images)->patches <
        16 * static_cast<Index>(images.size()));
  const HeadProfiles profiles = head_profiles(vit.model, vit.data.dataset, vit.inputs, images);
  REQUIRE_FALSE(profiles.heads.empty());
  for (const ProfiledHead& head : profiles.heads) CHECK(head.profile.entropy <= 1 + 1e-6);
  const GradientFlow flow =
      measure_gradient_flow(vit.model, vit.data.dataset, vit.inputs, std::span(images).first(1));
  CHECK(flow.pairs == flow.words * std::count(mask.begin(), mask.end(), 1));
  const Tensor vectors = image_vectors(vit.model, vit.inputs, images);
  for (const Real x : vectors.span()) CHECK(std::isfinite(x));
}

TEST_CASE("a localizer's maps lie on the picture, also those of words that it does not know") {
  const Aspects aspects;
  ExperimentConfig config = aspects.config("soft");
  config.supervision.localizer = {.weight = 1, .hidden = 4};
  const Experiment experiment(config);
  const std::vector<Index> images = some(experiment);
  const InputBatch batch = experiment.inputs.batch(images);
  const std::vector<std::uint8_t> mask = experiment.model.mask(batch.view());
  REQUIRE(std::count(mask.begin(), mask.end(), 0) > 0);
  std::vector<std::vector<DecodedCaption>> captions;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto first = mask.begin() + static_cast<std::ptrdiff_t>(16 * i);
    DecodedCaption& caption = captions.emplace_back().emplace_back();
    for (const Index id : {Vocabulary::kUnk, Vocabulary::kSpecials})
      caption.words.push_back({.id = static_cast<int>(id),
                               .map = {.weights = std::vector<float>(16),
                                       .layout = {{4, 4}},
                                       .mask = {first, first + 16}}});
  }
  show_localizer_maps(experiment.model, batch.view(), captions);
  for (const std::vector<DecodedCaption>& of_image : captions) {
    const AttentionMap &unknown = of_image[0].words[0].map, &known = of_image[0].words[1].map;
    double sum = 0;
    for (std::size_t cell = 0; cell < 16; ++cell) {
      CHECK(unknown.weights[cell] ==
            (unknown.masked(cell) ? 0.0F : 1 / static_cast<float>(unmasked_cells(unknown))));
      if (known.masked(cell)) CHECK(known.weights[cell] == 0);
      sum += static_cast<double>(known.weights[cell]);
    }
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("a decoder starts from the class token if the config asks for it") {
  ExperimentConfig config = with_vit(small_experiment());
  const Experiment mean(config);
  config.encoder.pooled = PooledKind::kClassToken;
  const Experiment token(config);
  const std::vector<Index> images = some(token);
  const InputBatch batch = token.inputs.batch(std::span(images).first(3));
  const auto encoded = [&](const Experiment& experiment, auto use) {
    TestTape tape(experiment.model.parameters().views());
    use(tape, experiment.model.encode(tape, batch.view()));
  };
  encoded(mean, [](Tape&, const EncodedImages& seen) { CHECK_FALSE(seen.pooled); });
  encoded(token, [&](Tape& tape, const EncodedImages& seen) {
    REQUIRE(seen.pooled);
    CHECK(seen.pooled.shape() == Shape({3, 8}));
    // The first token behind the last block, normalised as the regions are.
    const TokenEncoder& vit = *token.model.encoder()->token_encoder();
    const Var last = vit.last_tokens(tape, tape.constant(batch.view().values), {});
    for (Index b = 0; b < 3; ++b) {
      const Real* row = last.value().row(b * (16 + 2));
      double sum = 0, square = 0;
      for (Index d = 0; d < 8; ++d) sum += static_cast<double>(row[d]) / 8;
      for (Index d = 0; d < 8; ++d)
        square += (static_cast<double>(row[d]) - sum) * (static_cast<double>(row[d]) - sum) / 8;
      const ParameterStore& store = token.model.parameters();
      const ConstView gain = store.value(store.find("encoder.norm.gain")),
                      shift = store.value(store.find("encoder.norm.shift"));
      for (Index d = 0; d < 8; ++d)
        CHECK(static_cast<double>(seen.pooled.value().row(b)[d]) ==
              Approx((static_cast<double>(row[d]) - sum) / std::sqrt(square + 1e-6) *
                         static_cast<double>(gain[d]) +
                     static_cast<double>(shift[d]))
                  .margin(1e-4));
    }
  });
  const InputView view = batch.view();
  const SearchOptions options = search_options(config, config.search, token.model.vocabulary());
  const std::vector<DecodedCaption> by_token = EncodedPictures(token.model, {&view, 1})
                                                   .caption(options, 0),
                                    by_mean =
                                        EncodedPictures(mean.model, {&view, 1}).caption(options, 0);
  CHECK(by_token[0].log_prob != by_mean[0].log_prob);
}

}  // namespace saccade::test
