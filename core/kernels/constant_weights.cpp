#include "core/kernels/constant_weights.h"

#include <algorithm>
#include <atomic>
#include <shared_mutex>
#include <vector>

#include "core/parallel/parallel.h"
#include "core/tensor/tensor.h"

namespace saccade {

struct WeightCopies::Copy {
  std::mutex writing;
  std::atomic<bool> written = false, read = true;
  Tensor numbers;
  Pack pack;

  bool stays() { return read.exchange(false) && written && pack.of_weights_alone; }
};

WeightCopies::WeightCopies() = default;
WeightCopies::~WeightCopies() = default;

const void* WeightCopies::get(const float* x, int layout, std::size_t size, const Pack& pack) {
  Copy* copy = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Copy>& place = copies_[{x, layout}];
    if (!place) place = std::make_unique<Copy>();
    copy = place.get();
  }
  copy->read.store(true, std::memory_order_relaxed);
  if (!copy->written.load(std::memory_order_acquire)) {
    const std::lock_guard lock(copy->writing);  // others that want this copy wait here
    if (!copy->written.load(std::memory_order_relaxed)) {
      copy->numbers = Tensor({static_cast<Index>((size + sizeof(Real) - 1) / sizeof(Real))});
      pack.write(copy->numbers.data());
      copy->pack = pack;
      copy->written.store(true, std::memory_order_release);
    }
  }
  return copy->numbers.data();
}

void WeightCopies::begin(const float* x) {
  if (x != block_) copies_.clear();
  block_ = x;
  std::erase_if(copies_, [](const auto& entry) { return !entry.second->stays(); });
  std::vector<Copy*> all;
  for (const auto& [key, copy] : copies_) {
    copy->written = false;
    all.push_back(copy.get());
  }
  parallel::for_each(std::ssize(all), [&](Index i) {
    Copy& copy = *all[static_cast<std::size_t>(i)];
    copy.pack.write(copy.numbers.data());
    copy.written = true;
  });
}

// A block of weights whose promise lasts.
class HeldBlock {
 public:
  HeldBlock(std::span<const float> numbers, WeightCopies* kept)
      : numbers_(numbers), copies_(kept ? kept : &own_) {
    copies_->begin(numbers.data());
  }
  bool has(const float* x, std::size_t count) const {
    return x >= numbers_.data() && x + count <= numbers_.data() + numbers_.size();
  }
  WeightCopies& copies() { return *copies_; }

 private:
  std::span<const float> numbers_;
  WeightCopies own_;
  WeightCopies* copies_;
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

ConstantWeights::ConstantWeights(std::span<const float> block, WeightCopies* kept) {
  if (block.empty()) return;
  block_ = std::make_unique<HeldBlock>(block, kept);
  AllHeld& all = all_held();
  const std::unique_lock lock(all.mutex);
  all.blocks.push_back(block_.get());
}

ConstantWeights::ConstantWeights(std::span<const double>, WeightCopies*) {}

void ConstantWeights::end() {
  if (!block_) return;
  {
    AllHeld& all = all_held();
    const std::unique_lock lock(all.mutex);
    std::erase(all.blocks, block_.get());
  }
  block_.reset();
}

ConstantWeights::ConstantWeights(ConstantWeights&&) noexcept = default;
ConstantWeights& ConstantWeights::operator=(ConstantWeights&& other) noexcept {
  if (this != &other) {
    end();
    block_ = std::move(other.block_);
  }
  return *this;
}
ConstantWeights::~ConstantWeights() { end(); }

bool are_constant(std::initializer_list<std::span<const float>> numbers) {
  return std::ranges::all_of(numbers, [](std::span<const float> some) {
    return all_held().find(some.data(), some.size()) != nullptr;
  });
}

const void* packed_weights(const float* x, std::size_t count, int layout, std::size_t size,
                           const WeightCopies::Pack& pack) {
  HeldBlock* block = all_held().find(x, count);
  return block ? block->copies().get(x, layout, size, pack) : nullptr;
}

}  // namespace saccade
