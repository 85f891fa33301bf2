// How much the captions of one image differ from each other: measures of a set that a model drew.
// Higher means more diverse, except for mBLEU, where lower does.
#pragma once

#include <span>
#include <vector>

#include "captioning/scoring/metrics/cider.h"
#include "captioning/scoring/metrics/ngrams.h"

namespace saccade {

// Div-n: different n-grams of a set / words of the set, for n from 1 to 4; 0 without a word. Shetty
// et al., ICCV 2017 ("Speaking the same language"), as Aneja et al., ICCV 2019, report it.
double distinct_share(std::span<const CountedCaption> set, std::size_t order);

// mBLEU-4 of the sets of several images (Shetty et al.). In round k, caption k of every set is a
// candidate, and the other captions of its set are its references. The result is the mean over
// rounds of the corpus' BLEU-4 (bleu.h). Throws ShapeError unless all sets have the same size, at
// least 2.
double mutual_bleu4(std::span<const std::vector<CountedCaption>> sets);

// Self-CIDEr of a set of m captions, from 0 (all alike) to 1 (all equally far from each other):
// -log_m(r) with r = sqrt(e_1) / sum_i sqrt(e_i), where e are the eigenvalues of the matrix of the
// captions' CIDEr similarities (without CIDEr-D's clipping and penalty), and e_1 is the largest.
// Wang and Chan, CVPR 2019 ("Describing like humans"). It is 0 where m < 2 or no caption has an
// n-gram with weight.
double self_cider(std::span<const CiderVector> set);

}  // namespace saccade
