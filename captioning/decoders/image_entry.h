// Where the image enters a decoder, besides looks at its regions: at every word, once before the
// first word, or not at all (decoder.image).
#pragma once

#include <memory>

#include "captioning/decoders/decoder_parts.h"
#include "core/attention/make_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What words are given of the image: the attention of the config, declared in `scope`, or one that
// gives the pooled image to every word, or one that gives no context at all. The last two have even
// weights, which say that nothing was chosen.
std::unique_ptr<Attention> make_looks(const DecoderParts& parts, const AttentionEnds& ends,
                                      const ParamScope& scope);

// The matrix [D, out] that contexts go through; -1 where words are given none.
int declare_context(const ParamScope& scope, const std::string& name, const DecoderParts& parts,
                    Index out);

// The pooled image as one more input, W x + b, as wide as what the decoder reads of a word.
// Declares weight, bias in scope image.
class ImageWord {
 public:
  ImageWord(const DecoderParts& parts, Index width);
  Var operator()(Tape& tape, const AttentionMemory& memory) const;  // [M, width]

 private:
  int weight_, bias_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
