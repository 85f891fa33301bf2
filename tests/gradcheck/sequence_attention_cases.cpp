#include "core/ops/differential.h"
#include "core/ops/graph_attention.h"
#include "core/ops/linear_attention.h"
#include "core/ops/project_length.h"
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
const std::vector<std::uint8_t> kAllowed{1, 0, 1, 1, 0, 1, 0, 0},
    kFirstAllowed{1, 0, 1, 1, 1, 1, 0, 0};

void add_sdpa_cases(std::vector<GradientCase>& cases) {
  const SdpaCase all[] = {
      {"one query, one key", 1, 1, 1, 1, 1, 1, {}},
      {"two heads, more keys than queries", 2, 2, 3, 2, 2, 3, {}},
      {"causal", 1, 3, 3, 2, 2, 1, {.pattern = Pattern::kCausal}},
      {"causal, with keys before the first query", 2, 2, 4, 1, 2, 2, {.pattern = Pattern::kCausal}},
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

void add_linear_attention_cases(std::vector<GradientCase>& cases) {
  const SdpaCase all[] = {
      {"one query, one key", 1, 1, 1, 1, 1, 1, {}},
      {"two heads, more keys than queries", 2, 2, 3, 2, 2, 3, {}},
      {"causal", 2, 3, 3, 2, 2, 1, {.pattern = Pattern::kCausal}},
      {"causal over two chunks", 1, 66, 66, 1, 2, 1, {.pattern = Pattern::kCausal}},
      {"lengths", 2, 2, 4, 1, 2, 2, {.lengths = kLengths}},
      {"causal with allowed keys",
       2,
       4,
       4,
       2,
       2,
       2,
       {.pattern = Pattern::kCausal, .allowed = kFirstAllowed}},
  };
  for (const SdpaCase& s : all) {
    const Shape q{s.batch, s.queries, s.heads * s.width}, k{s.batch, s.keys, s.heads * s.width},
        v{s.batch, s.keys, s.heads * s.value_width};
    cases.push_back({.op = "linear_attention",
                     .name = s.name,
                     .inputs = random_tensors({q, k, v}, std::string("linear attention ") + s.name),
                     .build = [heads = s.heads, mask = s.mask](Tape&, Inputs in) -> Outputs {
                       return {ops::linear_attention(in[0], in[1], in[2], heads, mask)};
                     }});
  }
  cases.push_back({.op = "linear_attention",
                   .name = "one sequence as queries, keys and values",
                   .inputs = random_tensors({{2, 3, 2}}, "linear attention shared"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::linear_attention(in[0], in[0], in[0], 2, {})};
                   }});
}

void add_graph_attention_cases(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, Index heads, const AttentionMask& mask) {
    cases.push_back({.op = "graph_attention",
                     .name = name,
                     .inputs = random_tensors({{2, 3, 4}, {4}, {4}}, std::string("graph ") + name),
                     .build = [heads, mask](Tape&, Inputs in) -> Outputs {
                       const Var y = ops::graph_attention(in[0], in[1], in[2], heads, mask);
                       return {y, ops::graph_attention(y, in[2], in[1], heads, mask)};
                     }});
  };
  add("shared lists, twice", 2,
      {.pattern = Pattern::kNeighbours, .starts = kStarts, .neighbours = kNeighbours});
  add("own lists for each sample", 1,
      {.pattern = Pattern::kNeighbours, .starts = kOwnStarts, .neighbours = kOwnNeighbours});
}

void add_differential_cases(std::vector<GradientCase>& cases) {
  cases.push_back(
      {.op = "differential",
       .name = "all vectors",
       .inputs = random_tensors({{2, 3}, {2, 3}, {4}, {4}, {4}, {4}}, "differential", 0.5),
       .build = [](Tape&, Inputs in) -> Outputs {
         return {ops::differential(in[0], in[1], {in[2], in[3], in[4], in[5]}, 0.8)};
       }});
  cases.push_back({.op = "differential",
                   .name = "shared vectors and inputs",
                   .inputs = random_tensors({{2, 3}, {2}}, "differential shared", 0.5),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::differential(in[0], in[0], {in[1], in[1], in[1], in[1]}, 0.2)};
                   }});
  for (const Index width : {1, 5})
    cases.push_back({.op = "rms_norm",
                     .name = str("rows of ", width, ", twice"),
                     .inputs = random_tensors({{2, 2, width}, {width}}, str("rms ", width)),
                     .build = [](Tape&, Inputs in) -> Outputs {
                       const Var y = ops::rms_norm(in[0], in[1], 0.1);
                       return {y, ops::rms_norm(y, in[1], 0.1)};
                     }});
}

void add_project_length_cases(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::span<const int> lengths) {
    cases.push_back({.op = "project_length",
                     .name = name,
                     .inputs = random_tensors({{2, 3, 2}, {5, 4}}, std::string("project ") + name),
                     .build = [lengths](Tape&, Inputs in) -> Outputs {
                       return {ops::project_length(in[0], in[1], lengths)};
                     }});
  };
  add("fewer positions than the map has rows", {});
  add("lengths", kLengths);
}

}  // namespace

std::vector<GradientCase> sequence_attention_cases() {
  std::vector<GradientCase> cases;
  add_sdpa_cases(cases);
  add_linear_attention_cases(cases);
  add_graph_attention_cases(cases);
  add_differential_cases(cases);
  add_project_length_cases(cases);
  return cases;
}

}  // namespace saccade::test
