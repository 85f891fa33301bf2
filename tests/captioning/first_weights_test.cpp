// What the decoder's words start from: vectors of a file or of TF-IDF are copied into the rows of
// their words and nowhere else, and stay there where they are frozen.
#include "captioning/learning/runs/first_weights.h"

#include <algorithm>
#include <cmath>

#include "captioning/model/vocabulary/word_vectors.h"
#include "captioning/scoring/words/tokenizer.h"
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
  std::string told;
  start_embedding(config, set, model, [&](Severity severity, const std::string& text) {
    told = text;
    CHECK(severity == Severity::kWarning);  // most words of the scenes are not in the file
  });
  CHECK(told.starts_with("embedding: 2 of "));
  CHECK(table() == wanted);

  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  TrainStep step(model, *optimizer, config, 1);
  const TrainBatch batch = make_batch(plan_epoch(set.items(), {.batch = 24, .shard = 8}, 0).at(0),
                                      set, experiment.inputs, 1, 0);
  const double first = step.run(batch, 1, 1e-2).nll_per_word;
  CHECK(step.run(batch, 2, 1e-2).nll_per_word < first);
  CHECK((table() == wanted) == frozen);
}

// The decoder's embedding.
std::vector<Real> table_of(const CaptionModel& model) {
  const std::span<const Real> values =
      model.parameters().value(model.decoder().word_parameters().embedding).span();
  return {values.begin(), values.end()};
}

TEST_CASE(
    "random vectors stay what they are, and those of TF-IDF come from the captions that train") {
  ExperimentConfig config = small_experiment();
  Experiment experiment(config);
  const TrainingSet set(experiment.data, config.data, experiment.model.vocabulary(), {});
  const std::vector<Real> random = table_of(experiment.model);
  std::string told;
  const MessageListener listener = [&](Severity severity, const std::string& text) {
    told = text;
    CHECK(severity == Severity::kInfo);
  };
  start_embedding(config, set, experiment.model, listener);
  CHECK(told.empty());
  CHECK(table_of(experiment.model) == random);

  config.decoder.embeddings.source = EmbeddingSource::kTfidf;
  Experiment other(config);
  CHECK(table_of(other.model) == random);  // the random vectors do not depend on the source
  start_embedding(config, set, other.model, listener);
  CHECK(told.find("by TF-IDF") != std::string::npos);
  // The captions as they are learned, from the data set itself.
  const Vocabulary& vocabulary = other.model.vocabulary();
  std::vector<std::vector<Index>> captions;
  for (const CaptionedImage& image : other.data.dataset.images) {
    if (image.split != Split::kTrain) continue;
    for (const std::string& text : image.captions)
      captions.push_back(vocabulary.encode(tokenize(text)));
  }
  const WordVectors vectors = tfidf_vectors(captions, vocabulary, config.decoder.embedding,
                                            static_cast<std::uint64_t>(config.seed));
  const std::vector<Real> table = table_of(other.model);
  const auto width = static_cast<std::size_t>(config.decoder.embedding);
  Index copied = 0;
  for (std::size_t word = 0; word < vectors.found.size(); ++word) {
    double most = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const std::size_t at = word * width + d;
      const Real wanted = vectors.found[word] ? static_cast<Real>(vectors.values[at]) : random[at];
      most = std::max(most, std::abs(static_cast<double>(table[at] - wanted)));
    }
    INFO(vocabulary.word(static_cast<Index>(word)));
    CHECK(most < 1e-6);
    if (vectors.found[word]) ++copied;
  }
  CHECK(copied > 5);
  CHECK(table != random);
}

TEST_CASE(
    "frozen vectors of every source keep their bits, also with decay and averages of weights") {
  const TempFolder folder("frozen-words");
  folder.write("v.txt", "circle 1 2 3 4 5 6\nred -1 -2 -3 -4 -5 -6\n");
  for (const EmbeddingSource source :
       {EmbeddingSource::kRandom, EmbeddingSource::kTfidf, EmbeddingSource::kFile})
    for (const bool frozen : {false, true}) {
      ExperimentConfig config = small_experiment();
      config.decoder.embeddings = {
          .source = source, .file = (folder / "v.txt").string(), .frozen = frozen};
      config.optimizer.type = OptimizerKind::kAdamw;
      config.optimizer.weight_decay = 0.1;
      config.optimizer.ema = 0.9;
      Experiment experiment(config);
      CaptionModel& model = experiment.model;
      const TrainingSet set(experiment.data, config.data, model.vocabulary(), {});
      start_embedding(config, set, model);
      const std::vector<Real> before = table_of(model);
      const auto optimizer = make_optimizer(config.optimizer, model.parameters());
      TrainStep step(model, *optimizer, config, 1);
      const TrainBatch batch =
          make_batch(plan_epoch(set.items(), {.batch = 24, .shard = 8}, 0).at(0), set,
                     experiment.inputs, 1, 0);
      const std::span<const Real> all = model.parameters().flat().span();
      const std::vector<Real> whole(all.begin(), all.end());
      for (Index update = 1; update <= 3; ++update) step.run(batch, update, 1e-2);
      INFO(enum_name(source) << (frozen ? ", frozen" : ""));
      CHECK((table_of(model) == before) == frozen);
      const std::span<const Real> after = model.parameters().flat().span();
      CHECK_FALSE(std::equal(whole.begin(), whole.end(), after.begin()));  // the rest learns
    }
}

}  // namespace
}  // namespace saccade::test
