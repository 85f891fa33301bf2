// Perplexity against the training loss, and novelty against captions counted by hand.
#include "captioning/study/evaluation/perplexity.h"

#include <cmath>

#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/study/evaluation/novelty.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

// The perplexity that the training loss gives if every caption is computed alone.
Perplexity one_by_one(const Experiment& experiment, std::span<const Index> images) {
  const CaptionModel& model = experiment.model;
  Perplexity sum;
  for (const Index image : images) {
    const Shape one = model.input_shape();
    Tensor input({1, one[0], one[1], one[2]});
    experiment.inputs.load(image, input.span());
    for (const std::string& text :
         experiment.data.dataset.images[static_cast<std::size_t>(image)].captions) {
      std::vector<std::vector<int>> words(1);
      for (const Index id : model.vocabulary().encode(tokenize(text)))
        words[0].push_back(static_cast<int>(id));
      if (words[0].empty()) continue;
      Arena arena;
      Tape tape(arena);
      tape.set_parameters(model.parameters().views());
      const ShardLoss loss(tape, model.decoder(), model.encode(tape, input.view()),
                           pack_captions(words, static_cast<int>(Vocabulary::kBos),
                                         static_cast<int>(Vocabulary::kEos)),
                           {.doubly_stochastic = 0}, {.batch_captions = 1});
      sum.nll += loss.nll()[0];
      ++sum.captions;
      sum.words += static_cast<Index>(words[0].size());
    }
  }
  return sum;
}

TEST_CASE("perplexity is the exponential of the training loss per word") {
  // There is no dropout, and hard attention takes the expectation.
  for (const std::string selection : {"soft", "hard"}) {
    ExperimentConfig config = small_experiment(selection);
    config.decoder.dropout = 0.5;
    const Experiment experiment(config);
    const std::vector<Index> images = images_of(experiment.data.dataset, Split::kVal);
    const Perplexity expected = one_by_one(experiment, images);
    const Perplexity got = measure_perplexity(experiment.model, experiment.data.dataset,
                                              experiment.inputs, images, {});
    CHECK(got.captions == expected.captions);
    CHECK(got.words == expected.words);
    CHECK(std::abs(got.nll - expected.nll) <= 1e-5 * expected.nll);
    CHECK(got.value() == std::exp(got.nll / static_cast<double>(got.words + got.captions)));
    CHECK(got.value() > 1);
    CHECK(experiment.run(Split::kVal).perplexity->nll == got.nll);
  }
}

TEST_CASE("words that the vocabulary lacks are counted, and captions without a word are left out") {
  Experiment experiment(small_experiment());
  const std::vector<Index> images = {0, 1};
  auto& dataset = experiment.data.dataset;
  dataset.images[0].captions = {"a zebra zebra", "", "?!"};
  dataset.images[1].captions = {"a"};
  const Perplexity got =
      measure_perplexity(experiment.model, dataset, experiment.inputs, images, {});
  CHECK(got.captions == 2);
  CHECK(got.words == 4);
  CHECK(got.unknown == 2);
  CHECK(got.unknown_share() == 0.5);
  dataset.images[0].captions = dataset.images[1].captions = {"!"};
  const Perplexity none =
      measure_perplexity(experiment.model, dataset, experiment.inputs, images, {});
  CHECK(none.captions == 0);
  CHECK(std::isnan(none.value()));
  CHECK(none.unknown_share() == 0);
}

TEST_CASE("perplexity has the same bits for any number of threads") {
  const Experiment experiment(small_experiment("hard"));
  const std::vector<Index> images = images_of(experiment.data.dataset, Split::kTrain);
  const int before = parallel::threads();
  std::vector<double> results;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    results.push_back(
        measure_perplexity(experiment.model, experiment.data.dataset, experiment.inputs, images, {})
            .nll);
  }
  parallel::set_threads(before);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

TEST_CASE("a caption is new unless a training caption has the same words") {
  Dataset dataset{.name = "few", .images = {}, .digest = "", .notes = {}};
  CHECK(TrainingCaptions(dataset).empty());
  dataset.images.resize(3);
  dataset.images[0].captions = {"A red Kite.", "two boats"};
  dataset.images[1].captions = {"a man's hat"};
  dataset.images[2] = {.id = "", .path = "", .split = Split::kVal, .captions = {"a dog runs"}};
  const TrainingCaptions training(dataset);
  CHECK_FALSE(training.empty());
  const std::vector<Words> captions = {{"a", "red", "kite"},
                                       {"two", "boats"},
                                       {"a", "man", "s", "hat"},
                                       {"a", "dog", "runs"},
                                       {"a"}};
  CHECK(training.novel_share(captions) == 2.0 / 5);
  CHECK(training.novel_share(std::span(captions).first(3)) == 0);
  CHECK(training.novel_share(std::span(captions).last(2)) == 1);
  CHECK(training.novel_share({}) == 0);
}

TEST_CASE("validation leaves out measures that take time") {
  const Experiment experiment(small_experiment());
  EvaluationRequest request = experiment.request(Split::kVal, 4);
  CHECK(first_scores(experiment.run(request)).contains("novel_captions"));
  request.extent = Extent::kCaptions;
  const EvaluationReport report = experiment.run(request);
  CHECK_FALSE(report.perplexity);
  CHECK_FALSE(first_scores(report).contains("novel_captions"));
}

}  // namespace
}  // namespace saccade::test
