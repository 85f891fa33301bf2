// Ops of word-by-word decoders: the steps of LSTM and GRU, and the loss of the words.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

struct LstmState {
  Var h, c;  // [R, H]
};
// One LSTM step from the pre-activations of the gates [R, 4H], in the order i, f, g, o, and the
// cell [R, H]. It overwrites the value of `gates` with the activations, so nothing else may read
// it.
LstmState lstm_cell(Var gates, Var c_prev);

// One GRU step (r, z, n as in kernels::gru_cell). input [R, 3H] is what the input adds to the
// gates, hidden [R, 3H] what the previous state adds, including biases of its own, and h_prev that
// state [R, H] -> [R, H]. It overwrites the value of `input` with the activations, so nothing else
// may read it.
Var gru_cell(Var input, Var hidden, Var h_prev);

// The negative log-likelihood of each row's target: logits [R, V], targets [R] in [0, V) -> [R].
Var cross_entropy(Var logits, std::span<const int> targets);

// The logit of each row's target minus the mean of the logits from class `first` on: logits [R, V],
// targets [R] in [0, V), first in [0, V) -> [R]. The cross-entropy plus e times this margin is the
// cross-entropy against (1 - e) onehot(target) + e uniform(first .. V-1), because log sum exp
// cancels.
Var logit_margin(Var logits, std::span<const int> targets, Index first);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
