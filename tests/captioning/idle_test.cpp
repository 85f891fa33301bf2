// Options that are set and never read: they are refused where they were set on purpose, and dropped
// where they were inherited.
#include "core/config/idle.h"

#include "captioning/learning/config/experiment_config.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {

using Catch::Matchers::Contains;
using test::TempFolder;

namespace {

std::vector<std::string> texts(const std::vector<IdleOption>& idle) {
  std::vector<std::string> out;
  for (const IdleOption& option : idle) out.push_back(option.text);
  return out;
}

// The options that a file sets on purpose and that nothing reads.
std::vector<std::string> idle_in(const std::string& yaml,
                                 const std::vector<std::string>& overrides = {}) {
  auto loaded = parse_config<ExperimentConfig>(yaml, "e.yaml", overrides);
  return texts(settle(loaded));
}

}  // namespace

// Rules name the keys and values of other sections as texts, which no compiler checks.
TEST_CASE("the rules of options name keys that exist and values that these can have") {
  const std::vector<FieldInfo> rows = describe_config<ExperimentConfig>();
  const ExperimentConfig defaults;
  // How a config prints the value of a key that was set to a text. Throws where it cannot be set.
  const auto printed = [&](const std::string& key, const std::string& value) {
    const auto set = parse_config<ExperimentConfig>("name: x", "rule",
                                                    std::vector<std::string>{key + "=" + value});
    for (const Difference& one : config_differences(defaults, set.config))
      if (one.path == key) return one.second;
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const FieldInfo& field) { return field.path == key; });
    REQUIRE(row != rows.end());
    return row->default_value;
  };
  const auto check = [&](const std::string& path, const ReadRule& rule) {
    CHECK(!rule.choices.empty());
    for (const ReadRule::Choice& choice : rule.choices) {
      INFO(path << ": " << choice.text());
      CHECK(!choice.values.empty());
      // A rule compares texts, so that a value in another form (1.0 for 1) would never be met.
      for (const std::string& value : choice.values) CHECK(printed(choice.key, value) == value);
    }
  };
  std::size_t rules = 0, of_traits = 0;
  for (const FieldInfo& row : rows) {
    rules += row.rules.size();
    for (const ReadRule& rule : row.rules) check(row.path, rule);
    for (const TraitRule& trait : row.traits) {
      of_traits += trait.rules.size();
      for (const ReadRule& rule : trait.rules) check(row.path, rule);
    }
  }
  CHECK(rules > 60);
  CHECK(of_traits > 20);
  // What the loop would find.
  CHECK_THROWS_AS(printed("decoder.imge", "attention"), UsageError);
  CHECK_THROWS_AS(printed("decoder.image", "atention"), UsageError);
  CHECK(printed("objective.doubly_stochastic", "0.0") != "0.0");
}

TEST_CASE("an option of a choice that was not made is idle, and the reason is given") {
  CHECK(idle_in("decoder:\n  layers: 6\n") ==
        std::vector<std::string>{"e.yaml:2: decoder.layers has no effect: decoder.type is lstm; it "
                                 "is read where decoder.type is transformer"});
  CHECK(idle_in("decoder: {type: transformer, layers: 6}").empty());
  CHECK(idle_in("decoder: {layers: 3}").empty());  // setting the default changes nothing
  // One of every kind: an enumeration, a section, a number, an empty text, null, and an option that
  // is read in two ways.
  CHECK(idle_in("encoder: {vit: {patch: 8}}").size() == 1);
  CHECK(idle_in("encoder: {type: vit, vit: {patch: 8}}").empty());
  CHECK(idle_in("encoder: {refine: {type: window, radius: 3}}").size() == 2);
  CHECK(idle_in("encoder: {refine: {type: window, radius: 3, layers: 1}}").empty());
  CHECK(idle_in("encoder: {refine: {type: graph, radius: 3, layers: 1}}").size() == 1);
  CHECK(idle_in("encoder: {type: resnet18, weights_strict: false}").size() == 1);
  CHECK(idle_in("encoder: {type: resnet18, weights: w, weights_strict: false}").empty());
  CHECK(idle_in("encoder: {pixels: imagenet, input_mean: 0}").size() == 1);
  CHECK(idle_in("objective: {self_critical: {lr: 1e-3}}").size() == 1);
  CHECK(idle_in("objective: {self_critical: {lr: 1e-3, start: 1e}}").empty());
  CHECK_THAT(idle_in("encoder: {cache: c}").at(0),
             Contains("encoder.type is cnn and encoder.frozen_stages is 0") &&
                 Contains("read where encoder.type is features, or encoder.frozen_stages is -1"));
  CHECK(idle_in("encoder: {type: features, cache: c, half: true}").empty());
  CHECK(idle_in("encoder: {type: vgg19, frozen_stages: -1, cache: c, half: true}").empty());
  CHECK(idle_in("attention: {score: dot, hidden: 8}").size() == 1);
  CHECK_THAT(
      idle_in("{attention: {heads: 2}, decoder: {image: first_step}}").at(0),
      Contains("attention.heads has no effect: decoder.image is first_step; it is read where "
               "decoder.image is attention"));
  CHECK(idle_in("decoder: {image: first_step, first_state: none}").size() == 1);
  CHECK(idle_in("decoder: {image_dropout: 0.5}").empty());
  CHECK(idle_in("decoder: {image_dropout: 0.5, first_state: none}").size() == 1);
  CHECK(idle_in("decoder: {image_dropout: 0.5, image: none}").size() == 1);
  CHECK(idle_in("decoder: {type: transformer, image_dropout: 0.5}").size() == 1);
  CHECK(idle_in("objective: {coverage: {tau: 0.3}}").size() == 1);
  CHECK(idle_in("objective: {coverage: {target: at_least, tau: 0.3}}").empty());
  CHECK(idle_in("objective: {doubly_stochastic: 0, coverage: {scale: mean}}").size() == 1);
  CHECK(idle_in("attention: {score: dot, scope: local_p, hidden: 8}").empty());
}

TEST_CASE("an option is idle on purpose if it was set after the choice, and inherited otherwise") {
  CHECK_THAT(idle_in("decoder: {type: lstm}", {"decoder.layers=6"}).at(0),
             Catch::StartsWith("command line: decoder.layers has no effect"));
  auto loaded =
      parse_config<ExperimentConfig>("decoder: {type: transformer, layers: 6, heads: 2}", "e.yaml",
                                     std::vector<std::string>{"decoder.type=gru"});
  CHECK(settle(loaded).empty());
  CHECK(loaded.config.decoder.layers == 3);
  CHECK(loaded.config.decoder.heads == 8);
  CHECK(loaded.origins.of("decoder.layers") == "default");
  CHECK(loaded.config.decoder.type == "gru");

  const TempFolder folder("idle-base");
  folder.write("base.yaml",
               "decoder: {type: transformer, layers: 6}\nencoder: {channels: [4, 8]}\n");
  folder.write("middle.yaml", "base: base.yaml\ndecoder: {type: lstm}\n");
  folder.write("leaf.yaml", "base: middle.yaml\ndecoder: {init_hidden: 8, widen: 2}\n");
  loaded = load_config<ExperimentConfig>(folder / "leaf.yaml");
  const std::vector<IdleOption> idle = settle(loaded);
  REQUIRE(idle.size() == 1);
  CHECK(idle[0].path == "decoder.widen");
  CHECK_THAT(idle[0].text, Contains("leaf.yaml:2: decoder.widen has no effect"));
  CHECK(loaded.config.decoder.layers == 3);
  CHECK(loaded.config.encoder.channels == std::vector<std::int64_t>{4, 8});
  // What is printed then is as valid as what was read.
  reset_option(loaded, "decoder.widen");
  auto again = parse_config<ExperimentConfig>(print_config(loaded.config), "printed.yaml");
  CHECK(settle(again).empty());
}

TEST_CASE("the options that a config does not read are those of other choices, set or not") {
  ExperimentConfig config;
  const auto unread = [&](const std::string& path) {
    const std::vector<std::string> paths = unread_options(config);
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  CHECK(unread("decoder.layers"));
  CHECK(unread("encoder.vit.patch"));
  CHECK_FALSE(unread("decoder.init_hidden"));
  config.decoder.type = "transformer";
  CHECK_FALSE(unread("decoder.layers"));
  CHECK(unread("decoder.init_hidden"));
}

}  // namespace saccade
