// ROUGE-L by the rules of the coco-caption evaluation: the longest common subsequence with each
// reference, and F with beta = 1.2. Lin, ACL 2004 workshop. Scores are fractions, not percent. It
// takes the tokens as the tokenizer made them and splits nothing: a token with a no-break space ("3
// 1/2" from the PTB tokenizer) is one word here, but two for BLEU and CIDEr, which split at
// Unicode's white space (number_words).
#pragma once

#include <span>
#include <vector>

#include "captioning/scoring/metrics/bleu.h"
#include "core/base/real.h"

namespace saccade {

// How many words the longest common subsequence of two texts has, in time |a| |b| / 64 at most and
// memory |a| (bit parallel: Hyyro, Bit-parallel LCS-length computation revisited, 2004).
Index common_subsequence(const Words& a, const Words& b);

// Of one candidate: the best precision and the best recall, each over all references, and their F.
// A text without words counts as one empty word, as the reference implementation has it. Throws
// DataError when there is no reference.
double rouge_l(const Words& candidate, std::span<const Words> references);

}  // namespace saccade
