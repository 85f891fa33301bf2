#include "core/kernels/optimized/pack_rounded.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "core/kernels/precision.h"

namespace saccade::kernels_detail {

namespace {

constexpr Index kBlockColumns = 64;
constexpr Index kSide = 16;  // of the squares that are transposed, and the numbers of a register

// Two numbers of a column, the one of the upper row in the lower half.
using Pair = std::uint32_t;
using Register = Pair __attribute__((vector_size(kSide * sizeof(Pair))));

void round(const float* x, Index count, void* to) {
  round_to_bf16({x, static_cast<std::size_t>(count)}, static_cast<std::uint16_t*>(to));
}

// The same of products with a gain, if there is one.
void round(const float* x, const float* gain, Index count, void* to) {
  if (!gain) return round(x, count, to);
  std::array<float, 256> products;
  for (Index first = 0; first < count; first += std::ssize(products)) {
    const Index some = std::min(std::ssize(products), count - first);
    for (Index i = 0; i < some; ++i)
      products[static_cast<std::size_t>(i)] = x[first + i] * gain[first + i];
    round(products.data(), some, static_cast<std::uint16_t*>(to) + first);
  }
}

// Blocks of columns, which are `distance` pairs apart. A gain is one of columns.
void pack_rows(const float* b, const float* gain, Index k, Index n, Index width, Index columns,
               Index distance, Pair* to) {
  std::vector<std::uint16_t> rows(static_cast<std::size_t>(2 * n));
  const std::uint16_t *upper = rows.data(), *lower = upper + n;
  for (Index p = 0; 2 * p < k; ++p) {
    round(b + 2 * p * width, gain, n, rows.data());
    if (2 * p + 1 < k) {
      round(b + (2 * p + 1) * width, gain, n, rows.data() + n);
    } else {
      std::fill(rows.begin() + n, rows.end(), std::uint16_t{0});
    }
    for (Index first = 0; first < n; first += columns) {
      Pair* out = to + first / columns * distance + p * columns;
      for (Index c = 0; c < std::min(columns, n - first); ++c)
        out[c] = upper[first + c] | static_cast<Pair>(lower[first + c]) << 16;
    }
  }
}

// Swaps the squares of `size` x `size` pairs that lie beside each other and off the diagonal.
template <int size>
void swap_squares(std::array<Register, kSide>& rows) {
  Register upper, lower;
  for (int c = 0; c < kSide; ++c) {
    const bool right = c & size;
    upper[c] = static_cast<Pair>(right ? kSide + c - size : c);
    lower[c] = static_cast<Pair>(right ? kSide + c : c + size);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r & size) continue;
    const Register first = rows[r], second = rows[r + size];
    rows[r] = __builtin_shuffle(first, second, upper);
    rows[r + size] = __builtin_shuffle(first, second, lower);
  }
}

// Calls row(r, pairs of column r of the square).
template <class Row>
void transpose(const Pair* square, Row row) {
  std::array<Register, kSide> rows;
  std::memcpy(rows.data(), square, sizeof(rows));
  swap_squares<8>(rows);
  swap_squares<4>(rows);
  swap_squares<2>(rows);
  swap_squares<1>(rows);
  for (Index r = 0; r < kSide; ++r) row(r, rows[static_cast<std::size_t>(r)]);
}

// Blocks of 64 columns, each of so many pairs of rows.
void pack_transposed(const float* b, Index k, Index pairs, Index n, Index width, Pair* to) {
  std::array<Pair, kSide * kSide> square;
  for (Index column = 0; column < n; column += kSide)
    for (Index p = 0; 2 * p < k; p += kSide) {
      const Index rows = std::min(2 * kSide, k - 2 * p), columns = std::min(kSide, n - column);
      if (rows < 2 * kSide || columns < kSide) square.fill(0);
      for (Index c = 0; c < columns; ++c)
        round(b + (column + c) * width + 2 * p, rows, square.data() + c * kSide);
      const Index in_block = column % kBlockColumns;
      Pair* out = to + (column - in_block) * pairs + p * kBlockColumns + in_block;
      transpose(square.data(), [&](Index r, const Register& row) {
        std::memcpy(out + r * kBlockColumns, &row, sizeof(row));
      });
    }
}

}  // namespace

void pack_rounded(const float* b, bool transposed, Index k, Index rows, Index n, Index width,
                  std::uint16_t* to) {
  const Index pairs = (std::max(k, rows) + 2 * kSide - 1) / (2 * kSide) * kSide;
  const Index columns = (n + kBlockColumns - 1) / kBlockColumns * kBlockColumns;
  if (k != 2 * pairs || n != columns) std::fill_n(to, 2 * pairs * columns, std::uint16_t{0});
  const auto out = reinterpret_cast<Pair*>(to);
  if (transposed) {
    pack_transposed(b, k, pairs, n, width, out);
  } else {
    pack_rows(b, nullptr, k, n, width, kBlockColumns, pairs * kBlockColumns, out);
  }
}

void pack_rounded_outputs(const ConvWeights& w, Index block, Index tap, std::uint16_t* to) {
  const Index pairs = w.in / 2 * block;  // of a block and a tap
  pack_rows(w.data + tap * w.in * w.width, w.gain, w.in, w.out, w.width, block, w.taps * pairs,
            reinterpret_cast<Pair*>(to) + tap * pairs);
}

void pack_rounded_inputs(const ConvWeights& w, Index tap, std::uint16_t* to) {
  constexpr Index kPairs = kSide / 2 * kSide;  // of a block and a tap
  const Index blocks = w.in / kSide;
  std::array<Pair, kSide * kSide> square;
  for (Index in = 0; in < w.in; in += kSide)
    for (Index out = 0; out < w.out; out += 2 * kSide) {
      for (Index i = 0; i < kSide; ++i)
        round(w.data + (tap * w.in + in + i) * w.width + out, w.gain ? w.gain + out : nullptr,
              2 * kSide, square.data() + i * kSide);
      transpose(square.data(), [&](Index r, const Register& row) {
        const Index block = (out / kSide + r / (kSide / 2)) * blocks + in / kSide;
        Pair* const pairs = reinterpret_cast<Pair*>(to) + (block * w.taps + tap) * kPairs;
        std::memcpy(pairs + r % (kSide / 2) * kSide, &row, sizeof(row));
      });
    }
}

}  // namespace saccade::kernels_detail
