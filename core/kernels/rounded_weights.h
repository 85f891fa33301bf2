// Weights that are rounded to bfloat16 once, and not by every product that reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace saccade {

// A promise that a block of weights stays as it is for as long as the object lives, in which all
// products of rounded operands (precision.h) read one copy of it, with the same results. It holds
// nothing where products compute with 32-bit floats.
class ConstantWeights {
 public:
  // Rounds the block in parallel. `space` is memory for the copy, such as that of an earlier one.
  explicit ConstantWeights(std::span<const float> block, std::vector<std::uint16_t> space = {});
  explicit ConstantWeights(std::span<const double>);
  ConstantWeights(ConstantWeights&&) noexcept;
  ConstantWeights& operator=(ConstantWeights&&) noexcept;
  ~ConstantWeights();

  // Ends the promise and returns the memory of the copy.
  std::vector<std::uint16_t> release();

 private:
  struct Block;
  std::unique_ptr<Block> block_;
};

// The rounded copy of `count` numbers from x on; null where no block that is held has all of them.
// It lives as long as the promise of its block.
const std::uint16_t* rounded_weights(const float* x, std::size_t count);

}  // namespace saccade
