// A run that starts from a checkpoint with another vocabulary.
#include "captioning/learning/runs/word_rows.h"

#include <algorithm>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/model_parameters.h"
#include "core/base/error.h"
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
  CHECK_THAT(text, Contains("frozen encoder is another; "));
  CHECK_THAT(text, Contains("saccade new --from"));
  CHECK(std::ranges::count(text, '\n') == 3);
}

}  // namespace
}  // namespace saccade
