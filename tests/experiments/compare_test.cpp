// Arms of a comparison, what they share, and the numbers of its report.
#include <nlohmann/json.hpp>
#include <set>

#include "captioning/model.h"
#include "core/base/error.h"
#include "experiments/compare/arms.h"
#include "experiments/compare/comparison_report.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

LoadedConfig with_axes(const std::string& axes) {
  return parse_config<ExperimentConfig>("compare: {axes: " + axes + "}", "test");
}

TEST_CASE("arms are all combinations, with names and folders of their own") {
  REQUIRE(expand_arms(with_axes("{}")).size() == 1);
  const std::vector<Arm> arms = expand_arms(with_axes(
      "{encoder.channels: [[8], [8, 16]], optimizer.type: [adam, sgd], search.beam: [1]}"));
  REQUIRE(arms.size() == 4);
  REQUIRE(arms[0].name == "channels=[8], type=adam, beam=1");
  REQUIRE(arms[1].config.optimizer.type == OptimizerKind::kSgd);
  REQUIRE(arms[2].config.encoder.channels == std::vector<std::int64_t>{8, 16});
  std::set<std::string> folders;
  for (const Arm& arm : arms) {
    folders.insert(arm.folder);
    REQUIRE(arm.folder.find_first_of("/[], ") == std::string::npos);
    REQUIRE(arm.config.search.beam == 1);
  }
  REQUIRE(folders.size() == 4);
  // Ends of paths that are the same are told apart.
  const std::vector<Arm> types =
      expand_arms(with_axes("{encoder.type: [cnn], optimizer.type: [sgd]}"));
  REQUIRE(types[0].name == "encoder.type=cnn, optimizer.type=sgd");
}

TEST_CASE("axes that make no sense are refused before anything is trained") {
  for (const char* axes :
       {"{seed: [1, 2]}", "{name: [a]}", "{compare.seeds: [[1]]}", "{attention.selction: [soft]}",
        "{attention.selection: [sotf]}", "{optimizer.lr: [-1]}", "{search.beam: [2, 2]}"}) {
    INFO(axes);
    REQUIRE_THROWS_AS(expand_arms(with_axes(axes)), UsageError);
  }
}

TEST_CASE("arms start from the same weights, but for what only one of them has") {
  LoadedConfig base =
      with_axes("{attention.selection: [soft, hard], attention.gate: [none, scalar]}");
  base.config.encoder.image_size = 32;
  base.config.encoder.channels = {4, 4, 4, 8};
  base.config.decoder = {.hidden = 12, .embedding = 6, .dropout = 0, .init_hidden = 6};
  const std::vector<Arm> arms = expand_arms(base);
  const Captioner first(arms[0].config, Vocabulary(), {});
  for (const Arm& arm : arms) {
    const Captioner other(arm.config, Vocabulary(), {});
    std::size_t shared = 0;
    for (const ParameterInfo& info : first.parameters().infos()) {
      const int at = other.parameters().find(info.name);
      if (at < 0) continue;
      const auto a = first.parameters().value(first.parameters().find(info.name)).span();
      const auto b = other.parameters().value(at).span();
      REQUIRE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      ++shared;
    }
    REQUIRE(shared == first.parameters().count());
  }
}

TEST_CASE("a spread is mean and sample deviation") {
  REQUIRE(spread_of({}).count == 0);
  REQUIRE(spread_of({3}).mean == 3);
  REQUIRE(spread_of({3}).deviation == 0);
  const Spread spread = spread_of({2, 4, 4, 4, 5, 5, 7, 9});
  REQUIRE(spread.mean == Approx(5));
  REQUIRE(spread.deviation == Approx(2.13809));  // sqrt(32 / 7)
}

SeedResult seed_result(std::int64_t seed, double bleu) {
  SeedResult result;
  result.seed = seed;
  result.parameters = 1000;
  result.cost.ms_per_update = 10;
  result.regimes = {{Regime::kExpectation, {{"Bleu_4", bleu}}}};
  return result;
}

TEST_CASE("a failed seed is named and left out of means") {
  Comparison comparison;
  comparison.name = "test";
  comparison.seeds = {1, 2, 3};
  ArmResult& arm = comparison.arms.emplace_back();
  arm.arm = expand_arms(with_axes("{attention.selection: [soft]}"))[0];
  arm.seeds = {seed_result(1, 0.2), seed_result(2, 0.4), seed_result(3, 0.9)};
  arm.seeds[2].error = "update 7: the loss is nan";
  REQUIRE(!comparison.complete());
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  const auto& scores = json["arms"][0]["regimes"][0]["corpus"]["Bleu_4"];
  REQUIRE(scores["mean"].get<double>() == Approx(0.3));
  REQUIRE(scores["n"] == 2);
  REQUIRE(json["complete"] == false);
  REQUIRE(json["arms"][0]["seeds"][2]["status"] == "failed");
  for (const std::string& text :
       {comparison_table(comparison, 80), comparison_markdown(comparison)}) {
    REQUIRE(text.find("0.3000 ±0.1414") != std::string::npos);
    REQUIRE(text.find("seed 3 failed: update 7") != std::string::npos);
  }
}

}  // namespace
}  // namespace saccade::test
