#include "captioning/model/decoding/caption_bytes.h"

#include <cstring>
#include <type_traits>

#include "core/base/error.h"

namespace saccade {

namespace {

// The same functions write and read. Both sides are the same program, so numbers travel as they lie
// in memory.
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

}  // namespace

std::string bytes_of(std::span<const DecodedCaption> captions) {
  Writer writer;
  pass_all(writer, captions);
  return std::move(writer.bytes);
}

std::vector<DecodedCaption> captions_of(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<DecodedCaption> captions;
  pass_all(reader, captions);
  return captions;
}

}  // namespace saccade
