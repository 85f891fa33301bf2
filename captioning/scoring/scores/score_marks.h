// Scores that can say little or nothing, and why: they are marked wherever they are shown.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/scoring/metrics/bleu.h"

namespace saccade {

struct ScoreMark {
  std::vector<std::string> metrics;  // their names
  std::string reason;
};

// From this number of images on, CIDEr is not marked.
inline constexpr std::size_t kCiderImages = 100;

// What is to be said of CIDEr whose document frequencies are those of so many images.
std::vector<ScoreMark> cider_marks(std::size_t images);

// What is to be said of BLEU from the counts of a corpus: that no caption has as many words as an
// n-gram, or that no n-gram of the captions is in a reference.
std::vector<ScoreMark> bleu_marks(const BleuCounts& corpus);

// The label of a metric, with " *" where it is marked.
std::string marked_label(std::string_view metric, std::span<const ScoreMark> marks);

// "* CIDEr, CIDEr without D: REASON", a line for each mark; empty where there is none.
std::string mark_lines(std::span<const ScoreMark> marks);

}  // namespace saccade
