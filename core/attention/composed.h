// Attention as a choice on each axis: score x scope x normalizer x selection x heads x gate.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/attention/attention.h"
#include "core/attention/axes.h"
#include "core/attention/gate.h"
#include "core/attention/scopes/scope.h"
#include "core/attention/scores/score.h"

namespace saccade {

inline namespace SACCADE_NUMERIC {

// A head makes a map of its own. With several heads, each one weighs values of its own, of width
// D / H (Vaswani et al. 2017, section 3.2.2), and the contexts of all heads stand side by side. A
// single head weighs the features themselves, unless it is given a projection, too. The output
// matrix is optional, because the decoder's next layer is one.
struct AttentionHead {
  std::unique_ptr<Score> score;
  std::unique_ptr<Scope> scope;
  int value_weight = -1;  // [D, D / H]; -1: it weighs the features themselves
  int log_scale = -1;     // [1], t where the scores are multiplied by exp(t); -1: they are not
};

// How the weights turn a memory into a context.
struct SelectionOptions {
  SelectionTraits traits{};
  Index k = 0;                    // for top_k
  double gumbel_temperature = 1;  // for gumbel_st, unless the context gives another
};

struct ComposedParts {
  std::vector<AttentionHead> heads;
  std::string normalizer = "softmax";
  double temperature = 1;  // divides the scores, unless the context gives another
  SelectionOptions selection;
  int output_weight = -1;    // W_O [D, D]; -1: none
  int sentinel_weight = -1;  // [S, D]; -1: none
  int sentinel_key = -1;  // [S, K], makes the sentinel's key where regions have keys of their own
  std::unique_ptr<Gate> gate;  // may be none
};

class ComposedAttention : public Attention {
 public:
  explicit ComposedAttention(ComposedParts parts);
  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override;
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override;
  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var> state,
                 const AttendContext& context) const override;
  Promises promises() const override;

 private:
  // What one head computes: its part of the context, its weights (the sentinel's is the last), and
  // its state.
  struct HeadOutput {
    Var context, weights, surrogate;
    RegionDraws draws;  // nothing unless regions are chosen
    std::vector<Var> state;
  };
  // The sentinel [R, D] and its key [R, K]; none without a sentinel.
  struct SentinelVectors {
    Var value, key;
  };
  HeadOutput attend_head(Tape& tape, std::size_t head, Var query, const AttentionMemory& memory,
                         std::span<const Var> state, const SentinelVectors& sentinel,
                         const AttendContext& context) const;
  // The scores of the memory's regions, and the sentinel's as the last.
  Var scores_of(Tape& tape, const AttentionHead& head, Var query, Var keys, Index group,
                const SentinelVectors& sentinel, const AttendContext& context) const;

  // near_regions.cpp: the output of a head whose scope shows a few regions, where nothing has to be
  // chosen.
  HeadOutput attend_near(Tape& tape, std::size_t head, Var query, const AttentionMemory& memory,
                         const NearRegions& near, const SentinelVectors& sentinel,
                         const AttendContext& context) const;

  // sentinel.cpp: the sentinel that the decoder made, as the scores and values of regions are.
  SentinelVectors sentinel_of(Tape& tape, const AttendContext& context) const;
  // Its score [R, 1].
  static Var sentinel_score(Tape& tape, const AttentionHead& head, Var query, Var key);
  // Adds what the sentinel gives to a head's context, `share` [R, 1] of it.
  static Var with_sentinel(Tape& tape, const AttentionHead& head, Var context, Var sentinel,
                           Var share);

  // draws.cpp: lets the observer choose which regions a head takes, and makes its draws, its
  // context without the sentinel's part and its surrogate. `on_regions` are the weights without the
  // sentinel's.
  void take_regions(Tape& tape, std::size_t head, const AttentionMemory& memory, Var on_regions,
                    Weighed& weighed, const AttendContext& context, HeadOutput& out) const;
  // The weights that make the context: those of the map, or a relaxed draw from them.
  Var context_weights(Tape& tape, const Weighed& weighed, const AttendContext& context) const;
  // How much of the sentinel a row takes [R, 1]: its weight or, where a choice was made, all or
  // nothing.
  static Var sentinel_share(Tape& tape, Var weights, std::span<const int> chosen);
  // The region that all heads took in each row, and -1 where they differ or took none.
  static std::span<const int> common_choice(Tape& tape, std::span<const RegionDraws> draws,
                                            Index regions);

  ComposedParts parts_;
  Normalizer normalizer_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
