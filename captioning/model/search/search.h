// From features to captions, without references: greedy search, beam search and sampling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/decoders/regime.h"
#include "captioning/model/maps/recording.h"
#include "captioning/model/search/must.h"
#include "captioning/model/search/search_config.h"

namespace saccade {

struct DataConfig;

inline namespace SACCADE_NUMERIC {

// What replaces the weights while captions are searched. A model whose captions stay as good does
// not need its map. It has no effect on a model without attention.
enum class Ablation {
  kNone,
  kUniform,   // every region weighs the same; regime argmax, which then has no largest weight to
              // take, takes the mean
  kShuffled,  // the weights, permuted over the regions, anew for every image and word
};
constexpr auto enum_table(Ablation) {
  using enum Ablation;
  return enum_rows<Ablation>({{kNone, "none", "the model's own weights"},
                              {kUniform, "uniform", "every region weighs the same"},
                              {kShuffled, "shuffled", "the weights permuted over the regions"}});
}

// Which words search may choose.
enum class AllowedWords {
  kWords,  // all but <pad>, <bos> and <unk>
  kAll,    // every word of the vocabulary, so that draws have exactly the model's distribution
};

// Rules for every search. The defaults allow all words.
struct WordRules {
  Index min_length = 0;          // words (or pieces) that must come before <eos>
  Index no_repeat_ngram = 0;     // no n-gram of so many words occurs twice; 0: off
  std::vector<int> forbidden{};  // words that are never chosen

  bool any() const { return min_length > 0 || no_repeat_ngram > 0 || !forbidden.empty(); }
};

struct SearchOptions {
  SearchMode mode = SearchMode::kBeam;
  Index beam = 3;
  Index groups = 1;      // of the beam, whose hypotheses avoid each other's words; divides it
  double diversity = 0;  // what a word loses for each hypothesis of an earlier group that takes it
  Index alternatives = 1;  // number of finished hypotheses to return, at most `beam`
  Index max_length = 20;   // entries of the vocabulary: words, or pieces; <eos> not counted
  double length_normalization = 0;  // hypotheses compete by log p / length^this
  BeamEnd beam_end = BeamEnd::kShrink;
  // Words with which every caption begins. They are no part of log p and of that length.
  std::vector<int> prompt{};
  double temperature = 1;  // of the words' distribution; sampling only
  Index top_k = 0;         // words are drawn from this many, the most probable; 0: from all
  double top_p = 1;        // words are drawn from the smallest set with this share
  WordRules rules{};
  MustSay must{};  // read by beam search alone, which then has one group
  // What is asked of images on top: the objects that their classifier sees with this probability
  // (name_objects.h). It is not read by search(); 0: off.
  double name_objects = 0;
  Regime regime = Regime::kExpectation;
  std::uint64_t seed = 1;  // of sampled words and regions, and of permutations
  Index samples = 1;       // captions to draw per image; sampling only
  AllowedWords allowed_words = AllowedWords::kWords;
  Ablation ablation = Ablation::kNone;
  Recording recording{};  // which maps words keep beside their own
};

struct SpecialWords {
  int pad = 0, bos = 1, eos = 2, unk = 3;
};

// One of the models that decode a caption together.
struct SearchMember {
  const Decoder* decoder = nullptr;
  std::span<const ConstView> parameters{};  // the model's (ParameterStore::views)
  EncodedValues images{};                   // for the same M images as those of all members
  // Captions have the mean attention of the shown members, whose grids have the same number of
  // regions.
  bool shown = true;
};

// Throws UsageError where values of the section `search` do not go together or do not fit the
// vocabulary. With Draws::kAlways, captions may be drawn whatever the mode, so the options of draws
// have an effect.
enum class Draws { kByMode, kAlways };
void check_search(const SearchConfig& config, const DataConfig& data, Draws draws);

// Captions for M images, in order: one per image, or options.samples that are drawn independently,
// region by region and word by word. `first_image` numbers the images for random draws, so that the
// caption of an image does not depend on its batch. `parameters` are the model's
// (ParameterStore::views). Where no hypothesis finishes, the best unfinished one is returned, with
// its attention; where not all of options.must is met, a caption that meets most of it
// (DecodedCaption::unmet).
std::vector<DecodedCaption> search(const Decoder& decoder, std::span<const ConstView> parameters,
                                   const EncodedValues& images, const SpecialWords& special,
                                   const SearchOptions& options, std::uint64_t first_image);
// Searches with several models: every next word has the mean of their probabilities, whatever the
// mode of the search. Each model follows the words with a state of its own and draws its own
// regions. There must be at least one model, and all must have the same vocabulary.
std::vector<DecodedCaption> search(std::span<const SearchMember> members,
                                   const SpecialWords& special, const SearchOptions& options,
                                   std::uint64_t first_image);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
