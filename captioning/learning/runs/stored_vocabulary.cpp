#include "captioning/learning/runs/stored_vocabulary.h"

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr const char* kPublishedTokens = "published_tokens";

}  // namespace

void add_vocabulary(Archive& archive, const Vocabulary& vocabulary) {
  archive.add_strings("vocabulary", vocabulary.words());
  if (vocabulary.published()) archive.add_string(kPublishedTokens, vocabulary.published()->text());
}

Vocabulary read_vocabulary(const Archive& archive) {
  try {
    if (archive.contains(kPublishedTokens))
      return Vocabulary::published(PublishedTokens::of_text(archive.string(kPublishedTokens)));
    const std::vector<std::string>& words = archive.strings("vocabulary");
    constexpr auto kFirst = static_cast<std::size_t>(Vocabulary::kSpecials);
    if (words.size() <= kFirst || words[kFirst] != Subwords::kBegin) return Vocabulary(words);
    std::string pieces;
    for (const std::string& piece : words) pieces += piece + "\n";
    return Vocabulary::from_pieces(std::move(pieces));
  } catch (const DataError& error) {
    throw CheckpointError(archive.source() + ": vocabulary: " + error.what());
  }
}

}  // namespace saccade
