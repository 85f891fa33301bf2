// Attention as a choice on each axis: score x scope x normalizer x selection x gate.
#pragma once

#include <memory>

#include "core/attention/attention.h"
#include "core/attention/score.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// f_beta of Xu et al. 2015: beta = sigmoid(w' h + b) scales the whole context.
class ScalarGate {
 public:
  ScalarGate(const ParamScope& scope, Index query_width);
  Var operator()(Tape& tape, Var query) const;  // [R, Q] -> [R, 1]

 private:
  int weight_, bias_;
};

class ComposedAttention : public Attention {
 public:
  // gate may be none. temperature > 0 divides the scores before the softmax.
  ComposedAttention(std::unique_ptr<Score> score, double temperature,
                    std::unique_ptr<ScalarGate> gate);
  AttentionMemory prepare(Tape& tape, Var features, Index group) const override;
  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory,
                 const AttendContext& context) const override;

 private:
  std::unique_ptr<Score> score_;
  Real inverse_temperature_;
  std::unique_ptr<ScalarGate> gate_;
};

// The baseline without attention: every word sees the mean feature, as a plain CNN+RNN captioner
// does; the weights are uniform.
class MeanAttention : public Attention {
 public:
  explicit MeanAttention(std::unique_ptr<ScalarGate> gate) : gate_(std::move(gate)) {}
  AttentionMemory prepare(Tape& tape, Var features, Index group) const override;
  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory,
                 const AttendContext& context) const override;

 private:
  std::unique_ptr<ScalarGate> gate_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
