// Sums of images' rows under many weightings: what a bootstrap (how often an image was drawn) and a
// randomisation test (from which system an image comes) both spend their time on.
#pragma once

#include <span>
#include <vector>

#include "captioning/statistics/image_statistics.h"
#include "core/parallel/parallel.h"

namespace saccade {

// The rows of several statistics of the same images, side by side; rows that they share stand there
// once.
class RowTable {
 public:
  // Keeps a reference: the statistics must outlive the table. Throws what check() throws, and
  // DataError when their images are not as many as those of the first.
  void add(const ImageStatistics& statistics);
  void add(std::span<const ImageStatistics> statistics);

  Index images() const { return images_; }
  std::size_t size() const { return entries_.size(); }
  const ImageStatistics& statistics(std::size_t s) const { return *entries_[s].statistics; }
  // The part of a row of sums (for_weighted_sums) that belongs to statistics s.
  std::span<const double> sums_of(std::size_t s, std::span<const double> sums) const;

  static constexpr std::size_t kTile = 4;  // columns that lie side by side
  // [columns / kTile, images, kTile], zeros behind the last column.
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

// The rows of two systems: metric m of b is statistics a.size() + m. Throws DataError when their
// metrics or images differ, and as RowTable::add().
RowTable paired_rows(std::span<const ImageStatistics> a, std::span<const ImageStatistics> b);

// For each replicate: weigh(replicate, weights) sets the weights of the images, 0 at first, then
// use(replicate, sums) gets the sum over images of weight * row for all columns of the table. Both
// are called from several threads; sums are added in the order of the images, whatever the threads.
void for_weighted_sums(const RowTable& table, Index replicates,
                       parallel::FunctionRef<void(Index, std::span<double>)> weigh,
                       parallel::FunctionRef<void(Index, std::span<const double>)> use);

}  // namespace saccade
