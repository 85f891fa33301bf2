// What recurrent decoders share: networks that start a state, the deep output layer, the sentinel,
// the value head, and the pairs of rows and regions.
#pragma once

#include <optional>
#include <vector>

#include "captioning/model/decoders/image_entry.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Whether a product may overwrite the sum that it is added to. The gradient of that sum is then the
// gradient of the new one, and nothing else may add to it.
enum class Sum { kInPlace, kFresh };
// sum + x W, with sum [R, C], x [R, A] and the parameter `weight` [A, C]. If `weight` is -1, there
// is no product and the sum stays as it is (declare_context).
Var plus_product(Tape& tape, Var sum, Var x, int weight, Sum how);

// Zeros [rows, width].
Var zero_rows(Tape& tape, Index rows, Index width);

// What a first state is made from: the vector of the image as a whole or, in training and for a
// share of the captions, zeros (decoder.image_dropout). A caption keeps or loses the whole vector,
// because a vector with some numbers missing still holds what is in the picture. What is kept is
// not scaled up: the first state of evaluation is that of the captions that kept their vector.
class StartImage {
 public:
  explicit StartImage(const DecoderParts& parts)
      : given_(starts_with_image(parts.config)), dropout_(parts.config.image_dropout) {}
  // Whether first states are made from the image (decoder.first_state, decoder.image).
  bool given() const { return given_; }
  Var operator()(Tape& tape, const AttentionMemory& memory) const;  // [M, D]; none if not given

 private:
  bool given_;
  double dropout_;
};

// A state from the vector of the image as a whole, which in the paper is its mean feature: tanh(W_2
// dropout(tanh(W_1 mean + b_1)) + b_2) (Xu et al. 2015, section 3.1.2). Declares hidden,
// hidden_bias, weight and bias. Where states are not made from the image, they are zeros, and
// nothing is declared.
class StateStart {
 public:
  StateStart(const ParamScope& scope, const DecoderParts& parts);
  // image: [M, D] of the M memories, or none. Returns [M, H].
  Var operator()(Tape& tape, Index memories, Var image) const;

 private:
  double dropout_;
  Index width_;
  int hidden_weight_ = -1, hidden_bias_ = -1, weight_ = -1, bias_ = -1;
};

// Every pair of a row and a region of its memory, as a row of its own, so that what follows a
// choice can be computed for all choices.
class RegionPairs {
 public:
  // `regions` is what Cell::project_regions() made from a memory that `rows` rows read. With a gate
  // [rows, 1], regions are multiplied by it.
  RegionPairs(std::span<const Var> regions, Index rows, const AttentionMemory& memory, Var gate);
  Var of_rows(Var x) const;                // [R, C] -> [R L, C]
  Var of_regions(std::size_t part) const;  // part `part` of `regions` -> [R L, C], gated

 private:
  std::span<const Var> regions_;
  std::vector<int> row_of_, region_of_;
  Var gate_;
};

// softmax(L_o tanh(E y + L_h h + L_z z)), with dropout on h and after the tanh: Xu et al. 2015, eq.
// 7, with the tanh that their code has, and Pascanu et al. 2014. Declares hidden, context, bias
// and, in the scope output, what WordOutput declares.
class DeepOutput {
 public:
  DeepOutput(const DecoderParts& parts, int embedding);
  int word_matrix() const { return words_.word_matrix(); }
  int word_bias() const { return words_.word_bias(); }
  // words [n, E], h [n, H], z [n, D] or none -> [n, V].
  Var logits(Tape& tape, Var words, Var h, Var z) const;
  Var of_regions(Tape& tape, Var features) const;  // [M L, D] -> [M L, E]
  // The logits [R L, V] of every pair, from the states h [R L, H] of the pairs and part `part` of
  // the regions.
  Var region_logits(Tape& tape, Var words, Var h, const RegionPairs& pairs, std::size_t part) const;

 private:
  double dropout_;
  int hidden_, context_, bias_;
  WordOutput words_;
};

// sigmoid(W_x E y + W_h h + b) tanh(c): one more vector to attend to (Lu et al. 2017, eq. 9-10). A
// matrix of the attention makes a region of it. Declares word, hidden and bias in the scope
// sentinel.
class Sentinel {
 public:
  explicit Sentinel(const DecoderParts& parts);
  Var project_words(Tape& tape, Var words) const;  // [n, E] -> [n, H]
  // h, c [R, H] -> [R, H]. Overwrites from_words, which is project_words() of the same rows.
  Var operator()(Tape& tape, Var from_words, Var h, Var c) const;

 private:
  int word_, hidden_, bias_;
};

// w' h + b: a linear baseline of hard attention. It reads h as a constant, so that its gradient
// reaches no other weight. Declares weight and bias in the scope value, as learning apart.
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
