// A second look at every word of a training caption, which knows the word. From what it sees the
// same decoder says the word once more, and the state that goes on to the next word is the first
// look's: the second leaves nothing behind but its costs and its maps.
#pragma once

#include <memory>
#include <span>

#include "captioning/decoders/encoded_images.h"
#include "core/attention/attention.h"
#include "core/base/enum_names.h"

namespace saccade {

enum class InformedKind { kProphet, kCyclical };
constexpr auto enum_table(InformedKind) {
  using enum InformedKind;
  return enum_rows<InformedKind>({
      {kProphet, "prophet", "the decoder's attention, told the word"},
      {kCyclical, "cyclical", "a localizer of its own, told the word alone"},
  });
}

inline namespace SACCADE_NUMERIC {

struct InformedWidths {
  Index features = 0;   // D
  Index keys = 0;       // K of EncodedImages::keys; 0: the features are scored
  Index query = 0;      // H, of what the decoder asks
  Index embedding = 0;  // E
};

// How a look is told the word y_t that is to be said, e its embedding in the decoder:
//   prophet    q_t + W e(y_t) asks the decoder's own attention, where q_t is what the step asked
//              (Liu et al., NeurIPS 2020, "Prophet Attention"; the query of the paper is made by a
//              bidirectional LSTM over the word, or the words of its phrase). Declares weight [E,
//              H].
//   cyclical   e(y_t) asks an attention of its own, softmax_l <W e(y_t), a_l> (the localizer of Ma
//              et al., ECCV 2020, "Learning to generate grounded visual captions without
//              localization supervision"), a_l being what the decoder's attention scores. Declares
//              score.weight [E, K].
class InformedLook {
 public:
  InformedLook(InformedKind kind, const ParamScope& scope, const InformedWidths& widths);

  InformedKind kind() const { return kind_; }
  // What is asked; null: the decoder's own attention.
  const Attention* attention() const { return attention_.get(); }
  // What asks: from the words to be said [n, E] and what the decoder asked before them [n, H].
  Var queries(Tape& tape, Var words, Var asked) const;

 private:
  InformedKind kind_;
  int weight_ = -1;                       // of a prophet
  std::unique_ptr<Attention> attention_;  // of a localizer
};

// A look at the images of a sequence.
struct PreparedLook {
  const InformedLook* look = nullptr;
  AttentionMemory memory{};  // of its own attention, one a row; nothing without one
};

// `images` as the decoder prepared them, in its layout; row r is of image rows[r], or of image r
// where there are none.
PreparedLook prepare_look(Tape& tape, const InformedLook& look, const EncodedImages& images,
                          const MemoryLayout& layout, std::span<const int> rows);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
