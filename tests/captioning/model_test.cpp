// How a captioner is put together from a config.
#include "captioning/model/model.h"

#include "captioning/learning/config/learning_rates.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/model_parameters.h"
#include "captioning/model/decoders/decoder_parts.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "tests/captioning/small_encoders.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

using Catch::Matchers::Contains;

namespace {

CaptionModel with_rates(const ExperimentConfig& config) {
  CaptionModel model(config, Vocabulary(), {});
  set_learning_rates(config, model.parameters());
  return model;
}

}  // namespace

TEST_CASE("an encoder learns at its own rate, from the first stage on that is not frozen") {
  ExperimentConfig config = test::small_experiment();
  const auto rate = [&](const std::string& name) {
    const CaptionModel model = with_rates(config);
    return model.parameters().info(model.parameters().find(name)).rate;
  };
  CHECK(rate("encoder.stage1.conv.weight") == 1);
  config.encoder.lr = 1e-5;
  config.optimizer.lr = 1e-3;
  config.encoder.frozen_stages = 2;
  CHECK(rate("encoder.stage2.norm.gain") == 0);
  CHECK(rate("encoder.stage3.conv.weight") == Approx(0.01));
  CHECK(rate("decoder.embedding") == 1);
  config.encoder.frozen_stages = 5;
  CHECK_THROWS_WITH(rate("decoder.embedding"), Contains("encoder.type cnn has 4 stages"));
}

TEST_CASE("parameters that only supervise attention say so, and a run may start without them") {
  const test::TempFolder folder("model-supervision");
  ExperimentConfig config = test::small_experiment();
  const std::set<std::string> none = supervision_parameters(config, Vocabulary(), {});
  CHECK(none.empty());
  CaptionModel plain(config, Vocabulary(), {});
  config.supervision.localizer.weight = 1;
  CaptionModel model(config, Vocabulary(), {});
  const std::set<std::string> names = supervision_parameters(config, Vocabulary(), {});
  std::set<std::string> scopes;
  for (const ParameterInfo& info : model.parameters().infos()) {
    INFO(info.name);
    // What the model has without supervision is what it needs to caption.
    CHECK((info.use == ParameterUse::kModel) == (plain.parameters().find(info.name) >= 0));
    CHECK((info.use == ParameterUse::kSupervision) == names.contains(info.name));
    if (info.use == ParameterUse::kSupervision)
      scopes.insert(info.name.substr(0, info.name.find('.')));
  }
  CHECK(scopes == std::set<std::string>{"localizer"});
  // In both directions: a model leaves them, and a model has some of its own.
  const auto archive_of = [&](const ExperimentConfig& of, CaptionModel& from) {
    const auto optimizer = make_optimizer(of.optimizer, from.parameters());
    const std::filesystem::path path = folder / "saved.h5";
    save_archive(path, checkpoint_archive(of, from, {}, {"", "", ""}, *optimizer, {}));
    return load_archive(path);
  };
  ExperimentConfig unsupervised = config;
  unsupervised.objective = {};
  CaptionModel first(unsupervised, Vocabulary(), {}), second(config, Vocabulary(), {});
  CHECK_NOTHROW(
      take_weights(archive_of(config, model), {"", "", ""}, first, EncoderWeights::kCheckpoint));
  CHECK_NOTHROW(take_weights(archive_of(unsupervised, plain), {"", "", ""}, second,
                             EncoderWeights::kCheckpoint));
  // Other parameters may not be missing.
  ExperimentConfig tied = unsupervised;
  CaptionModel whole(tied, Vocabulary(), {});
  tied.decoder.tie_embeddings = true;
  CaptionModel without(tied, Vocabulary(), {});
  CHECK_THROWS_WITH(
      take_weights(archive_of(tied, whole), {"", "", ""}, without, EncoderWeights::kCheckpoint),
      Contains("decoder.output.vocabulary is not in the model"));
}

TEST_CASE("the traits of every encoder are those of its network") {
  const test::TempFolder folder("model-traits");
  test::save_small_onnx(folder / "small.onnx");
  for (const auto& encoder : encoder_registry().rows()) {
    INFO(encoder.name);
    ExperimentConfig config = test::small_experiment();
    test::set_small_encoder(encoder.name, folder, config.encoder);
    const EncoderTraits traits = encoder_traits(config.encoder);
    CHECK(traits.reads_onnx_file == !config.encoder.model.empty());
    CHECK(traits.reads_features == is_frozen(config.encoder));
    if (traits.reads_features) {
      CHECK_FALSE(traits.has_tokens);
      continue;
    }
    const CaptionModel model(config, Vocabulary(), {});
    CHECK(traits.has_tokens == (model.encoder()->token_encoder() != nullptr));
  }
  CHECK(encoders_with([](const EncoderTraits& one) { return one.has_tokens; }) ==
        "vit, hybrid or text_transformer");
  CHECK(encoders_with([](const EncoderTraits& one) { return one.can_have_class_token(); }) ==
        "vit, hybrid or features");
  CHECK(encoders_with([](const EncoderTraits& one) { return one.reads_text; }) ==
        "bigru or text_transformer");
}

TEST_CASE(
    "every parameter of an encoder is in one stage, and those that are frozen are the first ones") {
  ExperimentConfig config = test::small_experiment();
  config.encoder.vit.width = 12;
  config.encoder.vit.patch = 2;
  const test::TempFolder folder("model-stages");
  test::save_small_onnx(folder / "small.onnx");
  for (const auto& encoder : encoder_registry().rows()) {
    if (encoder.name == "features") continue;  // no part of it belongs to the model
    INFO(encoder.name);
    config.encoder.type = encoder.name;
    const bool imported = encoder.name == "onnx_native";
    config.encoder.model = imported ? (folder / "small.onnx").string() : "";
    config.encoder.layer = imported ? "last" : "";
    config.encoder.weights = encoder.name == "hub" ? SACCADE_PUBLISHED_VIT : "";
    config.encoder.frozen_stages = 0;
    const auto stages = CaptionModel(config, Vocabulary(), {}).encoder()->stages();
    config.encoder.frozen_stages = 1;
    const CaptionModel model(config, Vocabulary(), {});
    Index frozen = 0;
    for (const ParameterInfo& info : model.parameters().infos()) {
      const bool first = std::any_of(
          stages[0].prefixes.begin(), stages[0].prefixes.end(),
          [&](const std::string& p) { return info.name.starts_with("encoder." + p + "."); });
      Index owners = 0;
      for (const EncoderStage& stage : stages)
        owners += std::ranges::count_if(stage.prefixes, [&](const std::string& p) {
          return info.name.starts_with("encoder." + p + ".");
        });
      // Behind the last block of a transformer stands a normalisation.
      if (info.name.starts_with("encoder."))
        CHECK(owners == (info.name.starts_with("encoder.norm.") ? 0 : 1));
      const bool statistic = info.name.find(".running_") != std::string::npos;
      CHECK((info.rate == 0) == (first || statistic));
      frozen += first;
    }
    CHECK(frozen > 0);
  }
}

TEST_CASE("what cannot be combined with padding or pooling is refused with a reason") {
  const auto refused = [](auto change, const char* reason) {
    ExperimentConfig config = test::small_experiment();
    config.encoder.type = "vit";
    config.encoder.vit = {.width = 8, .layers = 1, .heads = 2, .patch = 8};
    change(config);
    CHECK_THROWS_WITH(CaptionModel::check(config), Contains(reason));
  };
  const auto token = [](auto change) {
    return [change](ExperimentConfig& config) {
      config.encoder.pooled = PooledKind::kClassToken;
      change(config);
    };
  };
  refused(token([](ExperimentConfig& c) { c.encoder.type = "cnn"; }), "cnn has no class token");
  refused(token([](ExperimentConfig& c) { c.encoder.vit.class_token = false; }),
          "needs encoder.vit.class_token true");
  refused(token([](ExperimentConfig& c) { c.encoder.positions = PositionKind::kCoordinates; }),
          "needs other encoder.positions than coordinates");
  refused(token([](ExperimentConfig& c) { c.encoder.frozen_stages = -1; }),
          "needs an encoder that is trained");
  refused(token([](ExperimentConfig& c) { c.decoder.type = "transformer"; }),
          "decoder.type transformer has no first state");
  refused(token([](ExperimentConfig& c) { c.decoder.first_state = FirstState::kNone; }),
          "needs decoder.first_state pooled, or decoder.image attention_and_pooled, every_word or "
          "first_step");
  ExperimentConfig prefix = test::small_experiment();
  prefix.encoder.type = "vit";
  prefix.encoder.vit = {.width = 8, .layers = 1, .heads = 2, .patch = 8};
  prefix.encoder.pooled = PooledKind::kClassToken;
  prefix.decoder.type = "transformer";
  prefix.decoder.heads = 2;
  prefix.decoder.image = ImageEntry::kFirstStep;
  CHECK_NOTHROW(CaptionModel::check(prefix));
  const auto pad = [](auto change) {
    return [change](ExperimentConfig& config) {
      config.encoder.resize = ResizeMode::kPad;
      change(config);
    };
  };
  refused(pad([](ExperimentConfig& c) { c.attention.mechanism = "linformer"; }),
          "cannot be combined with attention.mechanism linformer: it mixes all regions");
  refused(pad([](ExperimentConfig& c) {
            c.encoder.refine.layers = 1;
            c.encoder.refine.type = "linformer";
          }),
          "cannot be combined with encoder.refine.type linformer");
  // An input without the place of its picture cannot be read.
  ExperimentConfig config = test::small_experiment();
  config.encoder.resize = ResizeMode::kPad;
  const CaptionModel model(config, Vocabulary(), {});
  test::TestTape tape(model.parameters().views());
  const Tensor pixels({1, 32, 32, 3});
  CHECK_THROWS_AS(model.encode(tape, pixels.view()), ShapeError);
}

TEST_CASE("groups of parameters learn at their rate times a factor") {
  ExperimentConfig config = test::small_experiment();
  config.encoder.lr = 1e-5;
  config.optimizer.lr = 1e-3;
  config.encoder.frozen_stages = 1;
  config.optimizer.groups = {{.prefix = "decoder", .factor = 0.5},
                             {.prefix = "encoder", .factor = 3},
                             {.prefix = "decoder.attention", .factor = 10},
                             {.prefix = "decoder.embedding", .factor = 0}};
  const CaptionModel model = with_rates(config);
  const auto rate = [&](const std::string& name) {
    return model.parameters().info(model.parameters().find(name)).rate;
  };
  CHECK(rate("decoder.lstm.word") == 0.5);
  Index attention = 0;
  for (const ParameterInfo& info : model.parameters().infos())
    if (info.name.starts_with("decoder.attention.")) {
      CHECK(info.rate == 10);  // by the longer prefix, not by both
      ++attention;
    }
  CHECK(attention > 2);
  CHECK(rate("decoder.embedding") == 0);
  const int embedding = model.parameters().find("decoder.embedding");
  CHECK(model.parameters().trained()[static_cast<std::size_t>(embedding)] == 0);
  CHECK(rate("encoder.stage1.conv.weight") == 0);  // what is frozen stays frozen
  CHECK(rate("encoder.stage3.conv.weight") == Approx(0.03));
  config.optimizer.groups = {{.prefix = "decoder.atention", .factor = 2}};
  CHECK_THROWS_WITH(with_rates(config),
                    Contains("no parameter's name starts with 'decoder.atention' (did you mean "
                             "'decoder.attention'?); there are encoder, encoder.stage1") &&
                        Contains("decoder.lstm"));
  // A prefix ends where a part of a name ends.
  config.optimizer.groups = {{.prefix = "decoder.att", .factor = 2}};
  CHECK_THROWS_AS(with_rates(config), UsageError);
}

TEST_CASE("numbers and regions of the grid are dropped only in training, and the mean stays") {
  ExperimentConfig config = test::small_experiment();
  const auto encode = [&](bool training, std::uint64_t step = 1) {
    const CaptionModel model(config, Vocabulary(), {});
    test::TestTape tape(model.parameters().views());
    tape.set_training(training);
    tape.set_random(1, step, 0);
    Tensor pixels({40, 32, 32, 3});
    for (Index i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<Real>(std::sin(static_cast<double>(i % 3072)));
    const ConstView features = model.encode(tape, pixels.view()).features.value();
    return Tensor(features.shape, features.span());
  };
  const Tensor plain = encode(false);
  const auto same = [](const Tensor& a, const Tensor& b) {
    return std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end());
  };
  REQUIRE(same(plain, encode(true)));
  const Index width = plain.shape()[2];
  for (const bool regions : {false, true}) {
    INFO("regions " << regions);
    config.encoder.feature_dropout = regions ? 0 : 0.25;
    config.encoder.region_dropout = regions ? 0.25 : 0;
    CHECK(same(plain, encode(false)));
    const Tensor dropped = encode(true);
    CHECK(same(dropped, encode(true)));
    CHECK_FALSE(same(dropped, encode(true, 2)));
    Index lost = 0, count = 0, whole = 0;
    for (Index r = 0; r < plain.size() / width; ++r) {
      Index in_region = 0, there = 0;
      for (Index d = 0; d < width; ++d) {
        const Index i = r * width + d;
        if (plain[i] == 0) continue;
        ++there;
        if (dropped[i] == 0)
          ++in_region;
        else
          CHECK(dropped[i] == Approx(plain[i] / 0.75).epsilon(1e-5));
      }
      lost += in_region, count += there;
      whole += there > 1 && in_region != 0 && in_region != there;
    }
    REQUIRE(count > 1000);
    CHECK(std::abs(static_cast<double>(lost) / static_cast<double>(count) - 0.25) < 0.05);
    CHECK(
        (regions ? whole == 0 : whole > 0));  // regions are dropped as a whole, numbers one by one
  }
}

TEST_CASE("a checkpoint keeps how the image enters and the options of training") {
  const test::TempFolder folder("model-entry");
  for (const auto& kind : decoder_registry().rows())
    for (const auto& image : enum_table(ImageEntry{})) {
      INFO(kind.name << ", " << image.name);
      ExperimentConfig config = test::small_experiment();
      config.decoder.type = kind.name;
      config.decoder.heads = 2, config.decoder.layers = 1;
      config.decoder.image = image.value;
      config.optimizer.groups = {{.prefix = "decoder", .factor = 0.5}};
      config.objective.coverage = {
          .scale = CoverageScale::kMean, .target = CoverageTarget::kAtLeast, .tau = 0.25};
      if (!config.decoder.attends()) config.attention = {};
      if (image.value == ImageEntry::kPrefix && !decoder_traits(config.decoder).attends_to_words) {
        CHECK_THROWS_AS(check_decoder(config.decoder, config.attention), UsageError);
        continue;
      }
      test::Experiment experiment(config);
      const auto optimizer = make_optimizer(config.optimizer, experiment.model.parameters());
      save_archive(folder / "checkpoint",
                   checkpoint_archive(config, experiment.model, {}, {}, *optimizer, {}));
      const LoadedModel loaded = load_model(folder / "checkpoint");
      CHECK(config_differences(config, loaded.config).empty());
      CHECK(loaded.model->has_attention() == config.decoder.attends());
      const auto decoded = experiment.run(Split::kVal, 4).regimes[0].captions;
      const auto again = evaluate(*loaded.model, experiment.data, experiment.inputs,
                                  experiment.request(Split::kVal, 4))
                             .regimes[0]
                             .captions;
      REQUIRE(decoded.size() == again.size());
      for (std::size_t c = 0; c < decoded.size(); ++c)
        CHECK(decoded[c].log_prob == again[c].log_prob);
    }
}

}  // namespace saccade
