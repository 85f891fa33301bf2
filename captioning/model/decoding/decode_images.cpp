#include "captioning/model/decoding/decode_images.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "captioning/model/decoding/caption_bytes.h"
#include "core/parallel/ranks/groups.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {

namespace {

// How many of so many images are decoded together. Few images make a power of two of groups of like
// size, so that nine are not decoded as eight and one; the number of threads does not matter.
Index decoded_together(Index count) {
  constexpr Index kMost = 8, kFew = 64;
  if (count <= kMost || count > kFew) return kMost;
  const auto groups =
      static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>((count + kMost - 1) / kMost)));
  return (count + groups - 1) / groups;
}

std::vector<DecodedCaption> force_given(const EncodedPictures& pictures, std::size_t images,
                                        const DecodeRequest& request, std::uint64_t first_image) {
  const std::vector<std::vector<std::vector<int>>> captions(
      images, {std::vector<int>(request.given.begin(), request.given.end())});
  std::vector<DecodedCaption> out;
  for (auto& of_image : pictures.force_decode(captions, request.search, first_image))
    out.push_back(std::move(of_image.front()));
  return out;
}

// The search for the images at some positions, of which each may have constraints of its own.
SearchOptions search_of(const SearchOptions& search, Index begin, Index end) {
  SearchOptions own = search;
  const auto& all = search.must.of_images;
  if (!all.empty()) own.must.of_images.assign(all.begin() + begin, all.begin() + end);
  return own;
}

// What the classifier sees in these images; none where the search does not name objects.
std::vector<std::vector<SeenClass>> seen_by(const DecodeRequest& request, Index begin, Index end) {
  std::vector<std::vector<SeenClass>> seen;
  if (request.search.name_objects == 0 || !request.seen) return seen;
  for (Index i = begin; i < end; ++i) seen.push_back(request.seen(i));
  return seen;
}

}  // namespace

std::vector<DecodedCaption> decode(const Ensemble& models, const DecodeRequest& request) {
  const bool draws = request.given.empty() && request.search.mode == SearchMode::kSample;
  const Index each = draws ? request.search.samples : 1;  // captions per image
  const Index together = decoded_together(request.count);
  parallel::Ranks* const ranks = parallel::ranks();
  // The images of this rank.
  parallel::ShardRange own{.begin = 0, .end = request.count};
  if (ranks) {
    const Index groups = (request.count + together - 1) / together;
    own = parallel::shards_of(ranks->rank(), ranks->count(), groups);
    own = {.begin = own.begin * together, .end = std::min(own.end * together, request.count)};
  }
  std::vector<DecodedCaption> captions(static_cast<std::size_t>(own.count() * each));
  std::mutex mutex;
  Index done = 0;
  parallel::for_blocks(own.count(), together, [&](Index first_own, Index end_own) {
    const Index begin = own.begin + first_own, end = own.begin + end_own;
    std::vector<InputBatch> inputs;
    std::vector<InputView> views;
    for (std::size_t m = 0; m < models.size(); ++m) {
      InputBatch& batch = inputs.emplace_back(models.member(m).input_shape(), end - begin);
      for (Index i = begin; i < end; ++i)
        batch.set_area(i - begin, request.load(i, m, batch.values_of(i - begin)));
      views.push_back(batch.view());
    }
    const auto first = static_cast<std::uint64_t>(request.first_image + begin);
    const EncodedPictures pictures(models, views);
    std::vector<DecodedCaption> group =
        request.given.empty()
            ? pictures.caption(search_of(request.search, begin, end), first,
                               seen_by(request, begin, end))
            : force_given(pictures, static_cast<std::size_t>(end - begin), request, first);
    std::move(group.begin(), group.end(), captions.begin() + first_own * each);
    const std::lock_guard lock(mutex);
    done += end - begin;
    if (request.progress) request.progress(done * request.count / own.count(), request.count);
  });
  if (!ranks) return captions;
  const std::vector<std::string> of_ranks = ranks->gather(bytes_of(captions));
  captions.clear();
  for (const std::string& bytes : of_ranks)
    for (DecodedCaption& caption : captions_of(bytes)) captions.push_back(std::move(caption));
  return captions;
}

std::vector<DecodedCaption> decode_images(const Ensemble& models, const EnsembleInputs& inputs,
                                          std::span<const Index> images,
                                          const SearchOptions& search,
                                          const DecodeProgress& progress) {
  SACCADE_CHECK(models.size() == inputs.size(), "[decode] ", inputs.size(), " inputs for ",
                models.size(), " models");
  for (std::size_t m = 0; m < models.size(); ++m)
    SACCADE_CHECK(inputs.of(m).shape() == models.model(m).input_shape(),
                  "[decode] the model takes ", models.model(m).input_shape(),
                  " per image; the inputs are ", inputs.of(m).shape());
  const auto load = [&](Index position, std::size_t member, std::span<float> out) {
    return inputs.of(member).load(images[static_cast<std::size_t>(position)], out);
  };
  const std::optional<std::size_t> member =
      search.name_objects > 0 ? models.classifying() : std::nullopt;
  std::function<std::vector<SeenClass>(Index)> seen;
  if (member)
    seen = [&](Index position) {
      return inputs.of(*member).seen(images[static_cast<std::size_t>(position)]);
    };
  SearchOptions own = search;
  own.must.of_images.clear();
  if (!search.must.of_images.empty())
    for (const Index image : images)
      own.must.of_images.push_back(search.must.of_images[static_cast<std::size_t>(image)]);
  return decode(models, {.count = static_cast<Index>(images.size()),
                         .load = load,
                         .search = std::move(own),
                         .seen = seen,
                         .progress = progress});
}

}  // namespace saccade
