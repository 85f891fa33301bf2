// Ops of word-by-word decoders: the LSTM step and the loss of the words.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

struct LstmState {
  Var h, c;  // [R, H]
};
// One LSTM step from the gates' pre-activations [R, 4H] in the order i, f, g, o and the cell [R,
// H]. Overwrites the value of `gates` with the activations: nothing else may read it.
LstmState lstm_cell(Var gates, Var c_prev);

// One GRU step (r, z, n as kernels::gru_cell says) from what the input gives to the gates [R, 3H],
// what the state before gives, its own biases with it, [R, 3H], and that state [R, H] -> [R, H].
// Overwrites the value of `input` with the activations: nothing else may read it.
Var gru_cell(Var input, Var hidden, Var h_prev);

// Negative log-likelihood of each row's target: logits [R, V], targets [R] in [0, V) -> [R].
Var cross_entropy(Var logits, std::span<const int> targets);

// How far each row's target stands above the mean of the logits from class `first` on: logits
// [R, V], targets [R] in [0, V), first in [0, V) -> [R]. e of it and the cross-entropy make the
// cross-entropy against (1 - e) onehot(target) + e uniform(first .. V-1): the sum over all classes
// of exp(logit) cancels.
Var logit_margin(Var logits, std::span<const int> targets, Index first);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
