#include "captioning/learning/config/experiment_config.h"

#include "core/config/config.h"
#include "tests/support/catch.h"

using namespace saccade;

TEST_CASE("the experiment's config is consistent and documented") {
  const ExperimentConfig defaults;
  const auto again = parse_config<ExperimentConfig>(print_config(defaults), "printed.yaml");
  CHECK(config_differences(defaults, again.config).empty());

  const auto rows = describe_config<ExperimentConfig>();
  CHECK(rows.size() > 80);
  for (const FieldInfo& row : rows) {
    INFO(row.path);
    CHECK(!row.doc.empty());
    CHECK(row.doc.find('\n') == std::string::npos);
  }
  const auto loaded = parse_config<ExperimentConfig>(
      "name: flickr8k-soft\nseed: 1\n"
      "data:      {type: karpathy, annotations: a.json, images: img, min_count: 5}\n"
      "encoder:   {type: onnx_native, model: m.onnx, layer: t168}\n"
      "attention: {score: additive, selection: soft, gate: scalar, hidden: 512}\n"
      "train:     {batch: 64, stop: 20e, early_stop: {metric: cider, patience: 4}}\n"
      "compare:   {axes: {attention.selection: [soft, hard]}, seeds: [1, 2, 3]}\n",
      "e.yaml");
  REQUIRE(loaded.config.compare.axes.size() == 1);
  for (const std::string& value : loaded.config.compare.axes[0].values) {
    LoadedConfig arm = loaded;
    apply_override(arm, loaded.config.compare.axes[0].path + "=" + value, "compare");
    CHECK(arm.config.attention.selection == value);
  }
}

TEST_CASE("a choice that was removed is refused with what takes its place") {
  const std::vector<std::string> overrides = {"encoder.type=onnx"};
  for (const bool given : {false, true})
    CHECK_THROWS_WITH(
        parse_config<ExperimentConfig>(given ? "name: x" : "encoder: {type: onnx, model: m.onnx}",
                                       "e.yaml", given ? overrides : std::vector<std::string>{}),
        Catch::Contains("encoder.type: 'onnx' was removed; take encoder.type "
                        "onnx_native with encoder.frozen_stages -1"));
}

TEST_CASE("both ends of a ramp are in the range of the option") {
  CHECK_THROWS_AS(parse_config<ExperimentConfig>(
                      "attention: {hard: {expectation_share: 0.5 -> 1.5 over 2e}}", "e.yaml"),
                  UsageError);
  // Numbers that are too large or too small for single precision or for the number of a cell.
  for (const char* attention :
       {"temperature: 1e-30", "temperature: 1e-30 -> 1 over 2e",
        "gumbel_temperature: 1 -> 1e-30 over 2e", "pace: 1e300", "noise: 1e300"})
    CHECK_THROWS_AS(parse_config<ExperimentConfig>(str("attention: {", attention, "}"), "e.yaml"),
                    UsageError);
}

TEST_CASE("an option that is switched off by 0 says so where it gets null") {
  const auto read = [](const std::string& given) {
    const std::vector<std::string> overrides = {given};
    return parse_config<ExperimentConfig>("name: x", "e.yaml", overrides);
  };
  CHECK_THROWS_WITH(
      parse_config<ExperimentConfig>("encoder: {project: null}", "e.yaml"),
      Catch::Contains("encoder.project: expected an integer, got nothing; write 0 for no map"));
  CHECK_THROWS_WITH(read("search.top_k=null"), Catch::EndsWith("; write 0 for all"));
  CHECK_THROWS_WITH(read("decoder.hidden=null"),
                    Catch::EndsWith("expected an integer, got nothing"));
  CHECK_NOTHROW(read("encoder.lr=null"));
  int count = 0;
  for (const FieldInfo& row : describe_config<ExperimentConfig>()) {
    if (row.doc.find("; 0 = ") == std::string::npos || row.default_value == "null") continue;
    ++count;
    INFO(row.path);
    CHECK_THROWS_WITH(read(row.path + "=~"), Catch::Contains("; write 0 for "));
  }
  CHECK(count > 15);
}

TEST_CASE("groups of learning rates are a map from prefix to factor") {
  const auto loaded = parse_config<ExperimentConfig>(
      "optimizer: {groups: {decoder.attention: 5, encoder: 0.25}}", "e.yaml");
  const RateGroups expected{{.prefix = "decoder.attention", .factor = 5},
                            {.prefix = "encoder", .factor = 0.25}};
  CHECK(loaded.config.optimizer.groups == expected);
  const auto again = parse_config<ExperimentConfig>(print_config(loaded.config), "printed.yaml");
  CHECK(again.config.optimizer.groups == expected);
  const auto overridden = parse_config<ExperimentConfig>(
      "name: x", "e.yaml", std::vector<std::string>{"optimizer.groups={decoder.lstm: 0}"});
  CHECK(overridden.config.optimizer.groups == RateGroups{{.prefix = "decoder.lstm", .factor = 0}});
  for (const char* wrong : {"{decoder: -1}", "{decoder: fast}", "[decoder]", "{decoder: [1]}"}) {
    INFO(wrong);
    CHECK_THROWS_AS(
        parse_config<ExperimentConfig>(str("optimizer: {groups: ", wrong, "}"), "e.yaml"),
        UsageError);
  }
}

TEST_CASE("a profile of hard attention sets the values that the user did not") {
  HardConfig hard;
  CHECK(resolved(hard).coin == CoinKind::kImage);
  hard.profile = HardProfile::kArctic;
  hard.lambda_r = Ramp::constant(0.5);
  CHECK(resolved(hard).coin == CoinKind::kBatch);
  CHECK(resolved(hard).lambda_r == Ramp::constant(0.5));
  CHECK(resolved(hard).lambda_e == Ramp::constant(0.002));
  hard.profile = HardProfile::kCustom;
  CHECK_THROWS_AS(resolved(hard), UsageError);
}

TEST_CASE("a key that was removed may still have the one value that it always had") {
  const ExperimentConfig defaults;
  const auto read = [](const std::string& yaml, const std::vector<std::string>& overrides = {}) {
    return parse_config<ExperimentConfig>(yaml, "old.yaml", overrides).config;
  };
  const auto same = [&](const ExperimentConfig& config) {
    return config_differences(defaults, config).empty();
  };
  CHECK(same(read("objective: {type: cross_entropy}")));
  CHECK(same(read("objective: {}", {"objective.type=cross_entropy"})));
  const std::string refusal = "objective.type was removed and could only be cross_entropy";
  for (const char* other : {"hinge", "[cross_entropy]", "~"})
    CHECK_THROWS_WITH(read(std::string("objective:\n  type: ") + other),
                      Catch::StartsWith("old.yaml:2:9: " + refusal));
  CHECK_THROWS_WITH(read("objective: {}", {"objective.type=hinge"}), Catch::Contains(refusal));
  CHECK_THROWS_WITH(read("objective: {type: {a: b}}"), Catch::Contains(refusal));
  CHECK_THROWS_WITH(read("objective: {}", {"objective.type.x=1"}),
                    Catch::Contains("unknown key 'type' in objective"));
}
