#include "captioning/study/evaluation/counted_texts.h"

#include "captioning/scoring/words/ptb_tokenizer.h"

namespace saccade {

std::vector<std::vector<CountedCaption>> count_texts(
    std::span<const std::vector<std::string>> captions, WordNumbers& numbers) {
  std::vector<std::string> lines;
  for (const auto& image : captions) lines.insert(lines.end(), image.begin(), image.end());
  const std::vector<Words> words = scored_words(lines);
  std::vector<std::vector<CountedCaption>> out;
  auto next = words.begin();
  for (const auto& image : captions) {
    out.emplace_back();
    for (std::size_t k = 0; k < image.size(); ++k) {
      out.back().push_back(count_grams(number_words(*next++, numbers)));
    }
  }
  return out;
}

}  // namespace saccade
