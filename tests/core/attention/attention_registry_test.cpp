// A program's own scores and mechanisms: their names in configs, and that they are what attends.
#include "core/attention/attention_registry.h"

#include <fstream>

#include "core/attention/axes.h"
#include "core/attention/draws.h"
#include "core/attention/make_attention.h"
#include "core/attention/mean_attention.h"
#include "core/attention/plugin.h"
#include "core/config/config.h"
#include "core/ops/linear.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

using Catch::Contains;

// The score `general` once more, so that it has to give the same weights.
struct OwnScore : Score {
  OwnScore(const ParamScope& scope, const AttentionWidths& w)
      : weight(scope.declare("weight", {w.query, w.features}, Init::glorot(w.query, w.features))) {}
  Var keys(Tape&, Var features) const override { return features; }
  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    return ops::dot_score(keys, ops::linear(query, tape.parameter(weight)), 1, group);
  }
  int weight;
};

std::shared_ptr<AttentionRegistry> own_registry() {
  auto registry = std::make_shared<AttentionRegistry>();
  registry->scores.add({.name = "own", .doc = "a' W h"},
                       [](const ParamScope& scope, const AttentionWidths& widths) {
                         return std::make_unique<OwnScore>(scope, widths);
                       });
  registry->mechanisms.add({.name = "flat", .doc = "equal weights"}, [](MechanismParts parts) {
    return std::make_unique<MeanAttention>(std::move(parts.gate));
  });
  return registry;
}

// A config with the section under the name that messages give it.
struct OwnConfig {
  AttentionConfig attention;
  void fields(Section& v) { v.section("attention", attention, "how words attend to regions"); }
};

OwnConfig config_of(const std::string& yaml, std::shared_ptr<const AttentionRegistry> added) {
  OwnConfig start;
  start.attention.registry = std::move(added);
  return parse_config(yaml, "own.yaml", {}, start).config;
}

// The weights of two queries at three regions.
std::vector<Real> weights_of(const AttentionConfig& config) {
  ParameterStore store;
  const auto attention = make_attention(config, {.features = 2, .query = 3, .regions = 3},
                                        ParamScope(store, "attention"));
  store.initialise(1);
  TestTape tape(store.views());
  Tensor regions({1, 3, 2}, std::vector<Real>{1, 2, -1, 0.5, 3, -2});
  Tensor queries({2, 3}, std::vector<Real>{0.5, -1, 2, 1, 1, -0.5});
  const AttentionMemory memory =
      attention->prepare(tape, tape.constant(regions.view()), {.group = 2});
  const Glimpse glimpse =
      attention->attend(tape, tape.constant(queries.view()), memory, {}, AttendContext{});
  const auto weights = glimpse.weights.value().span();
  return {weights.begin(), weights.end()};
}

TEST_CASE("a score of the program's own is a choice of its configs and attends") {
  const auto registry = own_registry();
  const OwnConfig own = config_of("attention: {score: own, gate: none}", registry);
  CHECK(own.attention.score == "own");
  CHECK_THAT(print_config(own), Contains("score: own"));
  CHECK(config_of(print_config(own), registry).attention.score == "own");

  const OwnConfig general = config_of("attention: {score: general, gate: none}", registry);
  const OwnConfig other = config_of("attention: {score: additive, gate: none}", registry);
  CHECK(weights_of(own.attention) == weights_of(general.attention));
  CHECK(weights_of(own.attention) != weights_of(other.attention));
}

TEST_CASE("a mechanism of the program's own attends in place of the axes") {
  const OwnConfig own = config_of("attention: {mechanism: flat, gate: none}", own_registry());
  for (const Real weight : weights_of(own.attention)) CHECK(weight == Approx(1.0 / 3));
}

TEST_CASE("names that nobody added are refused, with those that were") {
  CHECK_THROWS_WITH(config_of("attention: {score: own}", nullptr),
                    Contains("own.yaml:1:20: attention.score: 'own' is not one of additive"));
  CHECK_THROWS_WITH(config_of("attention: {score: onw}", own_registry()),
                    Contains("did you mean 'own'?"));
  CHECK_THROWS_AS(config_of("attention: {mechanism: own}", own_registry()), UsageError);

  AttentionRegistry registry;
  const auto make = [](const ParamScope& scope, const AttentionWidths& widths) {
    return std::make_unique<OwnScore>(scope, widths);
  };
  for (const char* name : {"", "Own", "own score", "additive", "none"}) {
    INFO(name);
    CHECK_THROWS_AS(registry.scores.add({.name = name, .doc = ""}, make), UsageError);
  }
  registry.scores.add({.name = "own", .doc = ""}, make);
  CHECK_THROWS_AS(registry.scores.add({.name = "own", .doc = ""}, make), UsageError);
  CHECK(registry.scores.rows().back().name == "own");
  CHECK_THROWS_AS(registry.scores.add({.name = "nobody", .doc = ""}, nullptr), UsageError);
}

TEST_CASE("choices of a plugin have its name before theirs, in every config and registry") {
  const std::string yaml = "attention: {score: mine.own, gate: none}";
  CHECK_THROWS_WITH(config_of(yaml, nullptr),
                    Contains("own.yaml:1:20: attention.score: 'mine.own' belongs to the plugin "
                             "'mine', which is not loaded; give its shared library (--plugin"));
  CHECK_THROWS_AS(add_plugin_choices("mine", AttentionRegistry()), UsageError);
  CHECK_THROWS_AS(add_plugin_choices("Mine", *own_registry()), UsageError);
  add_plugin_choices("mine", *own_registry());
  add_plugin_choices("other", *own_registry());

  const OwnConfig general = config_of("attention: {score: general, gate: none}", nullptr);
  for (const auto& registry : {std::shared_ptr<AttentionRegistry>(), own_registry()}) {
    const OwnConfig own = config_of(yaml, registry);
    CHECK(weights_of(own.attention) == weights_of(general.attention));
    CHECK_THAT(print_config(own), Contains("score: mine.own"));
    config_of("attention: {mechanism: other.flat, gate: none}", registry);
  }
  CHECK_THROWS_WITH(config_of("attention: {score: mine.onw}", nullptr),
                    Contains("is not one of additive") && Contains("did you mean 'mine.own'?"));
  CHECK_THROWS_WITH(config_of("attention: {gate: mine.own}", nullptr),
                    Contains("'mine.own' is not one of none"));
}

TEST_CASE("files that are no plugins are refused") {
  const TempFolder folder("plugin");
  const auto refused = [&](const std::filesystem::path& file, const std::string& reason) {
    INFO(reason);
    try {
      load_plugin(file);
      FAIL("it was loaded");
    } catch (const DataError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith(file.string() + ": ") && Contains(reason));
    }
  };
  refused(folder.path() / "missing.so", "there is no such file");
  refused(folder.path(), "there is no such file");
  std::ofstream(folder.path() / "text.so") << "no library";
  refused(folder.path() / "text.so", "cannot be loaded as a plugin");
  refused(SACCADE_OLD_PLUGIN, "the plugin was built for the source tree; build it");
  CHECK(loaded_plugins().empty());
}

}  // namespace
}  // namespace saccade::test

// The random numbers of draws: every draw of every sample has numbers of its own.
namespace saccade {

TEST_CASE("no two draws share random numbers, however many a caption has") {
  // Up to what the limits allow: 256 heads, 64 layers and 1,000 words.
  std::set<std::uint64_t> keys;
  std::size_t count = 0;
  for (const Index sample : {0, 1, 2, 3, 255, 256, 65535, 65536, 1 << 24})
    for (const Index draw : {0, 1, 65533, 65534, 65535, 65536, 131070, 131071, 1 << 20, 16384000}) {
      keys.insert(glimpse_key({1, Stream::kAttention, 0, 0}, sample, draw).sample);
      ++count;
    }
  CHECK(keys.size() == count);
  // The coin of a sample has its number 0.
  for (const std::uint64_t sample : {0, 1, 2, 65536}) CHECK(keys.count(sample << 16) == 0);
}

TEST_CASE("the first 65,535 draws of a caption keep the numbers that they always had") {
  const RandomKey key{1, Stream::kAttention, 4, 30};
  CHECK(glimpse_key(key, 0, 0).sample == (30U << 16) + 1);
  CHECK(glimpse_key(key, 2, 7).sample == (32U << 16) + 8);
  CHECK(glimpse_key(key, 2, 65534).sample == (32U << 16) + 65535);
  CHECK(glimpse_key(key, 2, 65534).step == 4);
}

TEST_CASE("a caption's later draws are not its neighbour's first ones") {
  const std::vector<Real> even(64, Real{1} / 64);
  std::vector<int> late, first;
  for (Index draw = 0; draw < 40; ++draw) {
    TrainingSampler caption({1, Stream::kAttention, 0, 5}, {.expectation_share = 0, .captions = 1}),
        next({1, Stream::kAttention, 0, 6}, {.expectation_share = 0, .captions = 1});
    late.push_back(caption.choose({.weights = even, .draw = draw + 65536}).region);
    first.push_back(next.choose({.weights = even, .draw = draw}).region);
  }
  CHECK(late != first);
}

}  // namespace saccade
