#include "core/kernels/rounded_weights.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "core/kernels/precision.h"
#include "core/parallel/parallel.h"
#include "core/tensor/tensor.h"

namespace saccade {

// A block of weights whose promise lasts.
class HeldBlock {
 public:
  HeldBlock(std::span<const float> numbers, std::vector<std::uint16_t> space)
      : numbers_(numbers), rounded_(std::move(space)) {
    if (precision() != Precision::kBf16) {
      rounded_.clear();
      return;
    }
    rounded_.resize(numbers_.size());
    constexpr std::size_t kTogether = std::size_t{1} << 16;
    parallel::for_each(
        static_cast<Index>((numbers_.size() + kTogether - 1) / kTogether), [&](Index i) {
          const std::size_t first = static_cast<std::size_t>(i) * kTogether;
          round_to_bf16(numbers_.subspan(first, std::min(kTogether, numbers_.size() - first)),
                        rounded_.data() + first);
        });
  }

  bool has(const float* x, std::size_t count) const {
    return x >= numbers_.data() && x + count <= numbers_.data() + numbers_.size();
  }
  const std::uint16_t* rounded(const float* x) const {
    return rounded_.empty() ? nullptr : rounded_.data() + (x - numbers_.data());
  }
  const void* packed(const float* x, int layout, std::size_t size,
                     const std::function<void(void*)>& pack) {
    Packed* found = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::unique_ptr<Packed>& place = packed_[{x, layout}];
      if (!place) place = std::make_unique<Packed>();
      found = place.get();
    }
    // Others that want this copy wait here until it is written.
    std::call_once(found->written, [&] {
      found->numbers = Tensor({static_cast<Index>((size + sizeof(Real) - 1) / sizeof(Real))});
      pack(found->numbers.data());
    });
    return found->numbers.data();
  }
  std::vector<std::uint16_t> take_rounded() { return std::move(rounded_); }

 private:
  struct Packed {
    std::once_flag written;
    Tensor numbers;
  };
  std::span<const float> numbers_;
  std::vector<std::uint16_t> rounded_;  // empty where products do not round
  std::mutex mutex_;
  std::map<std::pair<const float*, int>, std::unique_ptr<Packed>> packed_;
};

namespace {

struct AllHeld {
  std::shared_mutex mutex;
  std::vector<HeldBlock*> blocks;

  HeldBlock* find(const float* x, std::size_t count) {
    const std::shared_lock lock(mutex);
    for (HeldBlock* block : blocks)
      if (block->has(x, count)) return block;
    return nullptr;
  }
};
AllHeld& all_held() {
  static AllHeld all;
  return all;
}

}  // namespace

ConstantWeights::ConstantWeights(std::span<const float> block, std::vector<std::uint16_t> space) {
  if (block.empty()) return;
  block_ = std::make_unique<HeldBlock>(block, std::move(space));
  AllHeld& all = all_held();
  const std::unique_lock lock(all.mutex);
  all.blocks.push_back(block_.get());
}

ConstantWeights::ConstantWeights(std::span<const double>) {}

std::vector<std::uint16_t> ConstantWeights::release() {
  if (!block_) return {};
  {
    AllHeld& all = all_held();
    const std::unique_lock lock(all.mutex);
    std::erase(all.blocks, block_.get());
  }
  std::vector<std::uint16_t> space = block_->take_rounded();
  block_.reset();
  return space;
}

ConstantWeights::ConstantWeights(ConstantWeights&&) noexcept = default;
ConstantWeights& ConstantWeights::operator=(ConstantWeights&& other) noexcept {
  if (this != &other) {
    release();
    block_ = std::move(other.block_);
  }
  return *this;
}
ConstantWeights::~ConstantWeights() { release(); }

bool are_constant(std::initializer_list<std::span<const float>> numbers) {
  return std::ranges::all_of(numbers, [](std::span<const float> some) {
    return all_held().find(some.data(), some.size()) != nullptr;
  });
}

const std::uint16_t* rounded_weights(const float* x, std::size_t count) {
  const HeldBlock* block = all_held().find(x, count);
  return block ? block->rounded(x) : nullptr;
}

const void* packed_weights(const float* x, std::size_t count, int layout, std::size_t size,
                           const std::function<void(void*)>& pack) {
  HeldBlock* block = all_held().find(x, count);
  return block ? block->packed(x, layout, size, pack) : nullptr;
}

}  // namespace saccade
