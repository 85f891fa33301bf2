// What recorders can read of an encoder whose regions are the tokens of a transformer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/sequence/transformer_block.h"

namespace saccade {

class TokenEncoder {
 public:
  virtual ~TokenEncoder() = default;
  // The encoder's input -> the input of the first block [B, P + L, D]: P tokens without a place in
  // the picture, then the regions.
  virtual Var tokens(Tape& tape, Var pixels) const = 0;
  virtual const std::vector<TransformerBlock>& blocks() const = 0;
  // The features [B, L, D] of the tokens [B, P + L, D] that the last block returned.
  virtual Var features(Tape& tape, Var tokens) const = 0;
  // The features of the class token, [B, D], of the same tokens. Throws ShapeError where there is
  // none.
  virtual Var class_features(Tape& tape, Var tokens) const = 0;
  // The features of the tokens without a place, [B, P, D], of the same tokens.
  virtual Var placeless_features(Tape& tape, Var tokens) const = 0;
  // P: the number of registers, plus 1 if there is a class token.
  virtual Index placeless() const = 0;
  virtual bool has_class_token() const = 0;

  // The tokens that the last block returns, when no token reads masked regions. mask [B, L] is 0
  // for such regions, else 1; empty: none is masked.
  Var last_tokens(Tape& tape, Var pixels, std::span<const std::uint8_t> mask,
                  const WatchBlock& watch = {}) const;

 private:
  // Which tokens the blocks may read, [B, P + L], as in AttentionMask::allowed.
  std::vector<std::uint8_t> readable(std::span<const std::uint8_t> mask, Index batch) const;
};

}  // namespace saccade
