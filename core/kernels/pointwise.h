// Element-wise kernels and reductions of rows, vectorised by Eigen. reference/ holds plain
// versions.
#pragma once

#include <span>

#include "core/base/random.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// Whether a gradient is assigned or added.
enum class Write { kAssign, kAccumulate };

void tanh(ConstView x, View y);
void sigmoid(ConstView x, View y);
void relu(ConstView x, View y);
void leaky_relu(ConstView x, Real slope, View y);  // max(x, slope x); slope in [0, 1)
void exp(ConstView x, View y);   // the result for -infinity may be tiny instead of 0
void gelu(ConstView x, View y);  // x / 2 (1 + erf(x / sqrt(2)))
// dx += dy (1 - y^2), dx += dy y (1 - y), dx = or += dy [y > 0], dx += dy (slope unless y > 0).
// What is assigned may be dy itself.
void tanh_backward(ConstView y, ConstView dy, View dx);
void sigmoid_backward(ConstView y, ConstView dy, View dx);
void relu_backward(ConstView y, ConstView dy, View dx, Write write);
void leaky_relu_backward(ConstView y, Real slope, ConstView dy, View dx);
// dx = or += dy (Phi(x) + x phi(x)), with Phi and phi of the normal distribution.
void gelu_backward(ConstView x, ConstView dy, View dx, Write write);

void add(ConstView a, ConstView b, View y);                 // y = a + b
void multiply(ConstView a, ConstView b, View y);            // y = a * b
void accumulate(ConstView x, View y, Real factor = 1);      // y += factor * x
void accumulate_product(ConstView a, ConstView b, View y);  // y += a * b
void add_row(ConstView row, View y);                        // every row of y += row
void sum_rows(ConstView x, View row);                       // row += sum of the rows of x
// y[r, :] = x[r, :] * factor[r]; factor holds one number per row.
void scale_rows(ConstView x, ConstView factor, View y);

// Inverted dropout: keep[i] is 1 with probability 1 - rate, and y = x keep / (1 - rate).
void dropout(const RandomKey& key, double rate, ConstView x, View y, std::uint8_t* keep);
void dropout_backward(const std::uint8_t* keep, double rate, ConstView dy, View dx);  // dx += ...

// Softmax over the last axis, stable for any finite input. -infinity gives exactly 0 if the row has
// a finite number. y may be x.
void softmax(ConstView x, View y);
void softmax_backward(ConstView y, ConstView dy, View dx);  // dx += y (dy - <dy, y>)

// norm[r] = max(|x[r]|_2, floor), y = x / norm; x, y [..., D], and norm holds one number per row.
void normalize_rows(ConstView x, Real floor, View y, View norm);
// dx += (dy - y <y, dy>) / norm; where the norm is the floor, dx += dy / floor.
void normalize_rows_backward(ConstView y, ConstView norm, Real floor, ConstView dy, View dx);

// nll[r] = log sum_v exp(logits[r, v]) - logits[r, target[r]]; lse[r] keeps the first term.
void cross_entropy(ConstView logits, std::span<const int> targets, View nll, View lse);
// dlogits[r, :] = (or +=, with accumulate) dnll[r] (softmax(logits[r]) - onehot(target[r])).
void cross_entropy_backward(ConstView logits, std::span<const int> targets, ConstView lse,
                            ConstView dnll, View dlogits, Write write);

// One LSTM step (Hochreiter and Schmidhuber 1997; gates as in Xu et al. 2015 eq. 1-3).
// gates [R, 4H] holds the pre-activations of i, f, g, o and is overwritten by the activations;
// c_prev, c, h, tanh_c are [R, H]: c = f c_prev + i g, h = o tanh(c).
void lstm_cell(View gates, ConstView c_prev, View c, View tanh_c, View h);
// dgates = gradients of the pre-activations (assigned); dc_prev += f (dc + dh o (1 - tanh_c^2)).
void lstm_cell_backward(ConstView gates, ConstView c_prev, ConstView tanh_c, ConstView dc,
                        ConstView dh, View dgates, View dc_prev);

// One GRU step (Cho et al. 2014, with the reset gate after the recurrent product, as in cuDNN): r,
// z = sigmoid(input + hidden), n = tanh(input_n + r hidden_n), h = (1 - z) n + z h_prev. input [R,
// 3H] holds what the input adds to r, z and n, and is overwritten by their values; hidden [R, 3H]
// holds what h_prev adds; h_prev, h [R, H].
void gru_cell(View input, ConstView hidden, ConstView h_prev, View h);
// dinput = gradients of the pre-activations (assigned); dhidden and dh_prev are added to.
void gru_cell_backward(ConstView gates, ConstView hidden, ConstView h_prev, ConstView dh,
                       View dinput, View dhidden, View dh_prev);

namespace reference {
void tanh(ConstView x, View y);
void sigmoid(ConstView x, View y);
void gelu(ConstView x, View y);
void softmax(ConstView x, View y);
void cross_entropy(ConstView logits, std::span<const int> targets, View nll, View lse);
void lstm_cell(View gates, ConstView c_prev, View c, View tanh_c, View h);
void gru_cell(View input, ConstView hidden, ConstView h_prev, View h);
}  // namespace reference

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
