// Byte-pair encoding (Sennrich et al. 2016): words are cut into pieces, which were merged from
// characters, the most frequent pair first.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/real.h"

namespace saccade {

class Subwords {
 public:
  // The mark (U+2581) that begins every first piece of a word.
  static constexpr std::string_view kBegin = "\xe2\x96\x81";

  // Learns a vocabulary of `size` pieces from tokenized captions: <pad> <bos> <eos> <unk>, the mark
  // that begins a word, every character of the captions, and then what pairs were merged into, in
  // this order; fewer pieces where no pair occurs twice. Of equally frequent pairs, the one with
  // the older pieces comes first, so nothing is left to chance. Throws DataError where `size` has
  // no space for the characters, or there is no word.
  static Subwords train(std::span<const std::vector<std::string>> captions, Index size);
  // Restores the pieces from a string of model(). Throws DataError for any other string.
  explicit Subwords(std::string model);
  ~Subwords();
  Subwords(Subwords&&) noexcept;
  Subwords& operator=(Subwords&&) noexcept;

  const std::string& model() const { return model_; }  // the pieces, one per line
  // All pieces, by id.
  std::vector<std::string> pieces() const;
  // The pieces of a word: of all neighbours that make a piece, those that make the oldest piece are
  // joined first. Characters that the captions did not have become <unk>.
  std::vector<Index> split(const std::string& word) const;

 private:
  struct Processor;
  std::string model_;
  std::unique_ptr<Processor> processor_;
};

}  // namespace saccade
