// How a captioner is put together from a config.
#include "captioning/model.h"

#include <algorithm>

#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"

namespace saccade {

using Catch::Matchers::Contains;

TEST_CASE("an encoder learns at its own rate, from the stage on that is not frozen") {
  ExperimentConfig config = test::small_experiment(SelectionKind::kSoft);
  const auto rate = [&](const std::string& name) {
    const Captioner model(config, Vocabulary(), {});
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

TEST_CASE("the frozen stages of every encoder are those nearest the pixels") {
  ExperimentConfig config = test::small_experiment(SelectionKind::kSoft);
  config.encoder.vit.width = 12;
  config.encoder.vit.patch = 2;
  const test::TempFolder folder("model-stages");
  test::save_small_onnx(folder / "small.onnx");
  for (const auto& encoder : enum_table(EncoderKind{})) {
    if (encoder.value == EncoderKind::kOnnx) continue;  // no part of it is the model's
    INFO(encoder.name);
    config.encoder.type = encoder.value;
    const bool imported = encoder.value == EncoderKind::kOnnxNative;
    config.encoder.model = imported ? (folder / "small.onnx").string() : "";
    config.encoder.layer = imported ? "last" : "";
    config.encoder.frozen_stages = 0;
    const auto stages = Captioner(config, Vocabulary(), {}).encoder()->stages();
    config.encoder.frozen_stages = 1;
    const Captioner model(config, Vocabulary(), {});
    Index frozen = 0;
    for (const ParameterInfo& info : model.parameters().infos()) {
      const bool first = std::any_of(
          stages[0].prefixes.begin(), stages[0].prefixes.end(),
          [&](const std::string& p) { return info.name.starts_with("encoder." + p + "."); });
      const bool statistic = info.name.find(".running_") != std::string::npos;
      CHECK((info.rate == 0) == (first || statistic));
      frozen += first;
    }
    CHECK(frozen > 0);
  }
}

TEST_CASE("what padding and pooling cannot be joined with is refused with its reason") {
  const auto refused = [](auto change, const char* reason) {
    ExperimentConfig config = test::small_experiment(SelectionKind::kSoft);
    config.encoder.type = EncoderKind::kVit;
    config.encoder.vit = {.width = 8, .layers = 1, .heads = 2, .patch = 8};
    change(config);
    CHECK_THROWS_WITH(Captioner::check(config), Contains(reason));
  };
  const auto token = [](auto change) {
    return [change](ExperimentConfig& config) {
      config.encoder.pooled = PooledKind::kClassToken;
      change(config);
    };
  };
  refused(token([](ExperimentConfig& c) { c.encoder.type = EncoderKind::kCnn; }),
          "cnn has no class token");
  refused(token([](ExperimentConfig& c) { c.encoder.vit.class_token = false; }),
          "needs encoder.vit.class_token true");
  refused(token([](ExperimentConfig& c) { c.encoder.frozen_stages = -1; }),
          "needs an encoder that is trained");
  refused(token([](ExperimentConfig& c) { c.decoder.type = DecoderKind::kTransformer; }),
          "a transformer has no first state");
  const auto pad = [](auto change) {
    return [change](ExperimentConfig& config) {
      config.encoder.resize = ResizeKind::kPad;
      change(config);
    };
  };
  refused(pad([](ExperimentConfig& c) { c.attention.mechanism = MechanismKind::kLinformer; }),
          "does not go with attention.mechanism linformer: it mixes all regions");
  refused(pad([](ExperimentConfig& c) {
            c.encoder.refine.layers = 1;
            c.encoder.refine.type = SequenceAttentionKind::kLinformer;
          }),
          "does not go with encoder.refine.type linformer");
  // An input that does not say where its picture is cannot be read.
  ExperimentConfig config = test::small_experiment(SelectionKind::kSoft);
  config.encoder.resize = ResizeKind::kPad;
  const Captioner model(config, Vocabulary(), {});
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.parameters().views());
  const Tensor pixels({1, 32, 32, 3});
  CHECK_THROWS_AS(model.encode(tape, pixels.view()), ShapeError);
}

}  // namespace saccade
