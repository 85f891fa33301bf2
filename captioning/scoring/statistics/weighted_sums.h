// Sums of images' rows with many sets of weights. Both a bootstrap (how often an image was drawn)
// and a randomisation test (from which system an image comes) spend their time on them.
#pragma once

#include <span>
#include <vector>

#include "captioning/scoring/statistics/image_statistics.h"
#include "core/parallel/parallel.h"

namespace saccade {

// The rows of several statistics of the same images, side by side. Rows that statistics share are
// there only once.
class RowTable {
 public:
  // Keeps a reference, so the statistics must outlive the table. Throws what check() throws, and
  // DataError when the number of images is not that of the first statistics.
  void add(const ImageStatistics& statistics);
  void add(std::span<const ImageStatistics> statistics);

  Index images() const { return images_; }
  std::size_t size() const { return entries_.size(); }
  const ImageStatistics& statistics(std::size_t s) const { return *entries_[s].statistics; }
  // The part of a row of sums (for_weighted_sums) that belongs to statistics s.
  std::span<const double> sums_of(std::size_t s, std::span<const double> sums) const;

  static constexpr std::size_t kTile = 4;  // columns that lie side by side
  // [columns / kTile, images, kTile], with zeros behind the last column.
  std::span<const double> tiles() const { return tiles_; }

 private:
  struct Entry {
    const ImageStatistics* statistics;
    std::size_t offset;  // its first column
  };
  std::vector<Entry> entries_;
  Index images_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> tiles_;
};

// The rows of two systems: metric m of b is statistics number a.size() + m. Throws DataError when
// their metrics or images differ, and what RowTable::add() throws.
RowTable paired_rows(std::span<const ImageStatistics> a, std::span<const ImageStatistics> b);

// For each replicate, weigh(replicate, weights) sets the weights of the images, which start at 0,
// and then use(replicate, sums) gets the sums over images of weight * row, for all columns of the
// table. Both are called from several threads. Sums are added in the order of the images, whatever
// the number of threads.
void for_weighted_sums(const RowTable& table, Index replicates,
                       parallel::FunctionRef<void(Index, std::span<double>)> weigh,
                       parallel::FunctionRef<void(Index, std::span<const double>)> use);

}  // namespace saccade
