#include "captioning/model/search/search.h"

#include <cmath>

#include "captioning/model/search/search_batch.h"
#include "captioning/model/search/strategies.h"
#include "captioning/model/search/word_tables.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

void check(const SearchOptions& options, std::span<const SearchMember> members) {
  SACCADE_CHECK(!members.empty(), "[search] no model");
  for (const SearchMember& member : members)
    SACCADE_CHECK(member.images.features.shape.rank() == 3, "[search] features are [M, L, D]; got ",
                  member.images.features.shape);
  SACCADE_CHECK(options.groups >= 1 && options.beam % options.groups == 0, "[search] ",
                options.groups, " groups of a beam of ", options.beam);
  const bool beam = options.mode == SearchMode::kBeam;
  SACCADE_CHECK(options.alternatives >= 1 && (options.alternatives == 1 || beam),
                "[search] only beam search has alternatives");
  if (options.beam < 1) throw UsageError(str("search.beam must be at least 1; got ", options.beam));
  if (options.alternatives > options.beam)
    throw UsageError(str(options.alternatives, " alternatives of a beam of ", options.beam,
                         ": a hypothesis that ends leaves its place; widen the beam"));
  if (options.max_length < 1)
    throw UsageError(str("search.max_length must be at least 1; got ", options.max_length));
  SACCADE_CHECK(options.samples >= 1, "[search] samples must be at least 1; got ", options.samples);
  if (!(options.temperature > 0))
    throw UsageError(str("search.temperature must be above 0; got ", options.temperature));
  if (!(options.top_p > 0 && options.top_p <= 1))
    throw UsageError(str("search.top_p must be above 0 and at most 1; got ", options.top_p));
  if (options.rules.min_length > options.max_length)
    throw UsageError(str("search.min_length ", options.rules.min_length,
                         " is more than search.max_length ", options.max_length));
  const MustSay& must = options.must;
  SACCADE_CHECK(!must.any() || !beam || options.groups == 1,
                "[search] constraints need a beam of one group; got ", options.groups);
  SACCADE_CHECK(
      must.of_images.empty() || std::ssize(must.of_images) == members[0].images.features.shape[0],
      "[search] constraints of ", must.of_images.size(), " images for ",
      members[0].images.features.shape[0]);
  if (!(options.length_normalization >= 0) || std::isinf(options.length_normalization))
    throw UsageError(str("search.length_normalization must be a number from 0; got ",
                         options.length_normalization));
}

}  // namespace

std::vector<DecodedCaption> search(const Decoder& decoder, std::span<const ConstView> parameters,
                                   const EncodedValues& images, const SpecialWords& special,
                                   const SearchOptions& options, std::uint64_t first_image) {
  const SearchMember alone{.decoder = &decoder, .parameters = parameters, .images = images};
  return search({&alone, 1}, special, options, first_image);
}

std::vector<DecodedCaption> search(std::span<const SearchMember> members,
                                   const SpecialWords& special, const SearchOptions& options,
                                   std::uint64_t first_image) {
  check(options, members);
  if (members[0].images.features.shape[0] == 0) return {};
  const WordTables tables(members, options.mode == SearchMode::kBeam ? options.must : MustSay());
  SearchBatch batch(tables.members(), options, first_image);
  switch (options.mode) {
    case SearchMode::kBeam:
      return beam_search(batch, special, options);
    case SearchMode::kGreedy:
      return greedy_search(batch, special, options);
    case SearchMode::kSample:
      return sample_search(batch, special, options);
  }
  throw InternalError("unknown search");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
