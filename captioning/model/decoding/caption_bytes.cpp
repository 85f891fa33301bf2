#include "captioning/model/decoding/caption_bytes.h"

#include <cstring>
#include <type_traits>

#include "core/base/error.h"

namespace saccade {

namespace {

// One function lists the members of each struct, for writing and for reading. Both sides are the
// same program, so numbers travel as they lie in memory.
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

template <class Way, class List>
void pass_list(Way& way, List& list) {
  const std::size_t count = way.length(list);
  for (std::size_t i = 0; i < count; ++i) pass_all(way, list[i]);
}

template <class Way, class T>
requires std::is_arithmetic_v<std::remove_const_t<T>>
void pass_all(Way& way, T& number) { way.pass(number); }

template <class Way, class Part>
requires std::is_same_v<std::remove_const_t<Part>, MapPart>
void pass_all(Way& way, Part& part) {
  way.pass(part.number);
  way.pass(part.count);
  way.pass(part.fused);
}

template <class Way, class Map>
requires std::is_same_v<std::remove_const_t<Map>, AttentionMap>
void pass_all(Way& way, Map& map) {
  pass_list(way, map.weights);
  way.pass(map.layout);
  pass_list(way, map.mask);
  pass_all(way, map.layer);
  pass_all(way, map.head);
  way.pass(map.gate);
  way.pass(map.sentinel);
  way.pass(map.chosen);
  way.pass(map.rollout);
  way.pass(map.elsewhere);
}

template <class Way, class Self>
requires std::is_same_v<std::remove_const_t<Self>, SelfAttention>
void pass_all(Way& way, Self& self) {
  way.pass(self.layer);
  way.pass(self.head);
  pass_list(way, self.weights);
}

template <class Way, class Word>
requires std::is_same_v<std::remove_const_t<Word>, DecodedWord>
void pass_all(Way& way, Word& word) {
  way.pass(word.id);
  way.pass(word.log_prob);
  pass_all(way, word.map);
  pass_list(way, word.parts);
  pass_list(way, word.choices);
  pass_list(way, word.self_attention);
  pass_list(way, word.text);
  pass_list(way, word.pieces);
  pass_list(way, word.effects);
}

template <class Way, class Caption>
requires std::is_same_v<std::remove_const_t<Caption>, DecodedCaption>
void pass_all(Way& way, Caption& caption) {
  pass_list(way, caption.words);
  way.pass(caption.finished);
  way.pass(caption.log_prob);
  pass_all(way, caption.last);
  pass_list(way, caption.others);
}

}  // namespace

std::string bytes_of(std::span<const DecodedCaption> captions) {
  Writer writer;
  pass_list(writer, captions);
  return std::move(writer.bytes);
}

std::vector<DecodedCaption> captions_of(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<DecodedCaption> captions;
  pass_list(reader, captions);
  return captions;
}

}  // namespace saccade
