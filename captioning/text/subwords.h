// Byte-pair encoding (Sennrich et al. 2016): words are written in pieces that were merged from
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
  // What a piece that begins a word starts with (U+2581).
  static constexpr std::string_view kBegin = "\xe2\x96\x81";

  // Learns from tokenized captions a vocabulary of `size` pieces: <pad> <bos> <eos> <unk>, what a
  // word begins with, every character of the captions, then what pairs were merged to, in this
  // order; fewer where no pair stands twice. Of equally frequent pairs the older pieces come first:
  // no draws. Throws DataError where `size` has no room for the characters, or there is no word.
  static Subwords train(std::span<const std::vector<std::string>> captions, Index size);
  // From what model() gave. Throws DataError where it is nothing of the kind.
  explicit Subwords(std::string model);
  ~Subwords();
  Subwords(Subwords&&) noexcept;
  Subwords& operator=(Subwords&&) noexcept;

  const std::string& model() const { return model_; }  // the pieces, a line each
  // All pieces, by id.
  std::vector<std::string> pieces() const;
  // The pieces of a word: of all neighbours that make a piece, those that make the oldest are put
  // together first. Characters that the captions did not have become <unk>.
  std::vector<Index> split(const std::string& word) const;

 private:
  struct Processor;
  std::string model_;
  std::unique_ptr<Processor> processor_;
};

}  // namespace saccade
