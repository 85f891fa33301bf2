// Perplexity: how surprised a model is by the captions that people gave, word by word.
#pragma once

#include <span>

#include "captioning/model/decoding/decode_images.h"

namespace saccade {

// Sums over reference captions, which are tokenized as for training (tokenizer.h) but not cut.
// Captions without a word are left out.
struct Perplexity {
  double nll = 0;      // nats, of all words and of <eos>
  Index captions = 0;  // there is one <eos> per caption
  Index words = 0;     // without <eos>; whole words, whatever pieces the vocabulary has
  Index unknown = 0;   // words (or pieces) that the vocabulary lacks; their target is <unk>

  Perplexity& operator+=(const Perplexity& other);
  double value() const;          // exp(nll / (words + captions)); NaN without a caption
  double unknown_share() const;  // unknown / words; 0 without a word
};

// Computed by teacher forcing over all captions of these images, without dropout. The context is
// the expectation over regions for every model, whatever its regimes are: one number per model,
// which depends on no draw and compares soft, hard and argmax models. Images are taken in fixed
// groups, so that any number of threads gives the same bits. The words of an ensemble have the mean
// of its members' probabilities.
Perplexity measure_perplexity(const Ensemble& models, const Dataset& dataset,
                              const EnsembleInputs& inputs, std::span<const Index> images,
                              const DecodeProgress& progress);

}  // namespace saccade
