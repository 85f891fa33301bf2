#include "core/kernels/rounded_weights.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "core/kernels/precision.h"
#include "core/parallel/parallel.h"

namespace saccade {

struct ConstantWeights::Block {
  std::span<const float> numbers;
  std::vector<std::uint16_t> rounded;
};

namespace {

struct Held {
  const float* begin;
  const float* end;
  const std::uint16_t* rounded;
};

struct AllHeld {
  std::shared_mutex mutex;
  std::vector<Held> blocks;
};
AllHeld& all_held() {
  static AllHeld all;
  return all;
}

}  // namespace

ConstantWeights::ConstantWeights(std::span<const float> block, std::vector<std::uint16_t> space) {
  if (precision() != Precision::kBf16 || block.empty()) return;
  block_ = std::make_unique<Block>(Block{block, std::move(space)});
  std::vector<std::uint16_t>& rounded = block_->rounded;
  rounded.resize(block.size());
  constexpr std::size_t kTogether = std::size_t{1} << 16;
  parallel::for_each(static_cast<Index>((block.size() + kTogether - 1) / kTogether), [&](Index i) {
    const std::size_t first = static_cast<std::size_t>(i) * kTogether;
    round_to_bf16(block.subspan(first, std::min(kTogether, block.size() - first)),
                  rounded.data() + first);
  });
  AllHeld& all = all_held();
  const std::unique_lock lock(all.mutex);
  all.blocks.push_back({block.data(), block.data() + block.size(), rounded.data()});
}

ConstantWeights::ConstantWeights(std::span<const double>) {}

std::vector<std::uint16_t> ConstantWeights::release() {
  if (!block_) return {};
  {
    AllHeld& all = all_held();
    const std::unique_lock lock(all.mutex);
    std::erase_if(all.blocks,
                  [&](const Held& held) { return held.rounded == block_->rounded.data(); });
  }
  std::vector<std::uint16_t> space = std::move(block_->rounded);
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

const std::uint16_t* rounded_weights(const float* x, std::size_t count) {
  AllHeld& all = all_held();
  const std::shared_lock lock(all.mutex);
  for (const Held& held : all.blocks)
    if (x >= held.begin && x + count <= held.end) return held.rounded + (x - held.begin);
  return nullptr;
}

}  // namespace saccade
