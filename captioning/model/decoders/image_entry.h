// How the image enters a decoder (decoder.image): by attention to its regions, with or without the
// image as a whole beside it; as a whole at every word, or once before the first word; or not at
// all.
#pragma once

#include <memory>

#include "captioning/model/decoders/decoder_parts.h"
#include "core/attention/make_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Makes what gives words their context: the attention of the config, declared in `scope`, to whose
// context that of the whole image may be added (its matrix is in the scope pooled of `scope`); one
// whose context is the pooled image at every word, or one without any context. The weights of the
// last two are equal, which shows that nothing was chosen.
std::unique_ptr<Attention> make_image_attention(const DecoderParts& parts,
                                                const AttentionEnds& ends, const ParamScope& scope);

// The width C of the contexts that it gives.
Index width_of_context(const DecoderParts& parts);

// Declares the matrix [C, out] that contexts go through; -1 where words have no context.
int declare_context(const ParamScope& scope, const std::string& name, const DecoderParts& parts,
                    Index out);

// The pooled image as one more input word, W x + b, as wide as the input of a word. Declares weight
// and bias in the scope image.
class ImageWord {
 public:
  ImageWord(const DecoderParts& parts, Index width);
  Var operator()(Tape& tape, const AttentionMemory& memory) const;  // [M, width]

 private:
  int weight_, bias_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
