#include "captioning/scoring/statistics/weighted_sums.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kTile = RowTable::kTile;
// One tile of columns as a vector type of the compiler, because g++ 12 makes code that is six times
// slower from plain loops.
using Lanes __attribute__((vector_size(kTile * sizeof(double)))) = double;
constexpr std::size_t kRegisterRows = 8;  // replicates whose sums of a tile stay in registers
constexpr std::size_t kBlock = 32;        // replicates that share one pass over the rows
constexpr std::size_t kPanel = 1024;      // images whose weights and rows fit in the cache

// What is multiplied for a block of replicates: sums[kBlock, width] += weights[kBlock, images]
// rows.
struct Product {
  const double* rows;     // [width / kTile, images, kTile]
  const double* weights;  // [kBlock, images]
  double* sums;           // [kBlock, width]
  std::size_t images, width;

  // Adds to kRegisterRows replicates and kTile columns the images begin .. end - 1.
  void add_tile(std::size_t replicate, std::size_t column, std::size_t begin,
                std::size_t end) const {
    const double* const tile_rows = rows + column * images;
    const double* const tile_weights = weights + replicate * images;
    double* const tile_sums = sums + replicate * width + column;
    Lanes tile[kRegisterRows], row;
    for (std::size_t b = 0; b < kRegisterRows; ++b) {
      std::memcpy(&tile[b], tile_sums + b * width, sizeof(Lanes));
    }
    for (std::size_t i = begin; i < end; ++i) {
      std::memcpy(&row, tile_rows + i * kTile, sizeof(Lanes));
      for (std::size_t b = 0; b < kRegisterRows; ++b) tile[b] += tile_weights[b * images + i] * row;
    }
    for (std::size_t b = 0; b < kRegisterRows; ++b) {
      std::memcpy(tile_sums + b * width, &tile[b], sizeof(Lanes));
    }
  }

  void add_all() const {
    for (std::size_t begin = 0; begin < images; begin += kPanel) {
      const std::size_t end = std::min(begin + kPanel, images);
      for (std::size_t column = 0; column < width; column += kTile) {
        for (std::size_t b = 0; b < kBlock; b += kRegisterRows) add_tile(b, column, begin, end);
      }
    }
  }
};

}  // namespace

void RowTable::add(const ImageStatistics& statistics) {
  statistics.check();
  if (entries_.empty()) images_ = statistics.images;
  if (statistics.images != images_) {
    throw DataError(str("statistics: ", statistics.metric, " of ", statistics.images,
                        " images beside ", entries_.front().statistics->metric, " of ", images_,
                        "; score all metrics and systems on the same images"));
  }
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.statistics->rows == statistics.rows;
  });
  if (same != entries_.end()) {
    entries_.push_back({&statistics, same->offset});
    return;
  }
  entries_.push_back({&statistics, columns_});
  const auto images = static_cast<std::size_t>(images_);
  const auto width = static_cast<std::size_t>(statistics.width);
  for (std::size_t w = 0; w < width; ++w, ++columns_) {
    if (columns_ % kTile == 0) tiles_.resize(tiles_.size() + images * kTile);
    double* tile = tiles_.data() + columns_ / kTile * images * kTile + columns_ % kTile;
    for (std::size_t i = 0; i < images; ++i) tile[i * kTile] = (*statistics.rows)[i * width + w];
  }
}

void RowTable::add(std::span<const ImageStatistics> statistics) {
  for (const ImageStatistics& each : statistics) add(each);
}

RowTable paired_rows(std::span<const ImageStatistics> a, std::span<const ImageStatistics> b) {
  check_same_metrics(a, b);
  RowTable table;
  table.add(a);
  table.add(b);
  return table;
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
    Product{table.tiles().data(), weights.data(), sums.data(), images, width}.add_all();
    for (Index r = begin; r < end; ++r) {
      use(r, std::span(sums).subspan(static_cast<std::size_t>(r - begin) * width, width));
    }
  });
}

}  // namespace saccade
