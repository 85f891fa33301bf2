#include "core/kernels/constant_weights.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <shared_mutex>
#include <vector>

#include "core/parallel/parallel.h"
#include "core/tensor/tensor.h"

namespace saccade {

struct WeightCopies::Copy {
  std::atomic<bool> written = false, read = true;
  Tensor numbers;
  Pack pack;

  bool stays() { return read.exchange(false) && written; }
  void write(const Pack& by, Index count);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Index> open_;  // parts that no thread writes yet
  Index unwritten_ = 0;      // all parts that are not written
};

// Writes parts until all are written, by this thread or by others. A part that fails is written by
// another thread, if one waits.
void WeightCopies::Copy::write(const Pack& by, Index count) {
  std::unique_lock lock(mutex_);
  if (written) return;
  if (unwritten_ == 0) {
    if (numbers.size() != count) numbers = Tensor({count});
    pack = by;
    open_.reserve(static_cast<std::size_t>(by.parts));  // nothing fails from here on but a part
    for (unwritten_ = 0; unwritten_ < by.parts; ++unwritten_) open_.push_back(unwritten_);
  }
  while (unwritten_ > 0) {
    if (open_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Index part = open_.back();
    open_.pop_back();
    lock.unlock();
    try {
      by.write(numbers.data(), part);
    } catch (...) {
      lock.lock();
      open_.push_back(part);
      changed_.notify_all();
      throw;
    }
    lock.lock();
    if (--unwritten_ > 0) continue;
    written = true;
    changed_.notify_all();
  }
}

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
  if (!copy->written.load(std::memory_order_acquire))
    copy->write(pack, static_cast<Index>((size + sizeof(Real) - 1) / sizeof(Real)));
  return copy->numbers.data();
}

void WeightCopies::begin(const float* x) {
  if (x != block_) copies_.clear();
  block_ = x;
  std::erase_if(copies_, [](const auto& entry) { return !entry.second->stays(); });
  std::vector<Copy*> all;
  for (const auto& [key, copy] : copies_) {
    copy->written = false;
    if (copy->pack.of_weights_alone) all.push_back(copy.get());
  }
  parallel::for_each(std::ssize(all), [&](Index i) {
    Copy& copy = *all[static_cast<std::size_t>(i)];
    copy.write(Pack(copy.pack), copy.numbers.size());
  });
}

// A block of weights whose promise lasts.
class HeldBlock {
 public:
  HeldBlock(std::span<const float> numbers, WeightCopies* kept)
      : numbers_(numbers), copies_(kept ? kept : &own_) {
    copies_->begin(numbers.data());
  }
  bool is(std::span<const float> numbers) const {
    return numbers_.data() == numbers.data() && numbers_.size() == numbers.size();
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

// Promises about the same block share it, and it ends with the last of them.
struct AllHeld {
  std::shared_mutex mutex;
  std::vector<std::weak_ptr<HeldBlock>> blocks;

  template <class Fits>
  std::shared_ptr<HeldBlock> find(Fits fits) {
    for (const std::weak_ptr<HeldBlock>& some : blocks)
      if (std::shared_ptr<HeldBlock> block = some.lock(); block && fits(*block)) return block;
    return nullptr;
  }
  std::shared_ptr<HeldBlock> find(const float* x, std::size_t count) {
    const std::shared_lock lock(mutex);
    return find([&](const HeldBlock& block) { return block.has(x, count); });
  }
  std::shared_ptr<HeldBlock> find(std::span<const float> numbers) {
    return find([&](const HeldBlock& block) { return block.is(numbers); });
  }
};
AllHeld& all_held() {
  static AllHeld all;
  return all;
}

}  // namespace

ConstantWeights::ConstantWeights(std::span<const float> block, WeightCopies* kept) {
  if (block.empty()) return;
  AllHeld& all = all_held();
  {
    const std::shared_lock lock(all.mutex);
    block_ = all.find(block);
  }
  if (block_) return;
  // Copies are written without the lock, because tasks that need it may run meanwhile.
  auto made = std::make_shared<HeldBlock>(block, kept);
  const std::unique_lock lock(all.mutex);
  block_ = all.find(block);
  if (block_) return;
  std::erase_if(all.blocks, [](const auto& some) { return some.expired(); });
  all.blocks.push_back(made);
  block_ = std::move(made);
}

ConstantWeights::ConstantWeights(std::span<const double>, WeightCopies*) {}
ConstantWeights::ConstantWeights(ConstantWeights&&) noexcept = default;
ConstantWeights& ConstantWeights::operator=(ConstantWeights&&) noexcept = default;
ConstantWeights::~ConstantWeights() = default;

bool are_constant(std::initializer_list<std::span<const float>> numbers) {
  return std::ranges::all_of(numbers, [](std::span<const float> some) {
    return all_held().find(some.data(), some.size()) != nullptr;
  });
}

const void* packed_weights(const float* x, std::size_t count, int layout, std::size_t size,
                           const WeightCopies::Pack& pack) {
  const std::shared_ptr<HeldBlock> block = all_held().find(x, count);
  return block ? block->copies().get(x, layout, size, pack) : nullptr;
}

}  // namespace saccade
