// A run that starts from a checkpoint with another vocabulary.
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/model_parameters.h"
#include "captioning/learning/runs/word_rows.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/inspection/model_heads.h"
#include "captioning/study/inspection/word_neighbours.h"
#include "core/io/checkpoint.h"
#include "core/optim/optimizer.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Contains;

Vocabulary words(const std::vector<std::string>& own) {
  std::vector<std::string> all = Vocabulary().words();
  all.insert(all.end(), own.begin(), own.end());
  return Vocabulary(all);
}

// With other numbers in every array than initialisation gives, which makes biases 0.
CaptionModel trained(const ExperimentConfig& config, const Vocabulary& vocabulary) {
  CaptionModel model(config, vocabulary, {});
  const std::span<Real> numbers = model.parameters().flat().span();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] += static_cast<Real>(i % 1009) / 64 + 1;
  return model;
}

Archive saved(const ExperimentConfig& config, const CaptionModel& model) {
  const test::TempFolder folder("word-rows");
  CaptionModel copy(config, model.vocabulary(), {});
  std::ranges::copy(model.parameters().flat().span(), copy.parameters().flat().data());
  const auto optimizer = make_optimizer(config.optimizer, copy.parameters());
  save_archive(folder / "saved.h5",
               checkpoint_archive(config, copy, {}, {"", "", ""}, *optimizer, {}));
  return load_archive(folder / "saved.h5");
}

ConstView array(const CaptionModel& model, const std::string& name) {
  const int parameter = model.parameters().find(name);
  REQUIRE(parameter >= 0);
  return model.parameters().value(parameter);
}

// What an array has at one place of an axis, of up to two.
std::vector<Real> at(const ConstView& values, int axis, Index place) {
  const Index rows = values.shape[0], columns = values.shape.rank() > 1 ? values.shape[1] : 1;
  std::vector<Real> out;
  for (Index i = 0; i < rows * columns; ++i)
    if ((axis == 0 ? i / columns : i % columns) == place) out.push_back(values.data[i]);
  return out;
}

TEST_CASE("the weights of words go to the places that the words have in the new vocabulary") {
  const Vocabulary before = words({"a", "dog", "red", "cat"}),
                   now = words({"red", "bird", "a", "ball", "tree", "cat"});
  for (const bool tied : {false, true}) {
    INFO("tied: " << tied);
    ExperimentConfig config = test::small_experiment();
    config.decoder.tie_embeddings = tied;
    config.supervision.localizer.weight = 1;
    const CaptionModel first = trained(config, before);
    config.seed = 2;
    const CaptionModel fresh(config, now, {});
    CaptionModel model(config, now, {});
    const std::optional<SharedWords> shared =
        take_weights(saved(config, first), {"", "", ""}, model, EncoderWeights::kCheckpoint);
    REQUIRE(shared);
    CHECK(shared->words() == 6);
    CHECK(shared->known() == 3);

    const auto axes = word_axes(config, {});
    CHECK(axes.contains("decoder.output.vocabulary") == !tied);
    CHECK(axes.at("decoder.embedding") == 0);
    CHECK(axes.at("decoder.output.vocabulary_bias") == 0);
    CHECK(axes.at("localizer.words") == 0);
    if (!tied) CHECK(axes.at("decoder.output.vocabulary") == 1);
    for (const ParameterInfo& info : model.parameters().infos()) {
      INFO(info.name);
      const ConstView got = array(model, info.name);
      if (!axes.contains(info.name)) {
        CHECK(std::ranges::equal(got.span(), array(first, info.name).span()));
        continue;
      }
      const int axis = axes.at(info.name);
      for (Index id = 0; id < now.size(); ++id) {
        INFO(now.word(id));
        const Index theirs = before.id(now.word(id));
        const bool known = theirs != Vocabulary::kUnk || id == Vocabulary::kUnk;
        // The shares of words in the captions are the run's own.
        const bool own = !known || info.name == "localizer.share";
        const auto row = at(got, axis, id);
        CHECK((row == at(array(fresh, info.name), axis, id)) == own);
        if (!own) CHECK(row == at(array(first, info.name), axis, theirs));
      }
    }
  }
}

TEST_CASE("with equal vocabularies all weights are taken as they are") {
  ExperimentConfig config = test::small_experiment();
  const CaptionModel first = trained(config, words({"a", "dog"}));
  config.seed = 2;
  CaptionModel model(config, words({"a", "dog"}), {});
  CHECK_FALSE(take_weights(saved(config, first), {"", "", ""}, model, EncoderWeights::kCheckpoint));
  CHECK(std::ranges::equal(array(model, "decoder.embedding").span(),
                           array(first, "decoder.embedding").span()));
  // As many words, in another order.
  CaptionModel turned(config, words({"dog", "a"}), {});
  CHECK(take_weights(saved(config, first), {"", "", ""}, turned, EncoderWeights::kCheckpoint));
  CHECK(at(array(turned, "decoder.embedding"), 0, 4) ==
        at(array(first, "decoder.embedding"), 0, 5));
}

TEST_CASE("what does not fit is said in few lines, with a remedy") {
  ExperimentConfig config = test::small_experiment();
  const Archive archive = saved(config, trained(config, words({"a", "dog"})));
  config.decoder.hidden = 16;
  CaptionModel wider(config, words({"a", "cat"}), {});
  const std::string text = test::message_of<CheckpointError>([&] {
    take_weights(archive, {"", "", "another"}, wider, EncoderWeights::kCheckpoint);
  });
  CHECK_THAT(text, Contains("saved.h5: does not fit this run (train.init_from)"));
  CHECK_THAT(text, Contains("frozen encoder is another; "));  // the checkpoint has no network
  CHECK_THAT(text, Contains("saccade new --from"));
  CHECK(std::ranges::count(text, '\n') == 3);
}

}  // namespace
}  // namespace saccade

// What the decoder's words start from: vectors of a file or of TF-IDF are copied into the rows of
// their words and nowhere else, and stay there where they are frozen.
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

// The words near a word: in an embedding that is made by hand, and before and after self-attention.
namespace saccade::test {
namespace {

using Captions = std::vector<std::string>;

WordNeighbours near(const Experiment& experiment, const std::string& word,
                    const Captions& captions = {}) {
  return word_neighbours(experiment.model, experiment.data.dataset, experiment.inputs,
                         evaluation_images(experiment.data.dataset, Split::kVal, 4),
                         {.word = word, .captions = captions, .count = 3});
}

std::string word_of(const Experiment& experiment, Index number) {
  return experiment.model.vocabulary().word(Vocabulary::kSpecials + number);
}

TEST_CASE("in the embedding the nearest word is the one whose vector has the same direction") {
  Experiment experiment(small_experiment());
  const std::string word = word_of(experiment, 0), twin = word_of(experiment, 3);
  ParameterStore& store = experiment.model.parameters();
  const View rows = store.value(experiment.model.decoder().word_parameters().embedding);
  for (Index i = 0; i < rows.cols(); ++i)
    rows.row(Vocabulary::kSpecials + 3)[i] = 2 * rows.row(Vocabulary::kSpecials)[i];
  const WordNeighbours found = near(experiment, word);
  REQUIRE(found.stages.size() == 1);  // an lstm has no self-attention
  CHECK(found.stages[0].name == "embedding");
  REQUIRE(found.stages[0].neighbours.size() == 1);
  const std::vector<WordNeighbour>& list = found.stages[0].neighbours[0];
  REQUIRE(list.size() == 3);
  CHECK(list[0].word == twin);
  CHECK(std::abs(list[0].cosine - 1) < 1e-6);
  CHECK(list[1].cosine < list[0].cosine);
  for (const WordNeighbour& one : list) {
    CHECK(one.word != word);
    CHECK(experiment.model.vocabulary().id(one.word) >= Vocabulary::kSpecials);
  }
}

ExperimentConfig transformer() {
  ExperimentConfig config = small_experiment();
  config.decoder.type = "transformer";
  config.decoder.layers = 2;
  config.decoder.heads = 2;
  return config;
}

TEST_CASE("a word is the same in two captions until self-attention has read what stands before") {
  Experiment experiment(transformer());
  make_heads_even(experiment);
  const std::string word = word_of(experiment, 0), one = word_of(experiment, 1),
                    other = word_of(experiment, 2);
  const Captions captions{one + " " + word, other + " " + word};
  const auto between = [&](const Captions& of) {
    std::vector<double> out;
    for (const WordStage& stage : near(experiment, word, of).stages)
      if (stage.between) out.push_back(*stage.between);
    return out;
  };
  const WordNeighbours found = near(experiment, word, captions);
  std::vector<std::string> names;
  for (const WordStage& stage : found.stages) names.push_back(stage.name);
  CHECK(names == std::vector<std::string>{"embedding", "layer 0 before", "layer 0 after",
                                          "layer 1 before", "layer 1 after", "end"});
  CHECK(found.captions == captions);
  CHECK_FALSE(found.stages[0].between);
  const std::vector<double> apart = between(captions);
  REQUIRE(apart.size() == 5);
  CHECK(std::abs(apart[0] - 1) < 1e-6);
  for (std::size_t s = 1; s < apart.size(); ++s) CHECK(apart[s] < 1 - 1e-5);
  for (const double same : between({captions[0], captions[0]})) CHECK(std::abs(same - 1) < 1e-6);
  // The captions of the images, from the first on.
  const WordNeighbours own = near(experiment, word);
  for (const std::string& caption : own.captions) CHECK(caption.find(word) != std::string::npos);
  Index tokens = 0;
  for (const Index image : evaluation_images(experiment.data.dataset, Split::kVal, 4))
    for (const std::string& text :
         experiment.data.dataset.images[static_cast<std::size_t>(image)].captions)
      tokens += 1 + std::count(text.begin(), text.end(), ' ');
  CHECK(own.tokens == tokens);
  for (const WordStage& stage : own.stages)
    for (const std::vector<WordNeighbour>& list : stage.neighbours)
      for (const WordNeighbour& neighbour : list) CHECK(neighbour.word != word);
  // Without any head among words, nothing of what stands before arrives.
  const Captions heads{"words.0", "words.1"};
  remove_heads(experiment.model, experiment.config,
               heads_of_names(model_heads(experiment.model, experiment.config), heads));
  for (const double same : between(captions)) CHECK(std::abs(same - 1) < 1e-6);
}

TEST_CASE("words and captions that cannot be looked at are refused") {
  const Experiment experiment(transformer());
  const std::string word = word_of(experiment, 0), other = word_of(experiment, 1);
  const auto refusal = [&](const std::string& name, const Captions& captions) {
    return message_of<UsageError>([&] { near(experiment, name, captions); });
  };
  CHECK(refusal("squirrelx", {}).find("'squirrelx' is not in the vocabulary") == 0);
  CHECK(refusal(word + " " + other, {}).find("is not in the vocabulary") != std::string::npos);
  CHECK(refusal(word, {other}).find("does not have the word '" + word + "'") != std::string::npos);
  CHECK(refusal("<unk>", {}).find("is not in the vocabulary") != std::string::npos);
  ExperimentConfig pieces = transformer();
  pieces.data.vocabulary = VocabularyKind::kBpe;
  pieces.data.bpe_size = 40;
  const Experiment cut(pieces);
  CHECK(message_of<UsageError>([&] { near(cut, "red"); }).find("pieces of words") !=
        std::string::npos);
}

}  // namespace
}  // namespace saccade::test
