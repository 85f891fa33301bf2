// CIDEr and CIDEr-D: cosine similarity of TF-IDF weighted n-grams, by the rules of the coco-caption
// evaluation, whose "CIDEr" is CIDEr-D. Vedantam et al., CVPR 2015. Scores go from 0 to 10.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "captioning/scoring/metrics/ngrams.h"

namespace saccade {

// In how many images of a corpus each n-gram occurs in some reference.
class DocumentFrequencies {
 public:
  // Counts them in the references of a corpus.
  static DocumentFrequencies count(std::span<const std::vector<CountedCaption>> references);
  // Starts the frequencies of another corpus, of `images` images; n-grams are added one by one.
  explicit DocumentFrequencies(double images);
  void add(const Gram& gram, double images_with_it);

  // log(images / max(1, images with the n-gram)), natural.
  double idf(const Gram& gram) const;

 private:
  struct Hash {
    std::size_t operator()(const Gram& gram) const;
  };
  using Table = std::unordered_map<Gram, double, Hash>;
  // There are several tables, chosen by hash, so that they can be filled in parallel.
  static constexpr std::size_t kTables = 16;
  static std::size_t table_of(std::size_t hash) { return hash % kTables; }

  std::array<Table, kTables> tables_;
  double log_images_ = 0;
};

struct WeightedGram {
  Gram gram;
  double weight = 0;  // count * idf
};

// A caption as CIDEr compares it.
struct CiderVector {
  std::vector<WeightedGram> grams;          // sorted
  std::array<double, kGramOrders> norms{};  // of the n-grams of each order
  double length = 0;                        // in bigrams, as in the reference implementation
};
CiderVector cider_vector(const CountedCaption& caption, const DocumentFrequencies& frequencies);

struct CiderScores {
  double cider_d = 0;  // counts are clipped by the reference, other lengths are penalised
  double cider = 0;    // without clipping and penalty
};
struct CiderForm {
  std::size_t orders = kGramOrders;  // n-grams up to this length count
  double sigma = 6;                  // of CIDEr-D's length penalty, in bigrams
};
// The mean over the references, of which there must be at least one.
CiderScores score_cider(const CiderVector& candidate, std::span<const CiderVector> references,
                        const CiderForm& form = {});

// Document frequencies from a JSON file {"ref_len": images, "df": {"a man": images, ...}}, whose
// n-grams are words with one space between them. Throws DataError that names the place, also where
// an n-gram is in more images than there are.
DocumentFrequencies read_document_frequencies(const std::string& path, WordNumbers& numbers);

}  // namespace saccade
