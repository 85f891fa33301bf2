#include "captioning/search/search.h"

#include <cmath>

#include "captioning/search/search_batch.h"
#include "captioning/search/strategies.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

void check(const SearchOptions& options, const Shape& features) {
  SACCADE_CHECK(features.rank() == 3, "[search] features are [M, L, D]; got ", features);
  if (options.beam < 1) throw UsageError(str("search.beam must be at least 1; got ", options.beam));
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
  if (!(options.length_normalization >= 0) || std::isinf(options.length_normalization))
    throw UsageError(str("search.length_normalization must be a number from 0; got ",
                         options.length_normalization));
}

}  // namespace

std::vector<DecodedCaption> search(const Decoder& decoder, std::span<const ConstView> parameters,
                                   ConstView features, const SpecialWords& special,
                                   const SearchOptions& options, std::uint64_t first_image) {
  check(options, features.shape);
  if (features.shape[0] == 0) return {};
  SearchBatch batch(decoder, parameters, features, options, first_image);
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
