// How a captioner is put together from a config.
#include "captioning/model.h"

#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

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

}  // namespace saccade
