// How a model captions where nobody says another way: its search, and its regimes.
#include <algorithm>

#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/model.h"
#include "captioning/model/search/must_words.h"
#include "core/attention/axes.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace saccade {

namespace {

// The words of search.prompt, as ids.
std::vector<int> prompt_of(const SearchConfig& search, const Vocabulary& vocabulary) {
  const std::vector<Index> ids = vocabulary.encode_text(search.prompt);
  if (std::ssize(ids) >= search.max_length)
    throw UsageError(str("search.prompt has ", ids.size(),
                         vocabulary.has_pieces() ? " pieces" : " words",
                         ", which count in search.max_length ", search.max_length,
                         "; make the one shorter or the other larger"));
  if (std::find(ids.begin(), ids.end(), Vocabulary::kUnk) != ids.end())
    throw UsageError(str("search.prompt '", search.prompt,
                         "' has a word that the model does not know; say it in other words"));
  return {ids.begin(), ids.end()};
}

MustSay must_of(const SearchConfig& search, const Vocabulary& vocabulary,
                const std::vector<int>& forbidden) {
  MustSay must;
  if (search.must.empty()) return must;
  ConstraintReader reader(vocabulary, "search.must");
  for (const std::string& text : search.must)
    must.all.push_back(reader.read(text, search.max_length));
  check_constraints(must.all, search.max_length, forbidden, "search.must");
  reader.add_unknown(must, search.word_vectors);
  must.begins_word = word_beginnings(vocabulary);
  return must;
}

}  // namespace

SearchOptions search_options(const ModelConfig& config, const SearchConfig& search,
                             const Vocabulary& vocabulary) {
  std::vector<int> forbidden;
  for (const std::string& word : search.forbidden) {
    const Index id = vocabulary.id(word);
    if (id < Vocabulary::kSpecials)
      throw UsageError(str("search.forbidden: '", word, "' is not in the vocabulary",
                           did_you_mean(word, vocabulary.words()),
                           ", so no caption can have it anyway; leave it out"));
    forbidden.push_back(static_cast<int>(id));
  }
  MustSay must = must_of(search, vocabulary, forbidden);
  return {.mode = search.mode,
          .beam = search.beam,
          .groups = search.groups,
          .diversity = search.diversity,
          .max_length = search.max_length,
          .length_normalization = search.length_normalization,
          .beam_end = search.beam_end,
          .prompt = prompt_of(search, vocabulary),
          .temperature = search.temperature,
          .top_k = search.top_k,
          .top_p = search.top_p,
          .rules = {.min_length = search.min_length,
                    .no_repeat_ngram = search.no_repeat_ngram,
                    .forbidden = std::move(forbidden)},
          .must = std::move(must),
          .name_objects = search.can_name() ? search.name_objects : 0,
          .regime = evaluation_regimes(config).front(),
          .seed = static_cast<std::uint64_t>(config.seed),
          .allowed_words = vocabulary.published() ? AllowedWords::kAll : AllowedWords::kWords};
}

std::vector<Regime> evaluation_regimes(const ModelConfig& config) {
  const AttentionConfig& attention = config.attention;
  const SelectionTraits& traits = attention_selections().at(attention.selection);
  if (traits.takes_argmax) return {Regime::kArgmax, Regime::kExpectation};
  if (!traits.draws_regions && !traits.relaxes) {
    // Monotonic attention trains on its expectation, in order to choose regions in the end.
    if (attention.scope == "monotonic" && attention.heads == 1)
      return {Regime::kExpectation, Regime::kArgmax};
    return {Regime::kExpectation};
  }
  // A vector gate scales each channel of a region by itself, and the layers of a decoder are not
  // linear in the context: there is no cheap sum over regions then. Nor is there one where the
  // context is more than a mean of the regions as they are, or the image as a whole beside it.
  if (attention.gate == "vector" || !attention.contexts_are_regions() ||
      config.decoder.image == ImageEntry::kAttentionAndPooled ||
      !decoder_traits(config.decoder).one_glimpse())
    return {Regime::kArgmax, Regime::kExpectation, Regime::kSample};
  return {Regime::kArgmax, Regime::kExpectation, Regime::kSample, Regime::kMarginal};
}

}  // namespace saccade
