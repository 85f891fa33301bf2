// The words near a word: in an embedding that is made by hand, and before and after self-attention.
#include "captioning/study/inspection/word_neighbours.h"

#include <algorithm>
#include <cmath>

#include "captioning/study/inspection/model_heads.h"
#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

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
