#include "core/kernels/sdpa.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels/gemm.h"
#include "core/kernels/internal/eigen_maps.h"
#include "core/kernels/internal/sdpa_neighbours.h"
#include "core/kernels/work_log.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

constexpr Real kNone = -std::numeric_limits<Real>::infinity();
// A band is as wide as its block of queries and twice the radius, so fewer queries waste fewer
// scores.
constexpr Index kBandQueries = 32;
// The same of causal attention, where a block computes scores up to its last query.
constexpr Index kCausalQueries = 128;

// Scores that one product makes. In a whole tile every query sees every key.
struct Tile {
  Index key, keys;
  bool whole;
};
struct QueryBlock {
  Index first, count;
  std::vector<Tile> tiles;
};

void add_tiles(Index begin, Index end, bool whole, std::vector<Tile>& tiles) {
  for (Index s = begin; s < end; s += kSdpaKeys)
    tiles.push_back({.key = s, .keys = std::min(kSdpaKeys, end - s), .whole = whole});
}

// The blocks of one sample. The queries of a block share their prefix, because global queries are
// separate.
std::vector<QueryBlock> plan(const SdpaInputs& in, Index sample) {
  const AttentionExtents extents = in.extents();
  const Index limit = key_limit(in.mask, extents, sample);
  const bool window = in.mask.pattern == AttentionMask::Pattern::kWindow;
  const bool causal = in.mask.pattern == AttentionMask::Pattern::kCausal;
  const Index apart = window ? std::min(in.mask.global, extents.queries) : 0;
  std::vector<QueryBlock> blocks;
  for (Index t = 0; t < extents.queries;) {
    const bool band = window && t >= apart;
    const Index end = t < apart ? apart : extents.queries;
    const Index most = band ? kBandQueries : causal ? kCausalQueries : kSdpaQueries;
    QueryBlock block{.first = t, .count = std::min(most, end - t), .tiles = {}};
    const KeyRanges first = key_ranges(in.mask, extents, t),
                    last = key_ranges(in.mask, extents, t + block.count - 1);
    const bool same = first.begin == last.begin && first.end == last.end;
    add_tiles(0, std::min(first.prefix, limit), true, block.tiles);
    add_tiles(first.begin, std::min(last.end, limit), same, block.tiles);
    t += block.count;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// One head of one sample. Its rows are as far apart as all heads are wide.
struct Head {
  const Real *q, *k, *v;
  Index q_stride, k_stride, v_stride, out_stride, width, value_width;
  Real scale;
};

Head head_of(const SdpaInputs& in, Index b, Index h) {
  const AttentionExtents e = in.extents();
  const Index width = in.width(), value_width = in.value_width();
  return {.q = in.q.data + b * e.queries * in.q.cols() + h * width,
          .k = in.k.data + b * e.keys * in.k.cols() + h * width,
          .v = in.v.data + b * e.keys * in.v.cols() + h * value_width,
          .q_stride = in.q.cols(),
          .k_stride = in.k.cols(),
          .v_stride = in.v.cols(),
          .out_stride = in.v.cols(),
          .width = width,
          .value_width = value_width,
          .scale = 1 / std::sqrt(static_cast<Real>(width))};
}

// The scores of a block against a tile, [block.count, tile.keys]. Results without gaps are the
// fastest ones where operands are rounded.
void scores(const Head& head, const QueryBlock& block, const Tile& tile, Real* out) {
  gemm({.trans_b = Trans::kYes,
        .m = block.count,
        .n = tile.keys,
        .k = head.width,
        .alpha = head.scale,
        .a = head.q + block.first * head.q_stride,
        .lda = head.q_stride,
        .b = head.k + tile.key * head.k_stride,
        .ldb = head.k_stride,
        .c = out,
        .ldc = tile.keys});
}

// What one sample's `allowed` does to scores: it adds a penalty before the exponential and, because
// the exponential of -infinity need not be exactly 0, multiplies by a factor behind it.
class KeyFilter {
 public:
  KeyFilter(const SdpaInputs& in, Index sample) {
    if (in.mask.allowed.empty()) return;
    const Index keys = in.extents().keys;
    penalty_.resize(keys), factor_.resize(keys);
    for (Index s = 0; s < keys; ++s) {
      const bool allowed = in.mask.allowed[static_cast<std::size_t>(sample * keys + s)] != 0;
      penalty_[s] = allowed ? Real{0} : kNone;
      factor_[s] = allowed ? Real{1} : Real{0};
    }
  }
  void before(Index key, ArrayMap row) const {
    if (penalty_.size() > 0) row += penalty_.segment(key, row.size());
  }
  void behind(Index key, ArrayMap row) const {
    if (factor_.size() > 0) row *= factor_.segment(key, row.size());
  }

 private:
  Array penalty_, factor_;
};

// The part of a tile's row that query t sees; 0 is written elsewhere.
struct Piece {
  Index key;  // the key of its first number
  ArrayMap row;
};
Piece piece_of(const SdpaInputs& in, const Tile& tile, Index t, Real* row) {
  if (tile.whole) return {tile.key, array(row, tile.keys)};
  const KeyRanges ranges = key_ranges(in.mask, in.extents(), t);
  const Index begin = std::clamp<Index>(ranges.begin - tile.key, 0, tile.keys);
  const Index end = std::clamp<Index>(ranges.end - tile.key, begin, tile.keys);
  std::fill(row, row + begin, Real{0});
  std::fill(row + end, row + tile.keys, Real{0});
  return {tile.key + begin, array(row + begin, end - begin)};
}

// The running maximum and sum of exponentials of a block's rows.
struct Running {
  std::array<Real, kSdpaQueries> most, sum;
  Running() {
    most.fill(kNone);
    sum.fill(0);
  }
};

// Turns scores into exponentials under the new maximum. Returns the factor by which older sums have
// to be scaled.
Real take_in(const KeyFilter& filter, const Piece& piece, Real& most, Real& sum) {
  if (piece.row.size() == 0) return 1;
  ArrayMap row = piece.row;
  filter.before(piece.key, row);
  const Real before = most;
  most = std::max(before, row.maxCoeff());
  if (most == kNone) {  // none of these keys is allowed, and none was before
    row.setZero();
    return 1;
  }
  count_exponentials(row.size());
  row = (row - most).exp();
  filter.behind(piece.key, row);
  const Real factor = before == most ? Real{1} : std::exp(before - most);
  sum = sum * factor + row.sum();
  return factor;
}

void forward(const SdpaInputs& in, const Head& head, const KeyFilter& filter,
             const QueryBlock& block, Real* buffer, Real* sums, Real* out, Real* lse) {
  const auto sum_row = [&](Index r) {
    return array(sums + r * head.value_width, head.value_width);
  };
  Running running;
  for (const Tile& tile : block.tiles) {
    const bool first = &tile == block.tiles.data();
    scores(head, block, tile, buffer);
    for (Index r = 0; r < block.count; ++r) {
      const auto i = static_cast<std::size_t>(r);
      const Piece piece = piece_of(in, tile, block.first + r, buffer + r * tile.keys);
      const Real factor = take_in(filter, piece, running.most[i], running.sum[i]);
      if (factor != 1 && !first) sum_row(r) *= factor;
    }
    gemm({.m = block.count,
          .n = head.value_width,
          .k = tile.keys,
          .a = buffer,
          .lda = tile.keys,
          .b = head.v + tile.key * head.v_stride,
          .ldb = head.v_stride,
          .beta = first ? Real{0} : Real{1},
          .c = sums,
          .ldc = head.value_width});
  }
  for (Index r = 0; r < block.count; ++r) {
    const auto i = static_cast<std::size_t>(r);
    array(out + (block.first + r) * head.out_stride, head.value_width) =
        sum_row(r) / running.sum[i];
    lse[block.first + r] = running.most[i] + std::log(running.sum[i]);
  }
}

struct Backward {
  const Real *out, *lse, *dout;
  Real *dq, *dk, *dv;  // null where not wanted
};

void backward(const SdpaInputs& in, const Head& head, const KeyFilter& filter,
              const QueryBlock& block, const Backward& g, Real* weights, Real* dscores, Real* dq) {
  const Index value_first = block.first * head.out_stride, first = block.first * head.q_stride;
  std::array<Real, kSdpaQueries> mean;  // per row sum_s p ds, as <dout, out>
  for (Index r = 0; r < block.count; ++r) {
    const Index row = value_first + r * head.out_stride;
    mean[static_cast<std::size_t>(r)] =
        (array(g.dout + row, head.value_width) * array(g.out + row, head.value_width)).sum();
  }
  for (const Tile& tile : block.tiles) {
    const Index key = tile.key * head.k_stride, value = tile.key * head.v_stride;
    scores(head, block, tile, weights);
    for (Index r = 0; r < block.count; ++r) {
      Piece piece = piece_of(in, tile, block.first + r, weights + r * tile.keys);
      filter.before(piece.key, piece.row);
      piece.row = (piece.row - g.lse[block.first + r]).exp();
      filter.behind(piece.key, piece.row);
    }
    if (g.dv)
      gemm({.trans_a = Trans::kYes,
            .m = tile.keys,
            .n = head.value_width,
            .k = block.count,
            .a = weights,
            .lda = tile.keys,
            .b = g.dout + value_first,
            .ldb = head.out_stride,
            .beta = 1,
            .c = g.dv + value,
            .ldc = head.v_stride});
    if (!g.dq && !g.dk) continue;
    gemm({.trans_b = Trans::kYes,
          .m = block.count,
          .n = tile.keys,
          .k = head.value_width,
          .a = g.dout + value_first,
          .lda = head.out_stride,
          .b = head.v + value,
          .ldb = head.v_stride,
          .c = dscores,
          .ldc = tile.keys});
    for (Index r = 0; r < block.count; ++r) {
      auto row = array(dscores + r * tile.keys, tile.keys);
      row = array(weights + r * tile.keys, tile.keys) * (row - mean[static_cast<std::size_t>(r)]);
    }
    if (g.dq)
      gemm({.m = block.count,
            .n = head.width,
            .k = tile.keys,
            .alpha = head.scale,
            .a = dscores,
            .lda = tile.keys,
            .b = head.k + key,
            .ldb = head.k_stride,
            .beta = &tile == block.tiles.data() ? Real{0} : Real{1},
            .c = dq,
            .ldc = head.width});
    if (g.dk)
      gemm({.trans_a = Trans::kYes,
            .m = tile.keys,
            .n = head.width,
            .k = block.count,
            .alpha = head.scale,
            .a = dscores,
            .lda = tile.keys,
            .b = head.q + first,
            .ldb = head.q_stride,
            .beta = 1,
            .c = g.dk + key,
            .ldc = head.k_stride});
  }
  for (Index r = 0; r < block.count && g.dq && !block.tiles.empty(); ++r)
    array(g.dq + first + r * head.q_stride, head.width) += array(dq + r * head.width, head.width);
}

// Places rows of a head that many blocks read or add to side by side, because rows whose distance
// is a power of two fall into the same few sets of the cache.
class SideBySide {
 public:
  SideBySide(Index rows, Index width) : rows_(rows, width) {}
  Real* data() { return rows_.data(); }
  void copy(const Real* from, Index stride) {
    for (Index r = 0; r < rows_.rows(); ++r, from += stride)
      std::copy_n(from, rows_.cols(), rows_.row(r).data());
  }
  void clear() { rows_.setZero(); }
  void add_to(Real* to, Index stride) {
    for (Index r = 0; r < rows_.rows(); ++r, to += stride)
      array(to, rows_.cols()) += array(rows_.row(r).data(), rows_.cols());
  }

 private:
  RowMatrix rows_;
};

bool many_blocks(const SdpaInputs& in) {
  const bool all = in.mask.pattern == AttentionMask::Pattern::kAll;
  return in.extents().queries > (all ? kSdpaQueries : kCausalQueries);
}

// Heads of all samples in order: those of sample b are b heads and following.
struct Heads {
  Index begin, end;
};

template <class Body>  // calls body(b, h, head, filter, blocks)
void for_heads(const SdpaInputs& in, const Heads& heads, Body body) {
  const Index keys = many_blocks(in) ? in.extents().keys : 0;
  SideBySide k(keys, in.width()), v(keys, in.value_width());
  for (Index at = heads.begin; at < heads.end;) {
    const Index b = at / in.heads;
    const std::vector<QueryBlock> blocks = plan(in, b);
    const KeyFilter filter(in, b);
    for (; at < heads.end && at / in.heads == b; ++at) {
      const Index h = at % in.heads;
      Head head = head_of(in, b, h);
      if (keys > 0) {
        k.copy(head.k, head.k_stride), v.copy(head.v, head.v_stride);
        head.k = k.data(), head.k_stride = in.width();
        head.v = v.data(), head.v_stride = in.value_width();
      }
      body(b, h, head, filter, blocks);
    }
  }
}

template <class Body>
void for_each_head(const SdpaInputs& in, Body body) {
  for_heads(in, {0, in.extents().batch * in.heads}, body);
}

}  // namespace

void sdpa(const SdpaInputs& in, View out, View lse) {
  if (in.mask.pattern == AttentionMask::Pattern::kNeighbours) return sdpa_neighbours(in, out, lse);
  const AttentionExtents e = in.extents();
  const Index cost =
      e.queries * e.keys * (in.width() + in.value_width() + parallel::kExponentialCost);
  const auto some = [&](Index begin, Index end) {
    Array buffer(kSdpaQueries * kSdpaKeys), sums(kSdpaQueries * in.value_width());
    for_heads(in, {begin, end},
              [&](Index b, Index h, const Head& head, const KeyFilter& filter,
                  const std::vector<QueryBlock>& blocks) {
                for (const QueryBlock& block : blocks)
                  forward(in, head, filter, block, buffer.data(), sums.data(),
                          out.data + b * e.queries * out.cols() + h * in.value_width(),
                          lse.data + (b * in.heads + h) * e.queries);
              });
  };
  parallel::split_kernel({.count = e.batch * in.heads, .cost = cost}, some);
}

void sdpa_backward(const SdpaInputs& in, ConstView out, ConstView lse, ConstView dout,
                   const SdpaGradients& gradients) {
  if (in.mask.pattern == AttentionMask::Pattern::kNeighbours)
    return sdpa_neighbours_backward(in, out, lse, dout, gradients);
  const AttentionExtents e = in.extents();
  const bool apart = many_blocks(in);
  Array weights(kSdpaQueries * kSdpaKeys), dscores(kSdpaQueries * kSdpaKeys);
  Array dq(kSdpaQueries * in.width());
  SideBySide dk(apart && gradients.dk.data ? e.keys : 0, in.width()),
      dv(apart && gradients.dv.data ? e.keys : 0, in.value_width());
  for_each_head(in, [&](Index b, Index h, const Head& head, const KeyFilter& filter,
                        const std::vector<QueryBlock>& blocks) {
    const auto slice = [&](View all, Index rows) {
      return all.data ? all.data + b * rows * all.cols() + h * (all.cols() / in.heads) : nullptr;
    };
    const Index values = b * e.queries * out.cols() + h * in.value_width();
    Backward g{.out = out.data + values,
               .lse = lse.data + (b * in.heads + h) * e.queries,
               .dout = dout.data + values,
               .dq = slice(gradients.dq, e.queries),
               .dk = slice(gradients.dk, e.keys),
               .dv = slice(gradients.dv, e.keys)};
    Real *const dk_rows = g.dk, *const dv_rows = g.dv;
    if (apart && dk_rows) dk.clear(), g.dk = dk.data();
    if (apart && dv_rows) dv.clear(), g.dv = dv.data();
    for (const QueryBlock& block : blocks)
      backward(in, head, filter, block, g, weights.data(), dscores.data(), dq.data());
    if (apart && dk_rows) dk.add_to(dk_rows, gradients.dk.cols());
    if (apart && dv_rows) dv.add_to(dv_rows, gradients.dv.cols());
  });
}

// For recorders: a separate pass, one row at a time.
void sdpa_weights(const SdpaInputs& in, View weights) {
  const AttentionExtents e = in.extents();
  for (Index b = 0; b < e.batch; ++b)
    for (Index h = 0; h < in.heads; ++h) {
      const Head head = head_of(in, b, h);
      Real* first = weights.data + (b * in.heads + h) * e.queries * e.keys;
      gemm({.trans_b = Trans::kYes,
            .m = e.queries,
            .n = e.keys,
            .k = head.width,
            .alpha = head.scale,
            .a = head.q,
            .lda = head.q_stride,
            .b = head.k,
            .ldb = head.k_stride,
            .c = first,
            .ldc = e.keys});
      for (Index t = 0; t < e.queries; ++t) {
        auto row = array(first + t * e.keys, e.keys);
        Array factor(e.keys);
        for (Index s = 0; s < e.keys; ++s) factor[s] = permits(in.mask, e, b, t, s) ? 1 : 0;
        row = (factor > 0).select(row, kNone);
        row = (row - row.maxCoeff()).exp() * factor;
        row /= row.sum();
      }
    }
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
