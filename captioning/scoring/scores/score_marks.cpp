#include "captioning/scoring/scores/score_marks.h"

#include <algorithm>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

// BLEU of the orders for which `holds`, with and without the penalty for short captions.
template <class Holds>
std::vector<std::string> bleu_names(Holds holds) {
  std::vector<std::string> out;
  for (const char* suffix : {"", "_no_bp"})
    for (std::size_t k = 0; k < kGramOrders; ++k)
      if (holds(k)) out.push_back(str("Bleu_", k + 1, suffix));
  return out;
}

std::string n_gram(std::size_t k) { return k == 0 ? "word" : str(k + 1, "-gram"); }

}  // namespace

std::vector<ScoreMark> cider_marks(std::size_t images) {
  if (images >= kCiderImages) return {};
  const std::vector<std::string> names = {"CIDEr", "CIDEr_plain"};
  const char* remedy = "; score --document-frequencies takes the frequencies of a larger corpus";
  if (images == 1)
    return {{names, str("it weighs words by the images in which they are rare, and in a single "
                        "image every word is in all images, so that it is 0 whatever the caption",
                        remedy)}};
  // Against the frequencies of COCO's 40,504 val images, subsets of captions of COCO score 1.2 to
  // 1.3 times as high with 2 to 20 images, and 1.13 times with 100; the ratio itself varies by .2
  // with 5 images and .02 with 100.
  return {{names, str("it weighs words by how rare they are among these ", images,
                      " images; with fewer than ", kCiderImages,
                      " it is too high and depends on which images they are, so compare it only "
                      "with scores of the same images",
                      remedy)}};
}

std::vector<ScoreMark> bleu_marks(const BleuCounts& corpus) {
  std::vector<ScoreMark> out;
  const auto missing = [&](std::size_t k) { return corpus.guess[k] == 0; };
  const auto unmatched = [&](std::size_t k) { return !missing(k) && corpus.correct[k] == 0; };
  std::size_t k = 0;
  while (k < kGramOrders && !missing(k)) ++k;
  if (k < kGramOrders)
    out.push_back(
        {bleu_names(missing), str("no caption has ", k == 0 ? "a word" : str(k + 1, " words"),
                                  ", so that there is no ", n_gram(k),
                                  " to count; the number is made of the "
                                  "constants that keep coco-caption from dividing by 0")});
  k = 0;
  while (k < kGramOrders && !unmatched(k)) ++k;
  if (k < kGramOrders)
    out.push_back({bleu_names(unmatched), str("no ", n_gram(k),
                                              " of the captions is in a reference, so that it is 0 "
                                              "however well shorter ones match")});
  return out;
}

std::string marked_label(std::string_view metric, std::span<const ScoreMark> marks) {
  const bool marked = std::any_of(marks.begin(), marks.end(), [&](const ScoreMark& mark) {
    return std::find(mark.metrics.begin(), mark.metrics.end(), metric) != mark.metrics.end();
  });
  return metric_label(metric) + (marked ? " *" : "");
}

std::string mark_lines(std::span<const ScoreMark> marks) {
  std::string out;
  for (const ScoreMark& mark : marks) {
    std::string labels = join(mark.metrics, ", ", metric_label);
    out += str("* ", labels, ": ", mark.reason, "\n");
  }
  return out;
}

}  // namespace saccade
