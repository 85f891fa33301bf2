#include "captioning/model/decoding/forced_decoding.h"

#include <algorithm>

#include "captioning/model/search/search_batch.h"
#include "captioning/model/search/strategies.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::vector<std::vector<DecodedCaption>> force_decode(
    std::span<const SearchMember> members, const SpecialWords& special,
    std::span<const std::vector<std::vector<int>>> captions, const SearchOptions& options,
    std::uint64_t first_image) {
  SACCADE_CHECK(!members.empty(), "[forced decoding] no model");
  const auto images = static_cast<std::size_t>(members[0].images.features.shape[0]);
  SACCADE_CHECK(captions.size() == images, "[forced decoding] captions of ", captions.size(),
                " images for ", images);
  std::size_t group = 1, longest = 1;
  for (const auto& of_image : captions) {
    group = std::max(group, of_image.size());
    for (const std::vector<int>& caption : of_image) longest = std::max(longest, caption.size());
  }
  if (images == 0) return {};
  // All images have the same number of rows. Rows without a caption have no words.
  const SearchOptions forcing{.mode = SearchMode::kSample,
                              .max_length = static_cast<Index>(longest),
                              .regime = options.regime,
                              .seed = options.seed,
                              .samples = static_cast<Index>(group),
                              .allowed_words = AllowedWords::kAll,
                              .ablation = options.ablation,
                              .recording = options.recording};
  std::vector<std::vector<int>> rows(images * group);
  for (std::size_t m = 0; m < images; ++m)
    std::copy(captions[m].begin(), captions[m].end(),
              rows.begin() + static_cast<std::ptrdiff_t>(m * group));
  SearchBatch batch(members, forcing, first_image);
  std::vector<DecodedCaption> decoded = forced_search(batch, special, forcing, rows);
  std::vector<std::vector<DecodedCaption>> out(images);
  for (std::size_t m = 0; m < images; ++m)
    for (std::size_t k = 0; k < captions[m].size(); ++k)
      out[m].push_back(std::move(decoded[m * group + k]));
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
