#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

// lstm_cell and gru_cell overwrite their gates, which therefore have to be a value that the tape
// computed.
Var own(Var leaf) { return ops::scale(leaf, 1); }

void add_lstm_cases(std::vector<GradientCase>& cases) {
  for (const Index rows : {1, 3})
    cases.push_back(
        {.op = "lstm_cell",
         .name = "both outputs, " + std::to_string(rows) + " rows",
         .inputs = random_tensors({{rows, 8}, {rows, 2}}, "lstm" + std::to_string(rows)),
         .build = [](Tape&, Inputs in) -> Outputs {
           const ops::LstmState state = ops::lstm_cell(own(in[0]), in[1]);
           return {state.h, state.c};
         }});
  cases.push_back(
      {.op = "lstm_cell",
       .name = "h alone",
       .inputs = random_tensors({{2, 12}, {2, 3}}, "lstm h"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::lstm_cell(own(in[0]), in[1]).h}; }});
  cases.push_back(
      {.op = "lstm_cell",
       .name = "c alone",
       .inputs = random_tensors({{2, 12}, {2, 3}}, "lstm c"),
       .build = [](Tape&, Inputs in) -> Outputs { return {ops::lstm_cell(own(in[0]), in[1]).c}; }});
  // As in a decoder, the gates of all words are one product, the recurrence works in place, and
  // every step has fewer rows.
  cases.push_back(
      {.op = "lstm_cell",
       .name = "a recurrence over shrinking rows",
       .inputs = random_tensors({{6, 3}, {3, 8}, {8}, {2, 8}, {3, 2}, {3, 2}}, "lstm recurrence"),
       .build = [](Tape&, Inputs in) -> Outputs {
         const Var gates = ops::linear(in[0], in[1], in[2]);
         ops::LstmState state{in[4], in[5]};
         Outputs hidden;
         Index first = 0;
         for (const Index rows : {3, 2, 1}) {
           const Var step = ops::accumulate_linear(ops::slice_rows(gates, first, rows),
                                                   ops::first_rows(state.h, rows), in[3]);
           state = ops::lstm_cell(step, ops::first_rows(state.c, rows));
           hidden.push_back(state.h);
           first += rows;
         }
         return {ops::concat_rows(hidden), state.c};
       },
       .alone = Alone::kNo});
}

void add_gru_cases(std::vector<GradientCase>& cases) {
  for (const Index rows : {1, 3})
    cases.push_back(
        {.op = "gru_cell",
         .name = std::to_string(rows) + " rows",
         .inputs = random_tensors({{rows, 6}, {rows, 6}, {rows, 2}}, "gru" + std::to_string(rows)),
         .build = [](Tape&, Inputs in) -> Outputs {
           return {ops::gru_cell(own(in[0]), in[1], in[2])};
         }});
  cases.push_back(
      {.op = "gru_cell",
       .name = "a recurrence over shrinking rows",
       .inputs = random_tensors({{6, 3}, {3, 6}, {6}, {2, 6}, {6}, {3, 2}}, "gru recurrence"),
       .build = [](Tape&, Inputs in) -> Outputs {
         const Var gates = ops::linear(in[0], in[1], in[2]);
         Var h = in[5];
         Outputs hidden;
         Index first = 0;
         for (const Index rows : {3, 2, 1}) {
           h = ops::first_rows(h, rows);
           h = ops::gru_cell(ops::slice_rows(gates, first, rows), ops::linear(h, in[3], in[4]), h);
           hidden.push_back(h);
           first += rows;
         }
         return {ops::concat_rows(hidden)};
       },
       .alone = Alone::kNo});
}

Tensor extreme_logits() {
  return Tensor({3, 4}, std::vector<Real>{
                            300, -300, 0, 299.5,    // the target is ahead by little
                            -300, 300, 299, -1,     // the target is far behind
                            -300, -300, -301, -302  // all are far below 0
                        });
}

void add_cross_entropy_cases(std::vector<GradientCase>& cases) {
  cases.push_back({.op = "cross_entropy",
                   .name = "several rows",
                   .inputs = random_tensors({{3, 5}}, "cross_entropy", 2),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::cross_entropy(in[0], std::vector<int>{0, 4, 2})};
                   }});
  cases.push_back({.op = "cross_entropy",
                   .name = "one row, logits used twice",
                   .inputs = random_tensors({{1, 3}}, "cross_entropy twice"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     const Var logits = ops::tanh(in[0]);
                     return {ops::cross_entropy(logits, std::vector<int>{1}),
                             ops::cross_entropy(logits, std::vector<int>{2}), logits};
                   }});
  cases.push_back({.op = "cross_entropy",
                   .name = "one class",
                   .inputs = random_tensors({{2, 1}}, "cross_entropy one class"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::cross_entropy(in[0], std::vector<int>{0, 0})};
                   }});
  std::vector<Tensor> extreme;
  extreme.push_back(extreme_logits());
  cases.push_back({.op = "cross_entropy",
                   .name = "extreme logits",
                   .inputs = std::move(extreme),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::cross_entropy(in[0], std::vector<int>{0, 0, 2})};
                   }});
  // The losses read slices of one block: the second one must not overwrite the gradient of the
  // first.
  cases.push_back(
      {.op = "cross_entropy",
       .name = "slices of one block",
       .inputs = random_tensors({{4, 3}}, "cross_entropy slices"),
       .build = [](Tape&, Inputs in) -> Outputs {
         const Var block = ops::scale(in[0], 2);
         return {ops::cross_entropy(ops::first_rows(block, 3), std::vector<int>{0, 1, 2}),
                 ops::cross_entropy(ops::slice_rows(block, 1, 3), std::vector<int>{2, 2, 1}),
                 ops::cross_entropy(block, std::vector<int>{1, 1, 0, 0})};
       }});
}

void add_logit_margin_cases(std::vector<GradientCase>& cases) {
  cases.push_back({.op = "logit_margin",
                   .name = "a target before the classes of the mean, and nine of them",
                   .inputs = random_tensors({{3, 11}}, "logit_margin"),
                   .build = [](Tape&, Inputs in) -> Outputs {
                     return {ops::logit_margin(in[0], std::vector<int>{0, 10, 2}, 2)};
                   }});
  // In a loss with smoothed labels both ops read the same logits. Their order must not matter.
  cases.push_back({.op = "logit_margin",
                   .name = "beside the cross-entropy",
                   .inputs = random_tensors({{2, 4}}, "logit_margin cross_entropy", 2),
                   .build = [](Tape&, Inputs in) -> Outputs {
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
