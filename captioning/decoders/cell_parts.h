// What recurrent decoders share: networks that start a state, the deep output layer, the sentinel,
// the value head, and the rows of every region taken by itself.
#pragma once

#include <optional>
#include <vector>

#include "captioning/decoders/image_entry.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Whether what a product is added to may be overwritten; its gradient is then the sum's own, to
// which nobody else may add.
enum class Sum { kInPlace, kFresh };
// sum + x W; sum [R, C], x [R, A], weight the parameter [A, C], or -1 where there is none and the
// sum stays what it is (declare_context).
Var plus_product(Tape& tape, Var sum, Var x, int weight, Sum how);

// [rows, width] of zeros.
Var zero_rows(Tape& tape, Index rows, Index width);

// What a first state is made of: the image as a whole; in training, zeros for a share of the
// captions (decoder.image_dropout). A caption keeps or loses the vector as a whole, because a
// vector with some numbers missing still tells what is in the picture. What is kept is not scaled
// up: in evaluation the first state is what it was for the captions that kept theirs.
class StartImage {
 public:
  explicit StartImage(const DecoderParts& parts)
      : given_(parts.config.starts_with_image()), dropout_(parts.config.image_dropout) {}
  // Whether there is one at all (decoder.first_state, decoder.image).
  bool given() const { return given_; }
  Var operator()(Tape& tape, const AttentionMemory& memory) const;  // [M, D]; none if not given

 private:
  bool given_;
  double dropout_;
};

// tanh(W_2 dropout(tanh(W_1 mean + b_1)) + b_2), a state from what stands for the image
// as a whole, in the paper its mean feature (Xu et al. 2015,
// section 3.1.2). Declares hidden, hidden_bias, weight, bias. Zeros, and nothing declared, where
// states are not made of the image.
class StateStart {
 public:
  StateStart(const ParamScope& scope, const DecoderParts& parts);
  // image [M, D] of M memories, or none -> [M, H].
  Var operator()(Tape& tape, Index memories, Var image) const;

 private:
  double dropout_;
  Index width_;
  int hidden_weight_ = -1, hidden_bias_ = -1, weight_ = -1, bias_ = -1;
};

// Every row and region of a memory as a row of its own, so that what follows a choice can be run
// for all choices.
class RegionPairs {
 public:
  // What Cell::regions() made of a memory that `rows` rows read; with a gate [rows, 1], regions
  // count that much.
  RegionPairs(std::span<const Var> regions, Index rows, const AttentionMemory& memory, Var gate);
  Var of_rows(Var x) const;                // [R, C] -> [R L, C]
  Var of_regions(std::size_t part) const;  // part of the regions -> [R L, C], gated

 private:
  std::span<const Var> regions_;
  std::vector<int> row_of_, region_of_;
  Var gate_;
};

// softmax(L_o tanh(E y + L_h h + L_z z)), dropout on h and after the tanh (Pascanu et al. 2014; Xu
// et al. 2015, eq. 7). Declares hidden, context, bias and what WordOutput does in scope output.
class DeepOutput {
 public:
  DeepOutput(const DecoderParts& parts, int embedding);
  // [n, E], [n, H], [n, D] or none -> [n, V].
  Var logits(Tape& tape, Var words, Var h, Var z) const;
  Var of_regions(Tape& tape, Var features) const;  // [M L, D] -> [M L, E]
  // The same for every pair, from what the pairs' states h [R L, H] and the regions give.
  Var each(Tape& tape, Var words, Var h, const RegionPairs& pairs, std::size_t part) const;

 private:
  double dropout_;
  int hidden_, context_, bias_;
  WordOutput words_;
};

// sigmoid(W_x E y + W_h h + b) tanh(c), one more thing to attend to (Lu et al. 2017, eq. 9-10).
// Declares word, hidden, bias in scope sentinel.
class Sentinel {
 public:
  explicit Sentinel(const DecoderParts& parts);
  Var read(Tape& tape, Var words) const;  // [n, E] -> [n, H]
  // from_words is overwritten; h, c [R, H] -> [R, H].
  Var operator()(Tape& tape, Var from_words, Var h, Var c) const;

 private:
  int word_, hidden_, bias_;
};

// w' h + b, a linear baseline of hard attention. It reads h as a constant: what it learns is its
// own and moves nothing else. Declares weight, bias in scope value.
class ValueHead {
 public:
  explicit ValueHead(const DecoderParts& parts);
  Var operator()(Tape& tape, Var h) const;  // [R, H] -> [R, 1]

 private:
  int weight_, bias_;
};

// Whether the attention's estimator wants a value head.
bool wants_value_head(const AttentionConfig& attention);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
