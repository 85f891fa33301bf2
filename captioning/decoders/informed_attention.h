// Informed attention: a second glimpse at every word of a training caption, whose query knows the
// word. The same decoder computes the word once more from that glimpse. The state that goes on to
// the next word is that of the first glimpse; only the costs and maps of the second are used.
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
      {kProphet, "prophet", "the decoder's attention, whose query knows the word"},
      {kCyclical, "cyclical", "a localizer of its own, which knows the word alone"},
  });
}

inline namespace SACCADE_NUMERIC {

struct InformedWidths {
  Index features = 0;   // D
  Index keys = 0;       // K of EncodedImages::keys; 0: attention scores the features
  Index query = 0;      // H, width of the decoder's query
  Index embedding = 0;  // E
};

// How the query is made from the target word y_t, whose embedding in the decoder is e(y_t):
//   prophet    the query q_t + W e(y_t) goes to the decoder's own attention, where q_t is the query
//              of the step (Liu et al., NeurIPS 2020, "Prophet Attention"; in the paper, a
//              bidirectional LSTM over the word, or the words of its phrase, makes the query).
//              Declares weight [E, H].
//   cyclical   the query e(y_t) goes to a localizer, softmax_l <W e(y_t), a_l> (Ma et al. 2020,
//              "Learning to generate grounded visual captions without localization supervision",
//              ECCV), where a_l are the vectors that the decoder's attention scores. Declares
//              score.weight [E, K].
class InformedAttention {
 public:
  InformedAttention(InformedKind kind, const ParamScope& scope, const InformedWidths& widths);

  InformedKind kind() const { return kind_; }
  // The attention that gets the query; null: the decoder's own.
  const Attention* localizer() const { return localizer_.get(); }
  // The queries, from the embeddings of the target words [n, E] and the decoder's queries [n, H].
  Var queries(Tape& tape, Var words, Var decoder_queries) const;

 private:
  InformedKind kind_;
  int weight_ = -1;                       // of prophet
  std::unique_ptr<Attention> localizer_;  // of cyclical
};

// Informed attention, prepared for the images of a sequence.
struct PreparedInformedAttention {
  const InformedAttention* attention = nullptr;
  AttentionMemory memory{};  // the memory of its localizer, one per row; empty without one
};

// `images` are those that the decoder prepared, in its layout. Row r belongs to image rows[r], or
// to image r where `rows` is empty.
PreparedInformedAttention prepare_informed(Tape& tape, const InformedAttention& attention,
                                           const EncodedImages& images, const MemoryLayout& layout,
                                           std::span<const int> rows);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
