#include "captioning/model/decoding/decode_images.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "captioning/model/maps/decoded_caption.h"
#include "core/base/error.h"
#include "core/parallel/ranks/groups.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {

namespace {

// Captions as bytes, to be told to other ranks. The same functions write and read. Both sides are
// the same program, so numbers travel as they lie in memory.
class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void pass(const T& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class List>
  std::size_t length(const List& list) {
    pass(list.size());
    return list.size();
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void pass(T& value) {
    SACCADE_ASSERT(bytes_.size() >= sizeof value, "the captions of another rank are cut off");
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  template <class List>
  std::size_t length(List& list) {
    std::size_t n = 0;
    pass(n);
    list.resize(n);
    return n;
  }

 private:
  std::string_view bytes_;
};

void pass_places(Writer& writer, const RegionPlaces& places) {
  writer.pass(places ? places->count : Index{-1});
  if (!places) return;
  writer.length(places->boxes);
  for (const RegionBox& box : places->boxes) writer.pass(box);
}
void pass_places(Reader& reader, RegionPlaces& places) {
  RegionBoxes boxes;
  reader.pass(boxes.count);
  if (boxes.count < 0) return;
  reader.length(boxes.boxes);
  for (RegionBox& box : boxes.boxes) reader.pass(box);
  places = std::make_shared<const RegionBoxes>(std::move(boxes));
}

template <class Way, class... Members>
void pass_each(Way& way, Members&... members);

// A struct is taken apart by a structured binding: where it gets a member, this does not compile.
template <class Way, class T>
void pass_members(Way& way, T& value) {
  using Struct = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Struct, AttentionMap>) {
    auto& [weights, layout, mask, layer, head, gate, sentinel, chosen, rollout, elsewhere] = value;
    pass_each(way, weights, layout.grid, mask, layer, head, gate, sentinel, chosen, rollout,
              elsewhere);
    pass_places(way, layout.places);
  } else if constexpr (std::is_same_v<Struct, SelfAttention>) {
    auto& [layer, head, weights] = value;
    pass_each(way, layer, head, weights);
  } else if constexpr (std::is_same_v<Struct, DecodedWord>) {
    auto& [id, log_prob, map, parts, choices, self_attention, text, pieces, effects] = value;
    pass_each(way, id, log_prob, map, parts, choices, self_attention, text, pieces, effects);
  } else {
    static_assert(std::is_same_v<Struct, DecodedCaption>);
    auto& [words, finished, log_prob, last, others, unmet] = value;
    pass_each(way, words, finished, log_prob, last, others, unmet);
  }
}

template <class Way, class T>
void pass_all(Way& way, T& value) {
  if constexpr (requires { value.size(); }) {
    const std::size_t count = way.length(value);
    for (std::size_t i = 0; i < count; ++i) pass_all(way, value[i]);
  } else if constexpr (std::is_trivially_copyable_v<std::remove_const_t<T>>) {
    way.pass(value);
  } else {
    pass_members(way, value);
  }
}

template <class Way, class... Members>
void pass_each(Way& way, Members&... members) {
  (pass_all(way, members), ...);
}

std::string bytes_of(std::span<const DecodedCaption> captions) {
  Writer writer;
  pass_all(writer, captions);
  return std::move(writer.bytes);
}

// What bytes_of() was given.
std::vector<DecodedCaption> captions_of(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<DecodedCaption> captions;
  pass_all(reader, captions);
  return captions;
}

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
