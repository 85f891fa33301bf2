// What an encoder whose regions are tokens of a transformer shows of itself, for recorders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/sequence/transformer_block.h"

namespace saccade {

class TokenEncoder {
 public:
  virtual ~TokenEncoder() = default;
  // [B, P + L, D] of normalised pixels, as the first block gets them: P tokens without a place,
  // then the regions.
  virtual Var tokens(Tape& tape, Var pixels) const = 0;
  virtual const std::vector<TransformerBlock>& blocks() const = 0;
  // The features [B, L, D] of tokens [B, P + L, D] behind the last block.
  virtual Var features(Tape& tape, Var tokens) const = 0;
  // The class token of the same [B, D]. Throws ShapeError where there is none.
  virtual Var class_features(Tape& tape, Var tokens) const = 0;
  // P: the class token, if there is one, and the registers.
  virtual Index placeless() const = 0;
  virtual bool has_class_token() const = 0;

  // The tokens behind the last block, with what regions that do not count hold read by none. counts
  // [B, L], 0 for these; empty: all count.
  Var last_tokens(Tape& tape, Var pixels, std::span<const std::uint8_t> counts,
                  const WatchBlock& watch = {}) const;

 private:
  // Which tokens the blocks may read [B, P + L], as AttentionMask::allowed.
  std::vector<std::uint8_t> readable(std::span<const std::uint8_t> counts, Index batch) const;
};

}  // namespace saccade
