#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"

namespace saccade::test {

namespace {

using Inputs = std::span<const Var>;
using Outputs = std::vector<Var>;

void add_linear_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"linear", "with a bias", random_tensors({{3, 4}, {4, 5}, {5}}, "linear bias"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::linear(in[0], in[1], in[2])}; }});
  cases.push_back({"linear", "without a bias, one row, one output",
                   random_tensors({{1, 3}, {3, 1}}, "linear one"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::linear(in[0], in[1])}; }});
  cases.push_back({"linear", "rows of a tensor of rank 3",
                   random_tensors({{2, 3, 2}, {2, 3}, {3}}, "linear rank 3"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::linear(in[0], in[1], in[2])}; }});
  cases.push_back({"linear", "input and weight used twice",
                   random_tensors({{3, 3}, {3, 3}, {3}}, "linear twice"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var once = ops::linear(in[0], in[1], in[2]);
                     return {ops::linear(once, in[1], in[2]), ops::linear(in[0], in[1])};
                   }});
  cases.push_back({"linear", "the input as its own weight",
                   random_tensors({{3, 3}}, "linear square"),
                   [](Tape&, Inputs in) -> Outputs { return {ops::linear(in[0], in[0])}; }});
  // A first gradient may be assigned instead of added only if it covers the whole block.
  cases.push_back({"linear", "of slices whose block is used elsewhere",
                   random_tensors({{5, 3}, {3, 2}}, "linear slices"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::tanh(in[0]);
                     const Var tail = ops::slice_rows(block, 3, 2);
                     return {ops::linear(tail, in[1]), ops::linear(block, in[1]),
                             ops::linear(ops::first_rows(block, 1), in[1])};
                   }});
}

void add_transposed_cases(std::vector<GradientCase>& cases) {
  cases.push_back(
      {"linear_transposed", "rows of a tensor of rank 3, with a bias",
       random_tensors({{2, 3, 2}, {4, 2}, {4}}, "transposed"),
       [](Tape&, Inputs in) -> Outputs { return {ops::linear_transposed(in[0], in[1], in[2])}; }});
  // One table both embeds words and computes their logits.
  cases.push_back({"linear_transposed", "by a table of embeddings",
                   random_tensors({{4, 3}}, "transposed table"), [](Tape&, Inputs in) -> Outputs {
                     const std::vector<int> ids{2, 0, 2};
                     return {ops::linear_transposed(ops::embedding(in[0], ids), in[0])};
                   }});
}

void add_accumulate_cases(std::vector<GradientCase>& cases) {
  cases.push_back(
      {"accumulate_linear", "two accumulations into one sum",
       random_tensors({{3, 2}, {2, 4}, {3, 3}, {3, 4}, {3, 2}, {2, 4}}, "accumulate two"),
       [](Tape&, Inputs in) -> Outputs {
         Var sum = ops::linear(in[0], in[1]);
         sum = ops::accumulate_linear(sum, in[2], in[3]);
         sum = ops::accumulate_linear(sum, in[4], in[5]);
         return {ops::tanh(sum)};
       },
       Alone::kNo});
  cases.push_back({"accumulate_linear", "of a value from which the sum was computed",
                   random_tensors({{2, 3}, {3, 3}, {3, 3}}, "accumulate shared"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var sum = ops::linear(in[0], in[1]);
                     return {ops::accumulate_linear(sum, in[0], in[2])};
                   },
                   Alone::kNo});
  // A recurrence: the gates of all words are one block, and every step adds to its own slice.
  cases.push_back({"accumulate_linear", "into shrinking slices of one block",
                   random_tensors({{6, 2}, {2, 3}, {3, 3}, {3, 3}}, "accumulate slices"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::linear(in[0], in[1]);
                     Var state = in[3];
                     Outputs out;
                     Index first = 0;
                     for (const Index rows : {3, 2, 1}) {
                       const Var slice = ops::slice_rows(block, first, rows);
                       const Var sum =
                           ops::accumulate_linear(slice, ops::first_rows(state, rows), in[2]);
                       state = ops::tanh(sum);
                       out.push_back(state);
                       first += rows;
                     }
                     return out;
                   },
                   Alone::kNo});
  // Only the first step is read. The gradients of the other slices must be 0, not uninitialized
  // memory.
  cases.push_back({"accumulate_linear", "into slices of which one is never read",
                   random_tensors({{4, 2}, {2, 2}, {2, 2}, {2, 2}}, "accumulate unread"),
                   [](Tape&, Inputs in) -> Outputs {
                     const Var block = ops::linear(in[0], in[1]);
                     const Var read =
                         ops::accumulate_linear(ops::first_rows(block, 2), in[3], in[2]);
                     ops::accumulate_linear(ops::slice_rows(block, 2, 2), read, in[2]);
                     return {ops::sigmoid(read)};
                   },
                   Alone::kNo});
}

void add_embedding_cases(std::vector<GradientCase>& cases) {
  cases.push_back({"embedding", "repeated and unused words", random_tensors({{5, 3}}, "embedding"),
                   [](Tape&, Inputs in) -> Outputs {
                     return {ops::embedding(in[0], std::vector<int>{4, 1, 4, 0, 4})};
                   }});
  cases.push_back({"embedding", "one word, table used twice",
                   random_tensors({{2, 2}}, "embedding twice"), [](Tape&, Inputs in) -> Outputs {
                     return {ops::embedding(in[0], std::vector<int>{1}),
                             ops::linear(ops::embedding(in[0], std::vector<int>{0, 1}), in[0])};
                   }});
}

}  // namespace

std::vector<GradientCase> linear_cases() {
  std::vector<GradientCase> cases;
  add_linear_cases(cases);
  add_transposed_cases(cases);
  add_accumulate_cases(cases);
  add_embedding_cases(cases);
  return cases;
}

}  // namespace saccade::test
