// Weights that stay as they are for a while are brought into the layout in which products and
// convolutions read them fastest, and rounded where those round (precision.h), once and not by
// every call that reads them.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/real.h"

namespace saccade {

// Copies of parts of one block of weights. Kept from one promise about the block to the next, they
// keep their memory, and what the last promise read is written again, in parallel, when the next
// one begins.
class WeightCopies {
 public:
  // Writes a part of a copy, which begins at the given memory; threads that want the same copy
  // write parts of it side by side. Where it reads nothing but the weights, it is called again when
  // the next promise begins, so it must own what it needs; where not, the first call under the next
  // promise brings another one.
  struct Pack {
    std::function<void(void*, Index part)> write;
    Index parts = 1;
    bool of_weights_alone = true;
  };

  WeightCopies();
  ~WeightCopies();
  // The copy of the numbers from x on in the layout with this number, of `size` bytes, which the
  // first call makes. May be called from several threads.
  const void* get(const float* x, int layout, std::size_t size, const Pack& pack);
  // Writes those copies again that were read since the last call; the others go. Those of another
  // block than `x` go, too.
  void begin(const float* x);

 private:
  struct Copy;
  const float* block_ = nullptr;
  std::mutex mutex_;
  std::map<std::pair<const float*, int>, std::unique_ptr<Copy>> copies_;
};

// A promise that a block of weights stays as it is for as long as the object lives, in which calls
// that read them may read copies. Of promises about the same numbers, the oldest one has the
// copies: it must outlive the calls under the others. One at a time may use a WeightCopies.
class ConstantWeights {
 public:
  // `kept` has the copies if they are to be kept. It must outlive all promises about the block.
  explicit ConstantWeights(std::span<const float> block, WeightCopies* kept = nullptr);
  explicit ConstantWeights(std::span<const double> block, WeightCopies* kept = nullptr);
  ConstantWeights(ConstantWeights&&) noexcept;
  ConstantWeights& operator=(ConstantWeights&&) noexcept;
  ~ConstantWeights();

 private:
  std::shared_ptr<class HeldBlock> block_;
};

// A copy, as WeightCopies::get(), of `count` numbers from x on; null where no block that is held
// has all of them. It lives as long as the promise of its block.
const void* packed_weights(const float* x, std::size_t count, int layout, std::size_t size,
                           const WeightCopies::Pack& pack);

// Whether all of these numbers lie in blocks that are held.
bool are_constant(std::initializer_list<std::span<const float>> numbers);
inline bool are_constant(std::initializer_list<std::span<const double>>) { return false; }

}  // namespace saccade
