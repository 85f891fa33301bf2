// Which values of the section `search` go together. Every rule gives its reason.
#include <utility>

#include "captioning/data/data_config.h"
#include "captioning/model/search/search.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

void check_groups(const SearchConfig& c) {
  if (c.groups == 1 && c.diversity == 0) return;
  if (c.mode != SearchMode::kBeam)
    throw UsageError(str("search.", c.groups > 1 ? "groups" : "diversity",
                         " is of beam search, and search.mode is ", enum_name(c.mode)));
  if (c.groups == 1)
    throw UsageError(
        "search.diversity needs search.groups above 1: it keeps a group from the words of those "
        "before it");
  if (c.diversity == 0)
    throw UsageError(
        "search.groups needs search.diversity above 0: without it all groups find the same; start "
        "with 0.5");
  if (c.beam_end != BeamEnd::kShrink)
    throw UsageError(str("search.groups above 1 needs search.beam_end shrink, not ",
                         enum_name(c.beam_end), ": groups are defined for it alone"));
  if (c.beam % c.groups != 0)
    throw UsageError(str("search.groups ", c.groups, " does not divide search.beam ", c.beam,
                         ", which the groups share"));
}

}  // namespace

void check_search(const SearchConfig& c, const DataConfig& data, Draws draws) {
  check_groups(c);
  if (c.min_length > c.max_length)
    throw UsageError(
        str("search.min_length ", c.min_length, " is more than search.max_length ", c.max_length));
  if (data.vocabulary != VocabularyKind::kWords && !c.forbidden.empty())
    throw UsageError(
        "search.forbidden needs data.vocabulary words: pieces of words spell a word in many ways, "
        "and each piece is part of others");
  if (!c.must.empty() && c.mode != SearchMode::kBeam)
    throw UsageError(str("search.must needs search.mode beam, not ", enum_name(c.mode),
                         ": it keeps a beam for each set of words that a caption has"));
  if (!c.must.empty() && c.groups > 1)
    throw UsageError("search.must needs search.groups 1: its beams are one for each set of words");
  if (c.name_objects > 0 && !c.can_name())
    throw UsageError("search.name_objects needs search.mode beam and search.groups 1");
  if (c.mode == SearchMode::kSample || draws == Draws::kAlways) return;
  for (const auto& [name, given] :
       {std::pair("temperature", c.temperature != 1), std::pair("top_k", c.top_k > 0),
        std::pair("top_p", c.top_p < 1)})
    if (given)
      throw UsageError(str("search.", name, " is about drawing words, and search.mode is ",
                           enum_name(c.mode), ", which draws none; set search.mode to sample"));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
