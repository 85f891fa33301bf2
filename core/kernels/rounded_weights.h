// Weights that are rounded to bfloat16, or brought into a layout that convolutions read faster,
// once and not by every call that reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace saccade {

// A promise that a block of weights stays as it is for as long as the object lives, in which all
// products of rounded operands (precision.h) read one copy of it, and convolutions one copy of
// their weights in each layout, multiplied by their gain, with the same results.
class ConstantWeights {
 public:
  // Rounds the block in parallel where products round. `space` is memory for the rounded copy, such
  // as that of an earlier one.
  explicit ConstantWeights(std::span<const float> block, std::vector<std::uint16_t> space = {});
  explicit ConstantWeights(std::span<const double>);
  ConstantWeights(ConstantWeights&&) noexcept;
  ConstantWeights& operator=(ConstantWeights&&) noexcept;
  ~ConstantWeights();

  // Ends the promise and returns the memory of the copy.
  std::vector<std::uint16_t> release();

 private:
  std::unique_ptr<class HeldBlock> block_;
};

// A copy of `count` numbers from x on in the layout with this number, of `size` bytes, which `pack`
// writes at the first call; null where no block that is held has all of them. It lives as long as
// the promise of its block.
const void* packed_weights(const float* x, std::size_t count, int layout, std::size_t size,
                           const std::function<void(void*)>& pack);

// Whether all of these numbers lie in blocks that are held.
bool are_constant(std::initializer_list<std::span<const float>> numbers);
inline bool are_constant(std::initializer_list<std::span<const double>>) { return false; }

// The rounded copy of `count` numbers from x on; null where no block that is held has all of them.
// It lives as long as the promise of its block.
const std::uint16_t* rounded_weights(const float* x, std::size_t count);

}  // namespace saccade
