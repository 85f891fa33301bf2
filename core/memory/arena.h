// Bump arena: the memory for one step of one shard, which is freed all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace saccade {

// Hands out memory aligned to 64 bytes from large blocks. reset() forgets every allocation but
// keeps the memory, so that a second step of the same size allocates nothing. Used by one thread at
// a time.
class Arena {
 public:
  // An empty arena that takes memory from the system in blocks of `block_bytes`, or larger ones
  // where a single allocation needs more.
  explicit Arena(std::size_t block_bytes = std::size_t{1} << 22);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  // Takes over all memory; what was allocated stays valid.
  Arena(Arena&&) noexcept;
  // Takes over all memory, as the constructor does; the memory that was held is freed.
  Arena& operator=(Arena&&) noexcept;

  // Uninitialised memory. Throws std::bad_alloc where the system has none.
  void* allocate(std::size_t bytes);
  // Uninitialised memory for `count` objects of a type without a destructor. Throws as allocate().
  template <class T>
  T* allocate_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena never runs destructors");
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  // Forgets every allocation and keeps the memory.
  void reset();
  // How far an arena is filled: rewind(mark()) frees everything that was allocated in between,
  // which must no longer be used.
  struct Mark {
    std::size_t block;   // the block that is being filled
    std::size_t offset;  // bytes taken from it
    std::size_t used;    // used() at the mark
  };
  // The mark to which rewind() can return.
  Mark mark() const { return {current_, offset_, used_}; }
  // Frees what was allocated since the mark, and keeps the memory. reset() makes marks invalid.
  void rewind(const Mark& to);

  // The bytes allocated since the last reset, including padding.
  std::size_t used() const { return used_; }
  std::size_t high_water() const { return high_water_; }  // the largest value of used() so far
  std::size_t reserved() const;                           // bytes allocated from the system
  // How often memory was taken from the system.
  std::size_t system_allocations() const { return system_allocations_; }

 private:
  struct Block;
  std::vector<Block> blocks_;
  std::size_t block_bytes_;
  std::size_t current_ = 0;  // index of the block being filled
  std::size_t offset_ = 0;   // bytes taken from it
  std::size_t used_ = 0;
  std::size_t high_water_ = 0;
  std::size_t system_allocations_ = 0;
};

}  // namespace saccade
