#include "captioning/model/search/draws.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

RandomKey search_key(std::uint64_t seed, std::uint64_t image, std::uint64_t draw) {
  return {.seed = seed, .stream = Stream::kSearch, .step = draw, .sample = image};
}

}  // namespace

RandomKey word_draw_key(std::uint64_t seed, std::uint64_t image, Index step) {
  return search_key(seed, image, 2 * static_cast<std::uint64_t>(step));
}

RandomKey region_draw_key(std::uint64_t seed, std::uint64_t image, Index step) {
  return search_key(seed, image, 2 * static_cast<std::uint64_t>(step) + 1);
}

// Permutations are numbered from the other end, which the numbers of words and regions do not
// reach.
RandomKey permutation_key(std::uint64_t seed, std::uint64_t image, Index step) {
  return search_key(seed, image, ~static_cast<std::uint64_t>(step));
}

std::uint64_t training_number(Index update, Index place) {
  return (static_cast<std::uint64_t>(update + 1) << 32) + static_cast<std::uint64_t>(place);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
