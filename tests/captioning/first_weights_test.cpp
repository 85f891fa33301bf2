// What the decoder's words start from: vectors of a file are copied into the rows of their words
// and nowhere else, and stay there where they are frozen.
#include "captioning/runs/first_weights.h"

#include "core/optim/optimizer.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

TEST_CASE(
    "word vectors are copied into the rows of their words, and are trained unless they are "
    "frozen") {
  const bool frozen = GENERATE(false, true);
  const TempFolder folder("first-weights");
  folder.write("v.txt", "circle 1 2 3 4 5 6\nred -1 -2 -3 -4 -5 -6\nunheard 9 9 9 9 9 9\n");
  ExperimentConfig config = small_experiment();
  config.decoder.embeddings = {
      .source = EmbeddingSource::kFile, .file = (folder / "v.txt").string(), .frozen = frozen};
  Experiment experiment(config);
  CaptionModel& model = experiment.model;
  const TrainingSet set(experiment.data, config.data, model.vocabulary(), {});
  const ParameterStore& store = model.parameters();
  const auto table = [&] {
    const std::span<const Real> values =
        store.value(model.decoder().word_parameters().embedding).span();
    return std::vector<Real>(values.begin(), values.end());
  };
  std::vector<Real> wanted = table();
  const auto put = [&](const char* word, Real sign) {
    const auto id = static_cast<std::size_t>(model.vocabulary().id(word));
    REQUIRE(id > static_cast<std::size_t>(Vocabulary::kUnk));
    for (std::size_t d = 0; d < 6; ++d) wanted[id * 6 + d] = sign * static_cast<Real>(d + 1);
  };
  put("circle", 1);
  put("red", -1);
  CHECK(start_embedding(config, set, model).find("embedding: 2 of ") == 0);
  CHECK(table() == wanted);

  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  TrainStep step(model, *optimizer, config, 1);
  const TrainBatch batch = make_batch(plan_epoch(set.items(), {.batch = 24, .shard = 8}, 0).at(0),
                                      set, experiment.inputs, 1, 0);
  const double first = step.run(batch, 1, 1e-2).nll_per_word;
  CHECK(step.run(batch, 2, 1e-2).nll_per_word < first);
  CHECK((table() == wanted) == frozen);
}

}  // namespace
}  // namespace saccade::test
