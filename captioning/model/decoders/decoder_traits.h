// What the rest of the program needs to know of a kind of decoder before there is one, to check a
// config and to offer what its model can do. The table of decoders says it (decoder_traits.cpp).
#pragma once

#include <memory>
#include <string>

#include "captioning/model/decoders/decoder_config.h"
#include "core/base/registry.h"
#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct DecoderTraits {
  // The layers that each look at the image at every word. Their contexts go on to the layers above
  // and to later words. 0: see one_glimpse().
  Index layers = 0;
  // The most words of a caption, with <eos>, that it can read or write; 0: any number.
  Index most_words = 0;
  // Whether its state before the first word can be computed from the image.
  bool first_state = true;
  // Whether it has a memory cell, from which a sentinel can be made.
  bool memory_cell = false;
  // Whether words are made from a vector as wide as an embedding, whatever the state's width is.
  bool deep_output = false;
  // Whether words attend to the words before them, with decoder.heads maps.
  bool attends_to_words = false;

  // Whether a word has a single glimpse whose context enters in one place. The glimpse can then be
  // repeated with another query, and a word can be a mixture over its regions.
  bool one_glimpse() const { return layers == 0; }
};
DecoderTraits decoder_traits(const DecoderConfig& config);

class Decoder;        // decoder.h
struct DecoderParts;  // decoder_parts.h
// The choices of decoder.type.
struct DecoderChoice {
  std::unique_ptr<Decoder> (*make)(const DecoderParts&);
  DecoderTraits (*traits)(const DecoderConfig&);
};
const Registry<DecoderChoice>& decoder_registry();

// The kinds of decoder whose traits, with the other values of the config, fit a predicate, as
// words: `lstm, luong or updown`.
std::string decoders_with(const DecoderConfig& config, bool (*fits)(const DecoderTraits&));

// Whether a parameter of a transformer belongs to its attention to the image: to the attention of a
// layer, to the layer and the norm behind it, to those of decoder.image prefix or first_step, or to
// the head that predicts the value of its draws.
bool reads_image(const std::string& parameter);

// Whether the state before the first word is computed from the image; for updown, whether its first
// LSTM reads the image beside the words.
bool starts_with_image(const DecoderConfig& config);
// Whether anything is computed from the image as a whole.
bool reads_pooled(const DecoderConfig& config);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
