// Scores of sets of captions, and of sets that a small model draws.
#include "captioning/study/evaluation/sample_scores.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "captioning/study/evaluation/evaluation_report.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Texts = std::vector<std::vector<std::string>>;

std::map<std::string, double> scores_of(const Texts& sets, const Texts& references) {
  const NamedScores scores = score_sets(sets, references);
  return {scores.begin(), scores.end()};
}

bool near(double got, double wanted) { return std::abs(got - wanted) <= 1e-9; }

const Texts kReferences = {{"a red kite flies"}, {"two boats at sea"}, {"men who dig wells"}};

TEST_CASE("equal captions have no diversity, and the best is as good as the mean") {
  const auto scores = scores_of({{"a red kite flies", "A red kite flies."},
                                 {"two boats at sea", "two boats at sea"},
                                 {"men dig", "men dig"}},
                                kReferences);
  CHECK(scores.at("Div_1") == 0.5);  // n words of 2 n
  CHECK(near(scores.at("Div_2"), (3.0 / 8 + 3.0 / 8 + 1.0 / 4) / 3));
  CHECK(near(scores.at("mBLEU_4"), 1));
  CHECK(scores.at("self_CIDEr") == 0);
  CHECK(scores.at("best_CIDEr") == scores.at("mean_CIDEr"));
}

TEST_CASE("captions with nothing in common have the highest diversity") {
  const auto scores = scores_of({{"a red kite flies", "two boats at sea"},
                                 {"two boats at sea", "men who dig wells"},
                                 {"men who dig wells", "a red kite flies"}},
                                kReferences);
  CHECK(scores.at("Div_1") == 1);
  CHECK(near(scores.at("Div_2"), 6.0 / 8));
  CHECK(scores.at("mBLEU_4") < 1e-3);
  CHECK(near(scores.at("self_CIDEr"), 1));
  CHECK(near(scores.at("best_CIDEr"),
             10));  // one equals the reference, the other shares no word with it
  CHECK(near(scores.at("mean_CIDEr"), 5));
}

TEST_CASE("sets that cannot be scored") {
  CHECK_THROWS_AS(score_sets({}, {}), DataError);
  CHECK_THROWS_AS(scores_of({{"a", "b"}}, kReferences), DataError);
  CHECK_THROWS_AS(scores_of({{"a", "b"}}, {{}}), DataError);
  CHECK_THROWS_AS(scores_of({{"a"}}, {{"a"}}), ShapeError);
}

TEST_CASE(
    "a model's samples are drawn in the regime that draws, the same for any number of threads") {
  const Experiment experiment(small_experiment("hard"));
  EvaluationRequest request = experiment.request();
  request.samples = 4;
  const int before = parallel::threads();
  std::vector<EvaluationReport> reports;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    reports.push_back(experiment.run(request));
  }
  parallel::set_threads(before);
  REQUIRE(reports[0].samples);
  CHECK(reports[0].samples->search.mode == SearchMode::kSample);
  CHECK(reports[0].samples->search.regime == Regime::kSample);
  CHECK(reports[0].samples->scores == reports[1].samples->scores);
  CHECK(reports[0].samples->scores == reports[2].samples->scores);
  const nlohmann::json json = nlohmann::json::parse(evaluation_json(reports[0]));
  CHECK(json.at("samples").at("per_image") == 4);
  CHECK(json.at("samples").at("regime") == "sample");
  const auto& corpus = json.at("samples").at("corpus");
  CHECK(corpus.at("self_CIDEr") > 0.1);
  CHECK(corpus.at("best_CIDEr") >= corpus.at("mean_CIDEr"));

  request.regimes = {Regime::kExpectation};
  request.samples = 2;
  CHECK(experiment.run(request).samples->search.regime == Regime::kExpectation);
  request.samples = 1;
  CHECK_THROWS_AS(experiment.run(request), ShapeError);
}

}  // namespace
}  // namespace saccade::test
