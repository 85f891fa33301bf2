// What an encoder of texts reads: the numbers of tokens, and how many of them a text has. An
// input is [length] numbers, the text first and padding behind it; the grid is one row of as many
// cells, so that all that works with masks and maps of padded pictures works with texts.
#pragma once

#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/grid.h"

namespace saccade {

// The number of a token in the input is its place in EncoderConfig::words plus 1; this one stands
// for padding.
inline constexpr int kPaddingToken = 0;

// The numbers of the tokens [B, L] of an input [B, L]. Throws ShapeError where the input has
// another length or a number is that of no token.
std::vector<int> token_numbers(ConstView input, const EncoderConfig& config);

// The cells that show the text, for each input; `length` of all where there are no areas.
std::vector<Index> text_lengths(std::span<const PictureArea> areas, Index batch, Index length);

// One learned vector per token. Declares `words` [tokens + 1, width].
class TokenVectors {
 public:
  TokenVectors(const ParamScope& scope, const EncoderConfig& config);
  Var operator()(Tape& tape, std::span<const int> tokens) const;  // [n] -> [n, width]

 private:
  int table_;
};

}  // namespace saccade
