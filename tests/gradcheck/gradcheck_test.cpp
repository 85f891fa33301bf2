#include "tests/gradcheck/gradcheck.h"

#include <iterator>

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

const std::set<std::string> kOps = {
#define SACCADE_OP(name) #name,
#include "core/ops/op_list.def"
#undef SACCADE_OP
};

}  // namespace

TEST_CASE("the gradient of every op is the gradient of its value") {
  for (const GradientCase& c : all_cases()) DYNAMIC_SECTION(c.op << ": " << c.name) {
      check_gradients(c);
    }
}

TEST_CASE("every op of the list has a gradient case, and every case is of an op of the list") {
  std::set<std::string> checked;
  std::set<std::pair<std::string, std::string>> names;
  for (const GradientCase& c : all_cases()) {
    CAPTURE(c.op, c.name);
    CHECK(kOps.count(c.op) == 1);
    CHECK(names.emplace(c.op, c.name).second);  // of sections with equal names, only one would run
    checked.insert(c.op);
  }
  std::vector<std::string> unchecked;
  std::set_difference(kOps.begin(), kOps.end(), checked.begin(), checked.end(),
                      std::back_inserter(unchecked));
  CAPTURE(unchecked);
  CHECK(unchecked.empty());
}

}  // namespace saccade::test
