// Baselines: neighbours among made-up vectors, a consensus by hand, and a small data set with
// several numbers of threads.
#include "captioning/study/evaluation/baselines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "captioning/study/evaluation/consensus.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/evaluation_table.h"
#include "captioning/study/evaluation/nearest_images.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/parallel/parallel.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

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
  const int before = parallel::threads();
  std::vector<Places> results;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    results.push_back(nearest_rows(queries.view(), candidates.view(), 13));
  }
  parallel::set_threads(before);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
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
    REQUIRE(results[0][static_cast<std::size_t>(q)] == wanted);
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
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.parameters().views());
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

TEST_CASE("baselines are scored beside the model, with the same bits for any number of threads") {
  const Experiment experiment(small_experiment());
  EvaluationRequest request = experiment.request();
  request.baselines = true;
  const int before = parallel::threads();
  std::vector<std::string> results;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    results.push_back(evaluation_json(experiment.run(request)));
  }
  parallel::set_threads(before);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  const nlohmann::json json = nlohmann::json::parse(results[0]);
  for (const char* name : {"nearest", "consensus", "human"})
    for (const char* metric : {"Bleu_1", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "CIDEr_plain"}) {
      INFO(name << " " << metric);
      CHECK(json.at("baselines").at(name).at(metric).is_number());
    }
  // A consensus of twelve images contains less that is wrong than a guess from one image.
  CHECK(json.at("baselines").at("consensus").at("Bleu_1") > 0.2);
  const std::string table = evaluation_table(experiment.run(request));
  CHECK(table.find("consensus") != std::string::npos);
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

}  // namespace
}  // namespace saccade::test
