#include "core/memory/arena.h"

#include <algorithm>
#include <new>

namespace saccade {

namespace {
constexpr std::size_t kAlign = 64;
}

struct Arena::Block {
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kAlign}); }
  };
  std::unique_ptr<std::byte, Free> data;
  std::size_t bytes;
};

Arena::Arena(std::size_t block_bytes) : block_bytes_(block_bytes) {}
Arena::~Arena() = default;
Arena::Arena(Arena&&) noexcept = default;
Arena& Arena::operator=(Arena&&) noexcept = default;

void* Arena::allocate(std::size_t bytes) {
  bytes = std::max((bytes + kAlign - 1) / kAlign * kAlign, kAlign);
  while (current_ < blocks_.size() && offset_ + bytes > blocks_[current_].bytes) {
    ++current_;
    offset_ = 0;
  }
  if (current_ == blocks_.size()) {
    const std::size_t size = std::max(bytes, block_bytes_);
    auto* raw = static_cast<std::byte*>(::operator new (size, std::align_val_t{kAlign}));
    blocks_.push_back({std::unique_ptr<std::byte, Block::Free>(raw), size});
    ++system_allocations_;
    offset_ = 0;
  }
  void* result = blocks_[current_].data.get() + offset_;
  offset_ += bytes;
  used_ += bytes;
  high_water_ = std::max(high_water_, used_);
  return result;
}

void Arena::reset() { current_ = offset_ = used_ = 0; }

void Arena::rewind(const Mark& to) {
  current_ = to.block;
  offset_ = to.offset;
  used_ = to.used;
}

std::size_t Arena::reserved() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.bytes;
  return total;
}

}  // namespace saccade
