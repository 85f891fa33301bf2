#include "core/attention/sequence/geometry_attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/ops/biased_attention.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr Index kWaves = 8, kNumbers = 4, kEmbedding = kNumbers * 2 * kWaves;
constexpr auto kLeastWeight = static_cast<Real>(1e-6);
constexpr Real kMasked = Real{-1e9};  // exp of it is 0, so that a masked key has no weight at all

std::vector<RegionBox> boxes_of_cells(const BlockPlaces& places) {
  std::vector<RegionBox> out(static_cast<std::size_t>(places.placeless));
  const auto rows = static_cast<float>(places.grid.rows),
             cols = static_cast<float>(places.grid.cols);
  for (Index r = 0; r < places.grid.rows; ++r)
    for (Index c = 0; c < places.grid.cols; ++c)
      out.push_back({.left = static_cast<float>(c) / cols,
                     .top = static_cast<float>(r) / rows,
                     .right = static_cast<float>(c + 1) / cols,
                     .bottom = static_cast<float>(r + 1) / rows});
  return out;
}

// A box by its centre and sides.
struct CentredBox {
  double x = 0, y = 0, width = 1, height = 1;

  explicit CentredBox(const RegionBox& box)
      : x(static_cast<double>(box.left + box.right) / 2),
        y(static_cast<double>(box.top + box.bottom) / 2),
        width(std::max(static_cast<double>(box.width()), kThinnest)),
        height(std::max(static_cast<double>(box.height()), kThinnest)) {}

 private:
  static constexpr double kThinnest = 1e-4;  // a share of the picture's side
};

void embed(const CentredBox& m, const CentredBox& n, const std::array<double, kWaves>& frequencies,
           Real* out) {
  constexpr double kNearest = 1e-3;
  const std::array<double, kNumbers> places{
      std::log(std::max(std::abs(m.x - n.x) / m.width, kNearest)),
      std::log(std::max(std::abs(m.y - n.y) / m.height, kNearest)), std::log(n.width / m.width),
      std::log(n.height / m.height)};
  for (const double place : places)
    for (const double frequency : frequencies) {
      *out++ = static_cast<Real>(std::sin(place * frequency));
      *out++ = static_cast<Real>(std::cos(place * frequency));
    }
}

// Of every two boxes of a sample, [L L, 64] into out.
void embed_all(std::span<const RegionBox> boxes, Real* out) {
  std::array<double, kWaves> frequencies{};
  for (std::size_t i = 0; i < kWaves; ++i)
    frequencies[i] = 100 / std::pow(1000.0, static_cast<double>(i) / kWaves);
  const std::vector<CentredBox> centred(boxes.begin(), boxes.end());
  for (const CentredBox& m : centred)
    for (const CentredBox& n : centred) {
      embed(m, n, frequencies, out);
      out += kEmbedding;
    }
}

}  // namespace

GeometryAttention::GeometryAttention(const ParamScope& scope, const SequenceWidths& widths,
                                     const BlockPlaces& places)
    : heads_(checked_heads(widths)),
      scattered_(places.grid.scattered),
      cells_(boxes_of_cells(places)),
      query_(scope.sub("query"), {widths.features, widths.features}),
      key_(scope.sub("key"), {widths.features, widths.features}),
      value_(scope.sub("value"), {widths.features, widths.features}),
      output_(scope.sub("output"), {widths.features, widths.features}),
      weight_(scope.sub("geometry")
                  .declare("weight", {kEmbedding, heads_}, Init::glorot(kEmbedding, heads_))),
      bias_(scope.sub("geometry").declare("bias", {heads_}, Init::constant(1), Decay::kNo)) {}

// What is added to the scores of sequences of this shape [B, L, D]: [L L, H] or, where samples
// differ, [B L L, H].
Var GeometryAttention::bias(Tape& tape, const Shape& shape, const AttentionMask& mask) const {
  refuse_patterns("geometry", mask);
  const Index batch = shape[0], length = shape[1], pairs = length * length;
  const AttentionExtents extents{.batch = batch, .queries = length, .keys = length};
  check_mask("geometry", mask, extents);
  SACCADE_CHECK(!scattered_ || !mask.boxes.empty(), "[geometry] regions anywhere need boxes");
  SACCADE_CHECK(std::ssize(mask.boxes.empty() ? std::span(cells_) : mask.boxes) ==
                    (mask.boxes.empty() ? length : batch * length),
                "[geometry] ", mask.boxes.empty() ? cells_.size() : mask.boxes.size(),
                " boxes for ", shape);
  const bool masked = !mask.lengths.empty() || !mask.allowed.empty();
  const Index samples = mask.boxes.empty() && !masked ? 1 : batch;
  const View embedded{tape.scratch(samples * pairs * kEmbedding), {samples * pairs, kEmbedding}};
  for (Index b = 0; b < samples; ++b)
    embed_all(mask.boxes.empty() ? std::span<const RegionBox>(cells_)
                                 : mask.boxes.subspan(static_cast<std::size_t>(b * length),
                                                      static_cast<std::size_t>(length)),
              embedded.row(b * pairs));
  const Var opened = ops::log_above(
      ops::linear(tape.constant(embedded), tape.parameter(weight_), tape.parameter(bias_)),
      kLeastWeight);
  if (!masked) return opened;
  const View closed{tape.scratch(samples * pairs * heads_), {samples * pairs, heads_}};
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < length; ++t)
      for (Index s = 0; s < length; ++s)
        std::fill_n(closed.row(b * pairs + t * length + s), heads_,
                    leaves_out(mask, extents, b, s) ? kMasked : Real{0});
  return ops::add(opened, tape.constant(closed));
}

Var GeometryAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  return output_(tape, ops::biased_attention(query_(tape, x), key_(tape, x), value_(tape, x),
                                             bias(tape, x.shape(), mask), {}));
}

ConstView GeometryAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return ops::biased_attention_weights(query_(tape, x), key_(tape, x), bias(tape, x.shape(), mask));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
