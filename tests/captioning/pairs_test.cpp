// Every encoder with every decoder, soft and hard: ten steps on one batch lower its loss.
#include "captioning/learning/training/training_set.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "core/optim/optimizer.h"
#include "tests/captioning/small_encoders.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {
namespace {

ExperimentConfig pair(const std::string& encoder, const std::string& decoder,
                      const std::string& selection, const test::TempFolder& folder) {
  ExperimentConfig config = test::small_experiment(selection);
  config.data.scenes.train = 6;
  config.data.scenes.val = 1;
  config.data.scenes.test = 1;
  test::set_small_encoder(encoder, folder, config.encoder);
  test::set_readable_data(config.encoder, config.data);
  config.decoder.type = decoder;
  config.decoder.embedding = config.decoder.hidden;
  config.decoder.layers = 1;
  config.decoder.heads = 2;
  config.optimizer.lr = 3e-3;
  config.optimizer.clip_norm = 5;
  return config;
}

}  // namespace

TEST_CASE("every pair of encoder and decoder trains, soft and hard") {
  const test::TempFolder folder("pairs");
  test::save_small_onnx(folder / "small.onnx");
  for (const auto& encoder : encoder_registry().rows())
    for (const auto& decoder : decoder_registry().rows())
      for (const std::string selection : {"soft", "hard"}) {
        INFO(encoder.name << ", " << decoder.name << ", " << selection);
        ExperimentConfig config = pair(encoder.name, decoder.name, selection, folder);
        const LoadedData data = load_data(config.data);
        config = with_source_words(config, data);
        const InputPipeline pipeline(config.encoder);
        const DatasetInputs inputs(data, pipeline, config.encoder, {});
        CaptionModel model(config, training_vocabulary(data, config.data), pipeline.frozen_grid());
        const TrainingSet set(data, config.data, model.vocabulary(), {});
        const TrainBatch batch = make_batch(
            plan_epoch(set.items(),
                       {.batch = 6, .shard = 3, .captions = CaptionsPerEpoch::kOnePerImage}, 0)
                .at(0),
            set, inputs, 1, 0);
        const auto optimizer = make_optimizer(config.optimizer, model.parameters());
        TrainStep step(model, *optimizer, config, 1);
        double first = 0, last = 0;
        for (Index update = 0; update < 10; ++update) {
          last = step.run(batch, update + 1, config.optimizer.lr).nll_per_word;
          if (update == 0) first = last;
        }
        CHECK(std::isfinite(last));
        CHECK(last < first);
      }
}

}  // namespace saccade
