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

// Negative log-likelihood of each row's target: logits [R, V], targets [R] in [0, V) -> [R].
Var cross_entropy(Var logits, std::span<const int> targets);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
