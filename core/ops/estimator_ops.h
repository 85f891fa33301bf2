// Ops that train choices: score-function gradients of what was drawn, and the likelihood in which
// nothing is. R rows (queries), L regions.
#pragma once

#include <span>

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The constants of the REINFORCE estimator for hard attention.
struct Reinforce {
  // d loss / d log p(s) of every choice, lambda_r (cost - baseline) times the caption's share of
  // the loss; filled after the forward pass, read in backward. One number per row, all calls' rows
  // in one array.
  const Real* advantage = nullptr;
  // Weight of the entropy bonus: lambda_e times the caption's share of the loss.
  Real entropy_weight = 0;
};
// The rows of one call among those of the estimator.
struct ReinforceRows {
  const Reinforce* estimator = nullptr;
  Index first = 0;
};

// Attaches the estimator's gradient to the scores of a softmax: a scalar of value 0 to be added to
// the loss, with
//   d/de_j = advantage (s_j - alpha_j)   [rows with a choice]
//          + entropy_weight alpha_j (log alpha_j + H)   [all rows; the loss falls as H rises]
// in logit space, where nothing is divided by alpha (Xu et al. 2015, eq. 12).
// scores, weights [R, L]; chosen [R], -1 where the expectation was taken.
Var reinforce(Var scores, Var weights, std::span<const int> chosen, const ReinforceRows& rows);

// The same for weights of any normalizer, in the space of weights: a scalar of value 0 with
//   d/dalpha_j = advantage s_j / alpha_j + entropy_weight (log alpha_j + 1)
// where alpha_j > 0, else 0: a region of weight 0 is never drawn, and no normalizer sends a
// gradient to it.
Var reinforce_weights(Var weights, std::span<const int> chosen, const ReinforceRows& rows);

// -log sum_l weights[r, l] exp(-nll[r, l]) -> [R]: the likelihood of a word with the region
// summed out. A region of weight 0 has no part in it and gets no gradient. weights, nll [R, L].
Var marginal_nll(Var weights, Var nll);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
