#include "captioning/model/maps/map_record.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

GlimpseRecord record_glimpse(const Glimpse& glimpse, const MapPart& layer) {
  GlimpseRecord record{.layer = layer};
  const auto weights = glimpse.weights.value().span();
  record.weights.assign(weights.begin(), weights.end());
  for (const Var head : glimpse.heads) {
    const auto map = head.value().span();
    record.heads.emplace_back(map.begin(), map.end());
  }
  record.chosen.assign(glimpse.chosen.begin(), glimpse.chosen.end());
  for (const RegionDraws& draw : glimpse.draws)
    record.head_chosen.emplace_back(draw.chosen.begin(), draw.chosen.end());
  if (glimpse.gate) {
    const ConstView gates = glimpse.gate.value();
    for (Index r = 0; r < gates.rows(); ++r)
      record.gates.push_back(std::accumulate(gates.row(r), gates.row(r) + gates.cols(), 0.0) /
                             static_cast<double>(gates.cols()));
  }
  if (glimpse.sentinel) {
    const auto shares = glimpse.sentinel.value().span();
    record.sentinels.assign(shares.begin(), shares.end());
  }
  return record;
}

// The mask of every row, from that of its memory.
std::vector<std::uint8_t> mask_of(const MemoryLayout& layout, Index rows) {
  std::vector<std::uint8_t> out;
  if (!layout.mask) return out;
  const ConstView mask = layout.mask.value();
  for (Index r = 0; r < rows; ++r) {
    const Real* own = mask.row(r / layout.group);
    for (Index l = 0; l < mask.cols(); ++l) out.push_back(own[l] != 0 ? 1 : 0);
  }
  return out;
}

template <class T>
std::vector<T> row_of(const std::vector<T>& all, Index row, Index columns) {
  const auto begin = all.begin() + row * columns;
  return {begin, begin + columns};
}

// The maps of one row.
struct RowMaps {
  AttentionMap mean;
  std::vector<AttentionMap> heads;  // empty for a single head
};

RowMaps maps_of(const GlimpseRecord& glimpse, const MapRecord& record, Index row) {
  const auto place = static_cast<std::size_t>(row);
  const Index cells = record.grid.cells();
  RowMaps maps;
  AttentionMap& mean = maps.mean;
  mean.weights = row_of(glimpse.weights, row, cells);
  mean.grid = record.grid;
  if (!record.mask.empty()) mean.mask = row_of(record.mask, row, cells);
  mean.layer = glimpse.layer;
  if (!glimpse.gates.empty()) mean.gate = glimpse.gates[place];
  if (!glimpse.sentinels.empty()) mean.sentinel = glimpse.sentinels[place];
  if (!glimpse.chosen.empty()) mean.chosen = glimpse.chosen[place];
  const auto count = static_cast<Index>(glimpse.heads.size());
  for (Index h = 0; h < count; ++h) {
    AttentionMap& head = maps.heads.emplace_back(mean);
    head.weights = row_of(glimpse.heads[static_cast<std::size_t>(h)], row, cells);
    head.head = {.number = h, .count = count};
    head.sentinel.reset();  // the record has the mean's alone
    if (glimpse.head_chosen.empty()) continue;
    const int cell = glimpse.head_chosen[static_cast<std::size_t>(h)][place];
    head.chosen = cell < cells ? cell : -1;
  }
  if (count > 0) mean.head = {.count = count, .fused = Fusion::kMean};
  return maps;
}

}  // namespace

MapRecord record_of(std::span<const Glimpse> glimpses, const MemoryLayout& layout,
                    const Recording& recording) {
  const ConstView weights = glimpses.back().weights.value();
  MapRecord record{.grid = layout.grid};
  if (record.grid.rows == 0) record.grid = {.rows = 1, .cols = weights.cols()};
  SACCADE_CHECK(record.grid.cells() == weights.cols(), "[maps] weights of ", weights.cols(),
                " regions on a grid of ", record.grid.rows, " x ", record.grid.cols);
  record.mask = mask_of(layout, weights.rows());
  const auto layers = static_cast<Index>(glimpses.size());
  for (Index l = 0; l < layers; ++l) {
    const Glimpse& glimpse = glimpses[static_cast<std::size_t>(l)];
    if (recording.layers || l + 1 == layers)
      record.glimpses.push_back(record_glimpse(glimpse, {.number = l, .count = layers}));
    for (const RegionDraws& draw : glimpse.draws)
      if (layers > 1 || glimpse.draws.size() > 1 || draw.weights.cols() > weights.cols())
        record.choices.emplace_back(draw.chosen.begin(), draw.chosen.end());
    if (!recording.words || !glimpse.words) continue;
    const ConstView all = glimpse.words();  // [R, H, 1, t + 1]
    const Index rows = all.shape[0], heads = all.shape[1], read = all.shape[3];
    for (Index h = 0; h < heads; ++h) {
      SelfAttention& maps =
          record.self_attention.emplace_back(SelfAttention{.layer = l, .head = h});
      for (Index r = 0; r < rows; ++r) {
        const Real* own = all.data + (r * heads + h) * read;
        maps.weights.insert(maps.weights.end(), own, own + read);
      }
    }
  }
  return record;
}

MapRecord mean_record(std::vector<MapRecord> records) {
  if (records.size() == 1) return std::move(records.front());
  const GlimpseRecord& first = records.front().glimpses.back();
  // The mean of the member, where all records have numbers for it.
  const auto mean = [&](auto member) {
    auto sum = first.*member;
    for (std::size_t m = 1; m < records.size(); ++m) {
      const auto& other = records[m].glimpses.back().*member;
      if (sum.size() != other.size()) return decltype(sum){};
      std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
    }
    for (auto& x : sum) x /= static_cast<std::decay_t<decltype(x)>>(records.size());
    return sum;
  };
  MapRecord out{.grid = records.front().grid};
  GlimpseRecord& glimpse = out.glimpses.emplace_back();
  glimpse.weights = mean(&GlimpseRecord::weights);
  SACCADE_CHECK(!glimpse.weights.empty(),
                "[search] the maps of models on other grids have no mean");
  glimpse.gates = mean(&GlimpseRecord::gates);
  glimpse.sentinels = mean(&GlimpseRecord::sentinels);
  // A model that pads nothing masks nothing.
  const bool padded = std::all_of(records.begin(), records.end(),
                                  [](const MapRecord& one) { return !one.mask.empty(); });
  if (padded) {
    out.mask = records.front().mask;
    for (const MapRecord& other : records)
      std::transform(out.mask.begin(), out.mask.end(), other.mask.begin(), out.mask.begin(),
                     [](auto a, auto b) { return std::max(a, b); });
  }
  return out;
}

DecodedWord MapRecord::of_row(Index row) const {
  DecodedWord word;
  for (std::size_t g = 0; g < glimpses.size(); ++g) {
    RowMaps maps = maps_of(glimpses[g], *this, row);
    const bool last = g + 1 == glimpses.size();
    if (maps.heads.empty() && glimpses.size() > 1) maps.heads.push_back(maps.mean);
    std::move(maps.heads.begin(), maps.heads.end(), std::back_inserter(word.parts));
    if (last) word.map = std::move(maps.mean);
  }
  for (const std::vector<int>& of_glimpse : choices)
    word.choices.push_back(of_glimpse[static_cast<std::size_t>(row)]);
  const Index row_count =
      static_cast<Index>(glimpses.back().weights.size()) / std::max(grid.cells(), Index{1});
  for (const SelfAttention& all : self_attention) {
    const Index count = static_cast<Index>(all.weights.size()) / row_count;
    word.self_attention.push_back(
        {.layer = all.layer, .head = all.head, .weights = row_of(all.weights, row, count)});
  }
  return word;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
