#include "tests/gradcheck/gradcheck.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/support/catch.h"

namespace saccade::test {
namespace {

const std::vector<GradientCase>& all_cases() {
  static const std::vector<GradientCase> cases = [] {
    std::vector<GradientCase> all;
    for (auto family : {pointwise_cases, linear_cases, shape_cases, attention_cases,
                        normalizer_cases, alignment_cases, sequence_cases, conv_cases, norm_cases,
                        sequence_attention_cases, estimator_cases, supervision_cases}) {
      std::vector<GradientCase> some = family();
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }();
  return cases;
}

// Every function of the headers of core/ops that gives variables.
std::set<std::string> declared_ops() {
  static const std::regex declaration("^(Var|LstmState) (\\w+)\\(");
  std::set<std::string> ops;
  for (const auto& entry : std::filesystem::directory_iterator(SACCADE_OPS)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    std::smatch found;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, found, declaration)) ops.insert(found[2]);
  }
  return ops;
}

}  // namespace

TEST_CASE("the gradient of every op is the gradient of its value") {
  for (const GradientCase& c : all_cases()) DYNAMIC_SECTION(c.op << ": " << c.name) {
      check_gradients(c);
    }
}

TEST_CASE("every declared op has a gradient case, and every case is of a declared op") {
  const std::set<std::string> declared = declared_ops();
  REQUIRE_FALSE(declared.empty());
  std::set<std::string> checked;
  std::set<std::pair<std::string, std::string>> names;
  for (const GradientCase& c : all_cases()) {
    CAPTURE(c.op, c.name);
    CHECK(declared.count(c.op) == 1);
    CHECK(names.emplace(c.op, c.name).second);  // of sections with equal names, only one would run
    checked.insert(c.op);
  }
  std::vector<std::string> unchecked;
  std::set_difference(declared.begin(), declared.end(), checked.begin(), checked.end(),
                      std::back_inserter(unchecked));
  CAPTURE(unchecked);
  CHECK(unchecked.empty());
}

}  // namespace saccade::test
