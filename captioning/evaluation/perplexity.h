// Perplexity: how surprised a model is by the captions that people gave, word by word.
#pragma once

#include <span>

#include "captioning/evaluation/decode_images.h"

namespace saccade {

// Sums over reference captions, tokenized as for training (text/tokenizer.h) but not cut; those
// without a word are left out.
struct Perplexity {
  double nll = 0;      // nats, of all words and of <eos>
  Index captions = 0;  // as many as there are <eos>
  Index words = 0;     // <eos> not counted; whole ones, whatever pieces the vocabulary has
  Index unknown = 0;   // words (or pieces) that the vocabulary lacks; <unk> is the target there

  Perplexity& operator+=(const Perplexity& other);
  double value() const;          // exp(nll / (words + captions)); NaN without a caption
  double unknown_share() const;  // unknown / words; 0 without a word
};

// Teacher-forced over all captions of these images, without dropout. The context is the expectation
// over regions for every model, whatever its regimes of decoding are: one number per model, which
// depends on no draw and compares soft, hard and argmax models alike. Images go in fixed groups, so
// that any number of threads gives the same bits. An ensemble's words have the mean of its members'
// probabilities.
Perplexity measure_perplexity(const Ensemble& models, const Dataset& dataset,
                              const EnsembleInputs& inputs, std::span<const Index> images,
                              const DecodeProgress& progress);

}  // namespace saccade
