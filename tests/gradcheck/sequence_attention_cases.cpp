#include "core/ops/pointwise.h"
#include "core/ops/sdpa.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;
using Pattern = AttentionMask::Pattern;

struct SdpaCase {
  const char* name;
  Index batch, queries, keys, heads, width, value_width;
  AttentionMask mask;
};

const std::vector<Index> kStarts{0, 2, 3, 6}, kOwnStarts{0, 1, 3, 4, 6, 7, 8};
const std::vector<int> kNeighbours{0, 2, 1, 0, 1, 2}, kOwnNeighbours{2, 0, 1, 1, 1, 2, 0, 2};
const std::vector<int> kLengths{3, 2};
const std::vector<std::uint8_t> kAllowed{1, 0, 1, 1, 0, 1, 0, 0};

void add_sdpa_cases(std::vector<GradientCase>& cases) {
  const SdpaCase all[] = {
      {"one query, one key", 1, 1, 1, 1, 1, 1, {}},
      {"two heads, more keys than queries", 2, 2, 3, 2, 2, 3, {}},
      {"causal", 1, 3, 3, 2, 2, 1, {.pattern = Pattern::kCausal}},
      {"causal behind earlier keys", 2, 2, 4, 1, 2, 2, {.pattern = Pattern::kCausal}},
      {"window", 1, 5, 5, 1, 2, 2, {.pattern = Pattern::kWindow, .radius = 1}},
      {"window and global positions",
       2,
       5,
       5,
       2,
       1,
       2,
       {.pattern = Pattern::kWindow, .radius = 1, .global = 2}},
      {"neighbours",
       2,
       3,
       3,
       2,
       2,
       2,
       {.pattern = Pattern::kNeighbours, .starts = kStarts, .neighbours = kNeighbours}},
      {"neighbours of each sample",
       2,
       3,
       3,
       1,
       2,
       2,
       {.pattern = Pattern::kNeighbours, .starts = kOwnStarts, .neighbours = kOwnNeighbours}},
      {"lengths", 2, 2, 4, 1, 2, 2, {.lengths = kLengths}},
      {"allowed keys", 2, 2, 4, 2, 1, 2, {.allowed = kAllowed}},
      {"two blocks of queries and of keys", 1, 130, 260, 1, 1, 1, {}},
  };
  for (const SdpaCase& s : all) {
    const Shape q{s.batch, s.queries, s.heads * s.width}, k{s.batch, s.keys, s.heads * s.width},
        v{s.batch, s.keys, s.heads * s.value_width};
    cases.push_back({.op = "sdpa",
                     .name = s.name,
                     .inputs = random_tensors({q, k, v}, std::string("sdpa ") + s.name),
                     .build = [heads = s.heads, mask = s.mask](Tape&, Inputs in) -> Outputs {
                       return {ops::sdpa(in[0], in[1], in[2], heads, mask)};
                     }});
  }
  cases.push_back({.op = "sdpa",
                   .name = "one sequence as queries, keys and values, twice",
                   .inputs = random_tensors({{2, 3, 2}}, "sdpa shared"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var y = ops::sdpa(in[0], in[0], in[0], 2, {});
                     return {y, ops::sdpa(y, in[0], y, 1, {.pattern = Pattern::kCausal})};
                   }});
}

}  // namespace

std::vector<GradientCase> sequence_attention_cases() {
  std::vector<GradientCase> cases;
  add_sdpa_cases(cases);
  return cases;
}

}  // namespace saccade::test
