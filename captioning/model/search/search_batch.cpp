#include "captioning/model/search/search_batch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/kernels/ranking.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Members draw independently of each other. The first one draws what it would draw alone.
std::uint64_t member_seed(std::uint64_t seed, std::size_t member) {
  constexpr std::uint64_t kStride = 0x9E3779B97F4A7C15;  // 2^64 / the golden ratio
  return seed + member * kStride;
}

}  // namespace

SearchBatch::SearchBatch(std::span<const SearchMember> members, const SearchOptions& options,
                         std::uint64_t first_image)
    : first_image_(first_image),
      first_group_(options.mode == SearchMode::kSample ? options.samples : 1),
      images_(static_cast<std::size_t>(members[0].images.features.shape[0])) {
  std::iota(images_.begin(), images_.end(), Index{0});
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Index seen = members[m].images.features.shape[0];
    SACCADE_CHECK(seen == slots(), "[search] models see ", slots(), " and ", seen, " images");
    members_.push_back(std::make_unique<RunningModel>(members[m], options, first_group_,
                                                      member_seed(options.seed, m)));
    shown_.push_back(members[m].shown);
  }
}

void SearchBatch::force_regions(std::span<const std::vector<int>> regions) {
  SACCADE_CHECK(members_.size() == 1, "[search] regions of one model for ", members_.size());
  members_[0]->force_regions(regions);
}

std::vector<DecodedWord> SearchBatch::step(std::span<const int> words, Index group) {
  SACCADE_ASSERT(static_cast<Index>(words.size()) == slots() * group, words.size(), " words for ",
                 slots(), " images in groups of ", group);
  std::vector<std::uint64_t> numbers;
  for (Index slot = 0; slot < slots(); ++slot) numbers.push_back(image_number(slot));
  std::vector<std::vector<DecodedWord>> models;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m]->step(words, numbers, word_);
    if (shown_[m]) models.push_back(members_[m]->attention());
  }
  if (members_.size() > 1) mix();
  return mean_recorded(std::move(models));
}

// log (1/M) sum_m exp(logits_m - log sum exp logits_m), computed relative to the largest term, so
// that only negligible terms underflow.
void SearchBatch::mix() {
  const Shape shape = members_[0]->logits().shape;
  if (mixture_numbers_.size() < shape.size()) mixture_numbers_ = Tensor(shape);
  mixture_ = {mixture_numbers_.data(), shape};
  normalizers_ = Tensor({shape[0]});
  constexpr Real kNever = -std::numeric_limits<Real>::infinity();
  const Real share = std::log(static_cast<Real>(members_.size()));
  std::fill_n(mixture_.data, shape.size(), kNever);
  for (const std::unique_ptr<RunningModel>& member : members_) {
    const View logits = member->logits();
    SACCADE_CHECK(logits.shape == shape, "[search] models give ", shape, " and ", logits.shape,
                  " scores of words");
    kernels::log_sum_exp(logits, normalizers_.view());
    for (Index r = 0; r < shape[0]; ++r) {
      Real* sum = mixture_.row(r);
      for (Index v = 0; v < shape[1]; ++v) {
        const Real own = logits.row(r)[v] - normalizers_[r] - share;
        if (own == kNever) continue;
        const Real top = std::max(sum[v], own);
        sum[v] =
            sum[v] == kNever ? own : top + std::log(std::exp(sum[v] - top) + std::exp(own - top));
      }
    }
  }
}

// The last images move into the free slots. This takes one copy per image that leaves, and none for
// those at the end.
std::vector<Index> SearchBatch::drop(const std::vector<bool>& done) {
  std::vector<Index> before;
  Index last = slots() - 1;
  for (Index slot = 0; slot <= last; ++slot) {
    if (done[static_cast<std::size_t>(slot)]) {
      while (last > slot && done[static_cast<std::size_t>(last)]) --last;
      if (last == slot) break;
      for (const std::unique_ptr<RunningModel>& member : members_) member->move_memory(last, slot);
      images_[static_cast<std::size_t>(slot)] = images_[static_cast<std::size_t>(last)];
      before.push_back(last--);
    } else {
      before.push_back(slot);
    }
  }
  images_.resize(before.size());
  return before;
}

void SearchBatch::advance(std::span<const Index> parents) {
  for (const std::unique_ptr<RunningModel>& member : members_) member->advance(parents);
  ++word_;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
