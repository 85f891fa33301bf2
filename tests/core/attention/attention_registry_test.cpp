// A program's own scores and mechanisms: their names in configs, and that they are what attends.
#include "core/attention/attention_registry.h"

#include <utility>

#include "core/attention/make_attention.h"
#include "core/attention/mean_attention.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/ops/linear.h"
#include "tests/support/catch.h"

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
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(store.views());
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

}  // namespace
}  // namespace saccade::test
