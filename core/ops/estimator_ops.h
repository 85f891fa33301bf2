// Ops that train choices: the score-function gradients of drawn regions, and a likelihood that
// needs no draws. R rows (queries), L regions.
#pragma once

#include <span>

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The constants of the REINFORCE estimator for hard attention.
struct Reinforce {
  // d loss / d log p(s) of every choice: lambda_r (cost - baseline) times the caption's share of
  // the loss. It is filled after the forward pass and read in backward. There is one number per
  // row, and the rows of all calls are in one array.
  const Real* advantage = nullptr;
  // The weight of the entropy bonus: lambda_e times the caption's share of the loss.
  Real entropy_weight = 0;
};
// Where the rows of one call start among those of the estimator.
struct ReinforceRows {
  const Reinforce* estimator = nullptr;  // must outlive backward
  Index first = 0;  // the row of Reinforce::advantage that is row 0 of the call
};

// Attaches the estimator's gradient to the scores of a softmax. Returns a scalar of value 0 that is
// to be added to the loss, with the gradient
//   d/de_j = advantage (s_j - alpha_j)   [rows with a choice]
//          + entropy_weight alpha_j (log alpha_j + H)   [all rows; the loss falls as H rises]
// in logit space, where nothing is divided by alpha (Xu et al. 2015, eq. 12). scores, weights
// [R, L]; chosen [R], -1 where the expectation was taken. Throws ShapeError on other shapes.
Var reinforce(Var scores, Var weights, std::span<const int> chosen, const ReinforceRows& rows);

// The same for the weights of any normalizer: a scalar of value 0 with the gradient
//   d/dalpha_j = advantage s_j / alpha_j + entropy_weight (log alpha_j + 1)
// where alpha_j > 0, and 0 elsewhere: a region of weight 0 is never drawn, and no normalizer passes
// a gradient to it. Throws ShapeError where chosen has another number of rows than weights.
Var reinforce_weights(Var weights, std::span<const int> chosen, const ReinforceRows& rows);

// -log sum_l weights[r, l] exp(-nll[r, l]) -> [R]: the negative log-likelihood of a word, with the
// region summed out. A region of weight 0 does not count and gets no gradient. weights, nll [R, L].
// Throws ShapeError where their shapes differ or L is 0.
Var marginal_nll(Var weights, Var nll);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
