#include "core/ops/differential.h"
#include "core/ops/graph_attention.h"
#include "core/ops/linear.h"
#include "core/ops/linear_attention.h"
#include "core/ops/pointwise.h"
#include "core/ops/project_length.h"
#include "core/ops/sdpa.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
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

const AttentionMask kShared{
    .pattern = Pattern::kNeighbours, .starts = kStarts, .neighbours = kNeighbours},
    kOwn{.pattern = Pattern::kNeighbours, .starts = kOwnStarts, .neighbours = kOwnNeighbours},
    kGlobal{.pattern = Pattern::kWindow, .radius = 1, .global = 2},
    kCausalAllowed{.pattern = Pattern::kCausal, .allowed = kFirstAllowed};

void add_sdpa_cases(std::vector<GradientCase>& cases) {
  const SdpaCase all[] = {
      {"one query, one key", 1, 1, 1, 1, 1, 1, {}},
      {"two heads, more keys than queries", 2, 2, 3, 2, 2, 3, {}},
      {"causal", 1, 3, 3, 2, 2, 1, {.pattern = Pattern::kCausal}},
      {"causal, with keys before the first query", 2, 2, 4, 1, 2, 2, {.pattern = Pattern::kCausal}},
      {"window", 1, 5, 5, 1, 2, 2, {.pattern = Pattern::kWindow, .radius = 1}},
      {"window and global positions", 2, 5, 5, 2, 1, 2, kGlobal},
      {"neighbours", 2, 3, 3, 2, 2, 2, kShared},
      {"neighbours of each sample", 2, 3, 3, 1, 2, 2, kOwn},
      {"lengths", 2, 2, 4, 1, 2, 2, {.lengths = kLengths}},
      {"allowed keys", 2, 2, 4, 2, 1, 2, {.allowed = kAllowed}},
      {"two blocks of queries and of keys", 1, 257, 258, 1, 1, 1, {}},
  };
  for (const SdpaCase& s : all) {
    const Shape q{s.batch, s.queries, s.heads * s.width}, k{s.batch, s.keys, s.heads * s.width},
        v{s.batch, s.keys, s.heads * s.value_width};
    cases.push_back({"sdpa", s.name, random_tensors({q, k, v}, std::string("sdpa ") + s.name),
                     [heads = s.heads, mask = s.mask](Tape&, Inputs in) -> Outputs {
                       return {ops::sdpa(in[0], in[1], in[2], heads, mask)};
                     }});
  }
  cases.push_back({"sdpa", "one sequence as queries, keys and values, twice",
                   random_tensors({{2, 3, 2}}, "sdpa shared"), [](Tape&, Inputs in) -> Outputs {
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
      {"causal with allowed keys", 2, 4, 4, 2, 2, 2, kCausalAllowed},
  };
  for (const SdpaCase& s : all) {
    const Shape q{s.batch, s.queries, s.heads * s.width}, k{s.batch, s.keys, s.heads * s.width},
        v{s.batch, s.keys, s.heads * s.value_width};
    cases.push_back({"linear_attention", s.name,
                     random_tensors({q, k, v}, std::string("linear attention ") + s.name),
                     [heads = s.heads, mask = s.mask](Tape&, Inputs in) -> Outputs {
                       return {ops::linear_attention(in[0], in[1], in[2], heads, mask)};
                     }});
  }
  cases.push_back({"linear_attention", "one sequence as queries, keys and values",
                   random_tensors({{2, 3, 2}}, "linear attention shared"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::linear_attention(in[0], in[0], in[0], 2, {})};
                   }});
}

void add_graph_attention_cases(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, Index heads, const AttentionMask& mask) {
    cases.push_back({"graph_attention", name,
                     random_tensors({{2, 3, 4}, {4}, {4}}, std::string("graph ") + name),
                     [heads, mask](Tape&, Inputs in) -> Outputs {
                       const Var y = ops::graph_attention(in[0], in[1], in[2], heads, mask);
                       return {y, ops::graph_attention(y, in[2], in[1], heads, mask)};
                     }});
  };
  add("shared lists, twice", 2, kShared);
  add("own lists for each sample", 1, kOwn);
}

void add_differential_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"differential", "all vectors",
                   random_tensors({{2, 3}, {2, 3}, {4}, {4}, {4}, {4}}, "differential", 0.5),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::differential(in[0], in[1], {in[2], in[3], in[4], in[5]}, 0.8)};
                   }});
  cases.push_back({"differential", "shared vectors and inputs",
                   random_tensors({{2, 3}, {2}}, "differential shared", 0.5),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::differential(in[0], in[0], {in[1], in[1], in[1], in[1]}, 0.2)};
                   }});
  for (const Index width : {1, 5})
    cases.push_back({"rms_norm", str("rows of ", width, ", twice"),
                     random_tensors({{2, 2, width}, {width}}, str("rms ", width)),
                     [](Tape&, Inputs in) -> Outputs {
                       const Var y = ops::rms_norm(in[0], in[1], 0.1);
                       return {y, ops::rms_norm(y, in[1], 0.1)};
                     }});
}

void add_project_length_cases(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::span<const int> lengths) {
    cases.push_back({"project_length", name,
                     random_tensors({{2, 3, 2}, {5, 4}}, std::string("project ") + name),
                     [lengths](Tape&, Inputs in) -> Outputs {
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

namespace {

// lstm_cell and gru_cell overwrite their gates, which therefore have to be a value that the tape
// computed.
Var own(Var leaf) { return ops::scale(leaf, 1); }

void add_lstm_cases(std::vector<GradientCase>& cases) {
  for (const Index rows : {1, 3})
    cases.push_back({"lstm_cell", "both outputs, " + std::to_string(rows) + " rows",
                     random_tensors({{rows, 8}, {rows, 2}}, "lstm" + std::to_string(rows)),
                     [](Tape&, Inputs in) -> Outputs {
                       const ops::LstmState state = ops::lstm_cell(own(in[0]), in[1]);
                       return {state.h, state.c};
                     }});
  cases.push_back(
      {"lstm_cell", "h alone", random_tensors({{2, 12}, {2, 3}}, "lstm h"),
       [](Tape&, Inputs in) -> Outputs { return {ops::lstm_cell(own(in[0]), in[1]).h}; }});
  cases.push_back(
      {"lstm_cell", "c alone", random_tensors({{2, 12}, {2, 3}}, "lstm c"),
       [](Tape&, Inputs in) -> Outputs { return {ops::lstm_cell(own(in[0]), in[1]).c}; }});
  // As in a decoder, the gates of all words are one product, the recurrence works in place, and
  // every step has fewer rows.
  cases.push_back({"lstm_cell", "a recurrence over shrinking rows",
                   random_tensors({{6, 3}, {3, 8}, {8}, {2, 8}, {3, 2}, {3, 2}}, "lstm recurrence"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var gates = ops::linear(in[0], in[1], in[2]);
                     ops::LstmState state{in[4], in[5]};
                     Outputs hidden;
                     Index first = 0;
                     for (const Index rows : {3, 2, 1}) {
                       const Var step =
                           ops::accumulate_linear(ops::slice_rows(gates, first, rows),
                                                  ops::first_rows(state.h, rows), in[3]);
                       state = ops::lstm_cell(step, ops::first_rows(state.c, rows));
                       hidden.push_back(state.h);
                       first += rows;
                     }
                     return {ops::concat_rows(hidden), state.c};
                   },
                   Alone::kNo});
}

void add_gru_cases(std::vector<GradientCase>& cases) {
  for (const Index rows : {1, 3})
    cases.push_back(
        {"gru_cell", std::to_string(rows) + " rows",
         random_tensors({{rows, 6}, {rows, 6}, {rows, 2}}, "gru" + std::to_string(rows)),
         [](Tape&, Inputs in) -> Outputs { return {ops::gru_cell(own(in[0]), in[1], in[2])}; }});
  cases.push_back({"gru_cell", "a recurrence over shrinking rows",
                   random_tensors({{6, 3}, {3, 6}, {6}, {2, 6}, {6}, {3, 2}}, "gru recurrence"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var gates = ops::linear(in[0], in[1], in[2]);
                     Var h = in[5];
                     Outputs hidden;
                     Index first = 0;
                     for (const Index rows : {3, 2, 1}) {
                       h = ops::first_rows(h, rows);
                       h = ops::gru_cell(ops::slice_rows(gates, first, rows),
                                         ops::linear(h, in[3], in[4]), h);
                       hidden.push_back(h);
                       first += rows;
                     }
                     return {ops::concat_rows(hidden)};
                   },
                   Alone::kNo});
}

Tensor extreme_logits() {
  return Tensor({3, 4}, std::vector<Real>{
                            300, -300, 0, 299.5,    // the target is ahead by little
                            -300, 300, 299, -1,     // the target is far behind
                            -300, -300, -301, -302  // all are far below 0
                        });
}

void add_cross_entropy_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"cross_entropy", "several rows", random_tensors({{3, 5}}, "cross_entropy", 2),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::cross_entropy(in[0], std::vector<int>{0, 4, 2})};
                   }});
  cases.push_back({"cross_entropy", "one row, logits used twice",
                   random_tensors({{1, 3}}, "cross_entropy twice"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var logits = ops::tanh(in[0]);
                     return {ops::cross_entropy(logits, std::vector<int>{1}),
                             ops::cross_entropy(logits, std::vector<int>{2}), logits};
                   }});
  cases.push_back({"cross_entropy", "one class",
                   random_tensors({{2, 1}}, "cross_entropy one class"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::cross_entropy(in[0], std::vector<int>{0, 0})};
                   }});
  std::vector<Tensor> extreme;
  extreme.push_back(extreme_logits());
  cases.push_back(
      {"cross_entropy", "extreme logits", std::move(extreme), [](Tape&, Inputs in) -> Outputs {
         return {ops::cross_entropy(in[0], std::vector<int>{0, 0, 2})};
       }});
  // The losses read slices of one block: the second one must not overwrite the gradient of the
  // first.
  cases.push_back(
      {"cross_entropy", "slices of one block", random_tensors({{4, 3}}, "cross_entropy slices"),
       [](Tape&, Inputs in) -> Outputs {
         const Var block = ops::scale(in[0], 2);
         return {ops::cross_entropy(ops::first_rows(block, 3), std::vector<int>{0, 1, 2}),
                 ops::cross_entropy(ops::slice_rows(block, 1, 3), std::vector<int>{2, 2, 1}),
                 ops::cross_entropy(block, std::vector<int>{1, 1, 0, 0})};
       }});
}

void add_logit_margin_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"logit_margin", "a target before the classes of the mean, and nine of them",
                   random_tensors({{3, 11}}, "logit_margin"), [](Tape&, Inputs in) -> Outputs {
                     return {ops::logit_margin(in[0], std::vector<int>{0, 10, 2}, 2)};
                   }});
  // In a loss with smoothed labels both ops read the same logits. Their order must not matter.
  cases.push_back({"logit_margin", "beside the cross-entropy",
                   random_tensors({{2, 4}}, "logit_margin cross_entropy", 2),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var logits = ops::tanh(in[0]);
                     const std::vector<int> targets{1, 3};
                     const Var before = ops::logit_margin(logits, targets, 0);
                     const Var nll = ops::cross_entropy(logits, targets);
                     return {before, nll, ops::logit_margin(logits, targets, 1)};
                   }});
}

}  // namespace

std::vector<GradientCase> sequence_cases() {
  std::vector<GradientCase> cases;
  add_lstm_cases(cases);
  add_gru_cases(cases);
  add_cross_entropy_cases(cases);
  add_logit_margin_cases(cases);
  return cases;
}

}  // namespace saccade::test
