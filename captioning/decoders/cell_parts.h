// What recurrent decoders share: networks that start a state, the deep output layer, the sentinel,
// the value head, and the rows of every region by itself.
#pragma once

#include <optional>
#include <vector>

#include "captioning/decoders/image_entry.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Whether the sum that a product is added to may be overwritten. Its gradient is then that of the
// new sum, and nothing else may add to it.
enum class Sum { kInPlace, kFresh };
// sum + x W, with sum [R, C], x [R, A] and the parameter `weight` [A, C], or -1 where there is none
// and the sum stays as it is (declare_context).
Var plus_product(Tape& tape, Var sum, Var x, int weight, Sum how);

// [rows, width] of zeros.
Var zero_rows(Tape& tape, Index rows, Index width);

// What a first state is made of: the vector of the image as a whole or, in training and for a share
// of the captions, zeros (decoder.image_dropout). A caption keeps or loses the whole vector,
// because a vector with some numbers missing still holds what is in the picture. What is kept is
// not scaled up: in evaluation the first state is what it was for the captions that kept theirs.
class StartImage {
 public:
  explicit StartImage(const DecoderParts& parts)
      : given_(parts.config.starts_with_image()), dropout_(parts.config.image_dropout) {}
  // Whether first states are made of the image (decoder.first_state, decoder.image).
  bool given() const { return given_; }
  Var operator()(Tape& tape, const AttentionMemory& memory) const;  // [M, D]; none if not given

 private:
  bool given_;
  double dropout_;
};

// tanh(W_2 dropout(tanh(W_1 mean + b_1)) + b_2) is a state from the vector of the image as a whole,
// which in the paper is its mean feature (Xu et al. 2015, section 3.1.2). Declares hidden,
// hidden_bias, weight, bias. Where states are not made of the image they are zeros, and nothing is
// declared.
class StateStart {
 public:
  StateStart(const ParamScope& scope, const DecoderParts& parts);
  // The image [M, D] of M memories, or none -> [M, H].
  Var operator()(Tape& tape, Index memories, Var image) const;

 private:
  double dropout_;
  Index width_;
  int hidden_weight_ = -1, hidden_bias_ = -1, weight_ = -1, bias_ = -1;
};

// Every pair of a row and a region of its memory as a row of its own, so that what follows a choice
// can be run for all choices.
class RegionPairs {
 public:
  // `regions` is what Cell::project_regions() made of a memory that `rows` rows read; with a gate
  // [rows, 1], regions are multiplied with it.
  RegionPairs(std::span<const Var> regions, Index rows, const AttentionMemory& memory, Var gate);
  Var of_rows(Var x) const;                // [R, C] -> [R L, C]
  Var of_regions(std::size_t part) const;  // a part of `regions` -> [R L, C], gated

 private:
  std::span<const Var> regions_;
  std::vector<int> row_of_, region_of_;
  Var gate_;
};

// softmax(L_o tanh(E y + L_h h + L_z z)) with dropout on h and after the tanh (Pascanu et al. 2014;
// Xu et al. 2015, eq. 7). Declares hidden, context, bias and what WordOutput does in scope output.
class DeepOutput {
 public:
  DeepOutput(const DecoderParts& parts, int embedding);
  // [n, E], [n, H], [n, D] or none -> [n, V].
  Var logits(Tape& tape, Var words, Var h, Var z) const;
  Var of_regions(Tape& tape, Var features) const;  // [M L, D] -> [M L, E]
  // The logits of every pair [R L, V], from the pairs' states h [R L, H] and a part of the regions.
  Var region_logits(Tape& tape, Var words, Var h, const RegionPairs& pairs, std::size_t part) const;

 private:
  double dropout_;
  int hidden_, context_, bias_;
  WordOutput words_;
};

// sigmoid(W_x E y + W_h h + b) tanh(c) is one more thing to attend to (Lu et al. 2017, eq. 9-10).
// Declares word, hidden, bias in scope sentinel.
class Sentinel {
 public:
  explicit Sentinel(const DecoderParts& parts);
  Var project_words(Tape& tape, Var words) const;  // [n, E] -> [n, H]
  // h, c [R, H] -> [R, H]; from_words, which is project_words() of the rows, is overwritten.
  Var operator()(Tape& tape, Var from_words, Var h, Var c) const;

 private:
  int word_, hidden_, bias_;
};

// w' h + b is a linear baseline of hard attention. It reads h as a constant, so that its gradient
// reaches no other weight. Declares weight, bias in scope value.
class ValueHead {
 public:
  explicit ValueHead(const DecoderParts& parts);
  Var operator()(Tape& tape, Var h) const;  // [R, H] -> [R, 1]

 private:
  int weight_, bias_;
};

// Whether the estimator of the attention needs a value head.
bool wants_value_head(const AttentionConfig& attention);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
