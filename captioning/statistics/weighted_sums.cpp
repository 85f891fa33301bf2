#include "captioning/statistics/weighted_sums.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kTile = RowTable::kTile;
constexpr std::size_t kBlock = 8;  // replicates, whose sums of a tile stay in registers

// sums[kBlock, kTile] = weights[kBlock, images] rows[images, kTile]; the rows of sums lie `width`
// apart.
void sum_tile(const double* rows, const double* weights, std::size_t images, double* sums,
              std::size_t width) {
  double tile[kBlock][kTile] = {};
  for (std::size_t i = 0; i < images; ++i) {
    for (std::size_t b = 0; b < kBlock; ++b) {
      for (std::size_t c = 0; c < kTile; ++c) {
        tile[b][c] += weights[b * images + i] * rows[i * kTile + c];
      }
    }
  }
  for (std::size_t b = 0; b < kBlock; ++b) std::copy_n(tile[b], kTile, sums + b * width);
}

}  // namespace

void RowTable::add(const ImageStatistics& statistics) {
  statistics.check();
  if (entries_.empty()) images_ = statistics.images;
  if (statistics.images != images_) {
    throw DataError(str("statistics: ", statistics.metric, " of ", statistics.images,
                        " images beside ", entries_.front().statistics->metric, " of ", images_,
                        "; score all metrics and systems on the same images"));
  }
  entries_.push_back({&statistics, columns_});
  const auto images = static_cast<std::size_t>(images_);
  const auto width = static_cast<std::size_t>(statistics.width);
  for (std::size_t w = 0; w < width; ++w, ++columns_) {
    if (columns_ % kTile == 0) tiles_.resize(tiles_.size() + images * kTile);
    double* tile = tiles_.data() + columns_ / kTile * images * kTile + columns_ % kTile;
    for (std::size_t i = 0; i < images; ++i) tile[i * kTile] = statistics.rows[i * width + w];
  }
}

void RowTable::add(std::span<const ImageStatistics> statistics) {
  for (const ImageStatistics& each : statistics) add(each);
}

std::span<const double> RowTable::sums_of(std::size_t s, std::span<const double> sums) const {
  return sums.subspan(entries_[s].offset, static_cast<std::size_t>(entries_[s].statistics->width));
}

void for_weighted_sums(const RowTable& table, Index replicates,
                       parallel::FunctionRef<void(Index, std::span<double>)> weigh,
                       parallel::FunctionRef<void(Index, std::span<const double>)> use) {
  if (table.size() == 0) throw DataError("statistics: no metrics; name at least one");
  const auto images = static_cast<std::size_t>(table.images());
  const std::size_t width = table.tiles().size() / images;
  parallel::for_blocks(replicates, kBlock, [&](Index begin, Index end) {
    std::vector<double> weights(kBlock * images), sums(kBlock * width);
    for (Index r = begin; r < end; ++r) {
      weigh(r, std::span(weights).subspan(static_cast<std::size_t>(r - begin) * images, images));
    }
    for (std::size_t column = 0; column < width; column += kTile) {
      sum_tile(table.tiles().data() + column * images, weights.data(), images, sums.data() + column,
               width);
    }
    for (Index r = begin; r < end; ++r) {
      use(r, std::span(sums).subspan(static_cast<std::size_t>(r - begin) * width, width));
    }
  });
}

}  // namespace saccade
