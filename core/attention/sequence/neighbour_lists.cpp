#include "core/attention/sequence/neighbour_lists.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/kernels/gemm.h"

namespace saccade {

NeighbourLists grid_neighbours(const GridSize& grid, GridNeighbours kind) {
  NeighbourLists lists{.starts = {0}, .neighbours = {}};
  for (Index r = 0; r < grid.rows; ++r)
    for (Index c = 0; c < grid.cols; ++c) {
      for (Index y = std::max<Index>(r - 1, 0); y <= std::min(r + 1, grid.rows - 1); ++y)
        for (Index x = std::max<Index>(c - 1, 0); x <= std::min(c + 1, grid.cols - 1); ++x)
          if (kind == GridNeighbours::kEight || y == r || x == c)
            lists.neighbours.push_back(static_cast<int>(y * grid.cols + x));
      lists.starts.push_back(static_cast<Index>(lists.neighbours.size()));
    }
  return lists;
}

NeighbourLists permitted_neighbours(const AttentionMask& mask, const AttentionExtents& extents) {
  NeighbourLists lists{.starts = {0}, .neighbours = {}};
  for (Index b = 0; b < extents.batch; ++b)
    for (Index t = 0; t < extents.queries; ++t) {
      const std::size_t before = lists.neighbours.size();
      for (Index s = 0; s < extents.keys; ++s)
        if (permits(mask, extents, b, t, s)) lists.neighbours.push_back(static_cast<int>(s));
      if (lists.neighbours.size() == before && leaves_out(mask, extents, b, t))
        lists.neighbours.push_back(static_cast<int>(t));
      lists.starts.push_back(static_cast<Index>(lists.neighbours.size()));
    }
  return lists;
}

inline namespace SACCADE_NUMERIC {

namespace {

// distance[s] from position t, except for a term that is equal for all s. It is computed from the
// products of all pairs.
void distances(ConstView products, Index t, Likeness likeness, std::vector<Real>& distance) {
  const Index length = products.cols();
  for (Index s = 0; s < length; ++s) {
    const Real product = products.row(t)[s], square = products.row(s)[s];
    // A zero vector is not like any other.
    distance[static_cast<std::size_t>(s)] =
        likeness == Likeness::kEuclidean ? square - 2 * product
                                         : (square > 0 ? -product / std::sqrt(square) : Real{0});
  }
}

// Appends the list of position t: those of `candidates` (t among them) that are the nearest.
void append_nearest(NeighbourLists& lists, std::vector<int>& candidates, Index t, Index count,
                    const std::vector<Real>& distance) {
  const auto nearer = [&](int i, int j) {
    if ((i == t) != (j == t)) return i == t;  // the position itself comes first
    const Real x = distance[static_cast<std::size_t>(i)], y = distance[static_cast<std::size_t>(j)];
    return x < y || (x == y && i < j);
  };
  const auto end =
      candidates.begin() + std::min<Index>(count + 1, static_cast<Index>(candidates.size()));
  std::partial_sort(candidates.begin(), end, candidates.end(), nearer);
  std::sort(candidates.begin(), end);
  lists.neighbours.insert(lists.neighbours.end(), candidates.begin(), end);
  lists.starts.push_back(static_cast<Index>(lists.neighbours.size()));
}

// Calls f(b, t, distance) for every position of every sample, with the distances of all others.
template <class F>
void for_each_position(ConstView features, Likeness likeness, F f) {
  const Shape& shape = features.shape;
  const Index length = shape[1], width = shape[2];
  Tensor products({length, length});
  std::vector<Real> distance(static_cast<std::size_t>(length));
  for (Index b = 0; b < shape[0]; ++b) {
    const ConstView sample{features.data + b * length * width, {length, width}};
    kernels::matmul_nt(sample, sample, products.view(), 0);
    for (Index t = 0; t < length; ++t) {
      distances(products.view(), t, likeness, distance);
      f(b, t, distance);
    }
  }
}

}  // namespace

NeighbourLists nearest_neighbours(ConstView features, Index count, Likeness likeness,
                                  const AttentionMask& mask) {
  const Shape& shape = features.shape;
  SACCADE_CHECK(shape.rank() == 3 && count >= 0 && count < shape[1], "[nearest_neighbours] ", count,
                " others of every position in features ", shape);
  const Index length = shape[1];
  NeighbourLists lists{.starts = {0}, .neighbours = {}};
  std::vector<int> candidates;
  const AttentionExtents extents{.batch = shape[0], .queries = length, .keys = length};
  for_each_position(features, likeness, [&](Index b, Index t, const std::vector<Real>& distance) {
    candidates.clear();
    for (Index s = 0; s < length; ++s)
      if (s == t || !leaves_out(mask, extents, b, s)) candidates.push_back(static_cast<int>(s));
    append_nearest(lists, candidates, t, count, distance);
  });
  return lists;
}

NeighbourLists nearest_earlier(ConstView features, Index count, Likeness likeness, Index queries) {
  const Shape& shape = features.shape;
  SACCADE_CHECK(shape.rank() == 3 && count >= 0 && queries >= 1 && queries <= shape[1],
                "[nearest_earlier] ", count, " positions before each of the last ", queries, " of ",
                shape);
  NeighbourLists lists{.starts = {0}, .neighbours = {}};
  std::vector<int> candidates;
  for_each_position(features, likeness, [&](Index, Index t, const std::vector<Real>& distance) {
    candidates.clear();
    const Index first = t < shape[1] - queries ? t : 0;
    for (Index s = first; s <= t; ++s) candidates.push_back(static_cast<int>(s));
    append_nearest(lists, candidates, t, count, distance);
  });
  return lists;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
