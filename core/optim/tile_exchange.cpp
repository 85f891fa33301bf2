#include "core/optim/tile_exchange.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr char kOfParameter = 1, kOfTile = 2;
constexpr Index kAddedTogether = Index{1} << 16;  // numbers per task
// Numbers in a message of a sum, which are added while they lie in the cache.
constexpr Index kSentTogether = Index{1} << 18;

std::span<Real> part_of(std::span<Real> numbers, std::size_t begin) {
  begin = std::min(begin, numbers.size());
  return numbers.subspan(begin, std::min(numbers.size() - begin, std::size_t{kSentTogether}));
}

std::span<char> bytes_of(std::span<Real> numbers) {
  return {reinterpret_cast<char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

TileExchange::TileExchange(std::span<const Tile> tiles, parallel::Ranks& ranks)
    : ranks_(&ranks), begin_{0}, found_(tiles.size()) {
  const int count = ranks.count();
  SACCADE_CHECK((count & (count - 1)) == 0, "[ranks] a batch is shared by a power of two; got ",
                count, " ranks");
  for (const Tile& tile : tiles) begin_.push_back(begin_.back() + tile.rows * tile.cols);
  own_ = {.begin = 0, .end = static_cast<Index>(tiles.size())};
  for (int distance = 1; distance < count; distance *= 2) {
    // The tile in whose middle half of the numbers is reached.
    const Index half = (begin_[static_cast<std::size_t>(own_.begin)] +
                        begin_[static_cast<std::size_t>(own_.end)]) /
                       2;
    const Index middle = std::clamp(
        static_cast<Index>(std::lower_bound(begin_.begin(), begin_.end(), half) - begin_.begin()),
        own_.begin, own_.end);
    const Range low{own_.begin, middle}, high{middle, own_.end};
    const bool takes_low = (ranks.rank() & distance) == 0;
    steps_.push_back({.other = ranks.rank() ^ distance,
                      .kept = takes_low ? low : high,
                      .given = takes_low ? high : low});
    own_ = steps_.back().kept;
  }
}

std::span<Real> TileExchange::numbers(const Range& tiles) {
  const Index begin = begin_[static_cast<std::size_t>(tiles.begin)];
  const Index end = begin_[static_cast<std::size_t>(tiles.end)];
  return numbers_.span().subspan(static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(end - begin));
}

void TileExchange::allocate() {
  if (numbers_.empty()) numbers_ = Tensor(Shape{begin_.back()});
  std::fill(found_.begin(), found_.end(), static_cast<char>(kOfParameter | kOfTile));
}

void TileExchange::fill(Index tile, Real value) {
  const auto t = static_cast<std::size_t>(tile);
  std::fill_n(at(tile), begin_[t + 1] - begin_[t], value);
}

void TileExchange::leave_out(Index tile, Missing missing) {
  found_[static_cast<std::size_t>(tile)] = missing == Missing::kTile ? kOfParameter : char{0};
  fill(tile, Real{-0.0});  // x + -0 is x, whatever x is; x + 0 is another number where x is -0
}

void TileExchange::add_up() {
  for (const Step& step : steps_) {
    const std::span<Real> kept = numbers(step.kept), given = numbers(step.given);
    if (received_.empty()) received_ = Tensor(Shape{kSentTogether});
    for (std::size_t at = 0; at < std::max(kept.size(), given.size()); at += kSentTogether) {
      const std::span<Real> here = part_of(kept, at);
      const std::span<Real> received = received_.span().first(here.size());
      ranks_->exchange(step.other, bytes_of(part_of(given, at)), bytes_of(received));
      parallel::for_blocks(
          static_cast<Index>(here.size()), kAddedTogether, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i)
              here[static_cast<std::size_t>(i)] += received[static_cast<std::size_t>(i)];
          });
    }
  }
  for (const std::string& of_rank : ranks_->gather({found_.begin(), found_.end()}))
    for (std::size_t t = 0; t < found_.size(); ++t)
      found_[t] = static_cast<char>(found_[t] | of_rank[t]);
  for (Index tile = own_.begin; tile < own_.end; ++tile)
    if ((found_[static_cast<std::size_t>(tile)] & kOfTile) == 0) fill(tile, 0);
}

void TileExchange::hand_round() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
    ranks_->exchange(step->other, bytes_of(numbers(step->kept)), bytes_of(numbers(step->given)));
}

void TileExchange::share(std::vector<double>& of_tiles) const {
  // Of each rank the first of its tiles, and their numbers.
  std::vector<double> mine{static_cast<double>(own_.begin), static_cast<double>(own_.end)};
  mine.insert(mine.end(), of_tiles.begin() + own_.begin, of_tiles.begin() + own_.end);
  const std::vector<double> all = parallel::join_numbers(mine);
  for (auto at = all.begin(); at != all.end();) {
    const auto begin = static_cast<Index>(at[0]), end = static_cast<Index>(at[1]);
    std::copy_n(at + 2, end - begin, of_tiles.begin() + begin);
    at += 2 + (end - begin);
  }
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
