// Baselines: neighbours among made-up vectors, a consensus by hand, and a small data set with
// several numbers of threads.
#include "captioning/study/evaluation/baselines.h"

#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/study/evaluation/consensus.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/nearest_images.h"
#include "captioning/study/evaluation/novelty.h"
#include "captioning/study/evaluation/perplexity.h"
#include "core/base/random.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

using Places = std::vector<std::vector<Index>>;

TEST_CASE("the nearest rows come first, equally near ones in order") {
  const Tensor candidates({5, 2}, std::vector<Real>{1, 0, 0, 1, 1, 0, -1, 0, 0, -1});
  const Tensor queries({3, 2}, std::vector<Real>{1, 0, 0, 2, -3, 1});
  CHECK(nearest_rows(queries.view(), candidates.view(), 2) == Places{{0, 2}, {1, 0}, {3, 1}});
  CHECK(nearest_rows(queries.view(), candidates.view(), 4) ==
        Places{{0, 2, 1, 4}, {1, 0, 2, 3}, {3, 1, 4, 0}});
  CHECK(nearest_rows(queries.view(), candidates.view(), 9)[0].size() == 5);
  const Tensor wide({1, 3});
  CHECK_THROWS_AS(nearest_rows(wide.view(), candidates.view(), 1), ShapeError);
}

TEST_CASE("neighbours depend neither on blocks nor on threads") {
  const auto random = [](Shape shape, std::uint64_t sample) {
    Tensor out(shape);
    Random numbers({1, Stream::kTest, 0, sample});
    for (Real& x : out.span()) x = static_cast<Real>(static_cast<int>(numbers.normal() * 3));
    return out;
  };
  // More than one block of queries and of candidates. Products of whole numbers are exact.
  const Tensor queries = random({70, 5}, 1), candidates = random({1100, 5}, 2);
  const auto first =
      same_for_threads([&] { return nearest_rows(queries.view(), candidates.view(), 13); });
  for (Index q = 0; q < 70; ++q) {
    std::vector<std::pair<Real, Index>> all;  // minus the product, and the place
    for (Index c = 0; c < 1100; ++c) {
      Real product = 0;
      for (Index d = 0; d < 5; ++d)
        product += queries.view().row(q)[d] * candidates.view().row(c)[d];
      all.emplace_back(-product, c);
    }
    std::sort(all.begin(), all.end());
    std::vector<Index> wanted;
    for (std::size_t i = 0; i < 13; ++i) wanted.push_back(all[i].second);
    REQUIRE(first[static_cast<std::size_t>(q)] == wanted);
  }
}

TEST_CASE("the vector of an image is the direction of its mean feature") {
  const Experiment experiment(small_experiment());
  const CaptionModel& model = experiment.model;
  const std::vector<Index> images = {3, 0, 11, 7, 8, 9, 10, 5, 4};
  const Tensor vectors = image_vectors(model, experiment.inputs, images);
  REQUIRE(vectors.shape() == Shape{9, model.grid().features});
  Tensor input({1, 32, 32, 3});
  experiment.inputs.load(11, input.span());
  TestTape tape(model.parameters().views());
  const ConstView features = model.encode(tape, input.view()).features.value();
  std::vector<double> sum(static_cast<std::size_t>(features.cols()), 0);
  double square = 0;
  for (std::size_t d = 0; d < sum.size(); ++d) {
    for (Index l = 0; l < features.rows(); ++l) sum[d] += features.row(l)[static_cast<Index>(d)];
    square += sum[d] * sum[d];
  }
  for (std::size_t d = 0; d < sum.size(); ++d)
    CHECK(std::abs(vectors.view().row(2)[static_cast<Index>(d)] - sum[d] / std::sqrt(square)) <
          1e-5);
}

TEST_CASE("the consensus is the caption that is closest to the others") {
  const std::vector<std::vector<std::string>> captions = {
      {"men who dig wells", "a dog runs home"},
      {"a dog runs far", "A dog runs."},
      {"two boats at sea"},
      {"a dog runs far"},
  };
  const CaptionConsensus consensus(captions);
  using Place = CaptionConsensus::Place;
  // "a dog runs far" twice, and two captions that share its first words: the first of the two equal
  // ones wins.
  const std::vector<Index> all = {0, 1, 2, 3}, reversed = {3, 2, 1, 0}, one = {2}, apart = {2, 0};
  CHECK(consensus.of(all) == Place{1, 0});
  CHECK(consensus.of(reversed) == Place{3, 0});
  CHECK(consensus.of(one) == Place{2, 0});
  CHECK(consensus.of(apart) == Place{2, 0});  // they have nothing in common, so the first one wins
}

TEST_CASE("each baseline does what its name says") {
  Experiment experiment(small_experiment());
  auto& dataset = experiment.data.dataset;
  const std::vector<Index> train = images_of(dataset, Split::kTrain),
                           judged{images_of(dataset, Split::kVal)[0]};
  const Tensor candidates = image_vectors(experiment.model, experiment.inputs, train),
               query = image_vectors(experiment.model, experiment.inputs, judged);
  const Index nearest = nearest_rows(query.view(), candidates.view(), 1)[0][0];
  // All neighbours but the nearest agree. One of the two people says the same as they do.
  for (const Index image : train)
    dataset.images[static_cast<std::size_t>(image)].captions = {"a dog runs far"};
  dataset.images[static_cast<std::size_t>(train[static_cast<std::size_t>(nearest)])].captions = {
      "nothing like it"};
  dataset.images[static_cast<std::size_t>(judged[0])].captions = {"a dog runs far",
                                                                  "a dog sleeps there"};
  std::map<std::string, double> bleu;
  for (const Baseline& one :
       score_baselines(experiment.model, dataset, experiment.inputs, judged, {})) {
    REQUIRE(one.scores[0].first == "Bleu_1");
    bleu[one.name] = one.scores[0].second;
  }
  CHECK(bleu.at("nearest") < 1e-6);
  CHECK(bleu.at("consensus") == Approx(1));
  CHECK(bleu.at("human") == Approx(0.5));  // two of four words, in both directions
}

TEST_CASE("an image is not its own neighbour, and what cannot be compared is left out") {
  Experiment experiment(small_experiment());
  auto& dataset = experiment.data.dataset;
  const std::vector<Index> train = images_of(dataset, Split::kTrain);
  const auto names = [&](std::span<const Index> images) {
    std::vector<std::string> out;
    for (const Baseline& one :
         score_baselines(experiment.model, dataset, experiment.inputs, images, {}))
      out.push_back(one.name);
    return out;
  };
  // Every image has words of its own, so the caption of a neighbour shares no word with it.
  for (std::size_t i = 0; i < dataset.images.size(); ++i) {
    const std::string n = "word" + std::to_string(i);
    dataset.images[i].captions = {n + "a " + n + "b " + n + "c " + n + "d"};
  }
  const std::vector<Baseline> scores =
      score_baselines(experiment.model, dataset, experiment.inputs, train, {});
  REQUIRE(scores.size() == 2);  // there is no second reference, and so no `human`
  for (const Baseline& one : scores) {
    CHECK(one.scores[0].first == "Bleu_1");
    CHECK(one.scores[0].second < 1e-6);
  }
  for (const Index image : train)
    if (image != train[0]) dataset.images[static_cast<std::size_t>(image)].split = Split::kVal;
  CHECK(names(train).empty());
  dataset.images[static_cast<std::size_t>(train[0])].captions = {"a dog", "a dog runs"};
  CHECK(names(train) == std::vector<std::string>{"human"});
}

// Perplexity against the training loss, and novelty against captions counted by hand.

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
      TestTape tape(model.parameters().views());
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
