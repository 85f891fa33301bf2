#include "captioning/model/maps/recording.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The numbers of one row of [R, count], which may have further extents of 1.
std::span<const Real> row_of(const Var& all, Index row, Index count) {
  return {all.value().data + row * count, static_cast<std::size_t>(count)};
}

// Takes the weights of the cells; those of regions behind them have no place and go elsewhere.
void set_weights(AttentionMap& map, std::span<const Real> row) {
  const auto placed = row.begin() + map.layout.count();
  map.weights.assign(row.begin(), placed);
  if (placed != row.end())
    map.elsewhere = static_cast<double>(std::accumulate(placed, row.end(), Real{0}));
}

// The cell that was chosen; -1 where it was a region without a place, or the sentinel.
int chosen_cell(const AttentionMap& map, int chosen) {
  return chosen < map.layout.count() ? chosen : -1;
}

// The map of a glimpse in one row, the mean over heads. `place` has its layout, mask and layer.
AttentionMap map_of(const Glimpse& glimpse, Index row, const AttentionMap& place) {
  AttentionMap map = place;
  set_weights(map, row_of(glimpse.weights, row, glimpse.weights.cols()));
  if (glimpse.gate) {
    const Index width = glimpse.gate.value().cols();
    const auto gate = row_of(glimpse.gate, row, width);
    map.gate = std::accumulate(gate.begin(), gate.end(), 0.0) / static_cast<double>(width);
  }
  if (glimpse.sentinel) map.sentinel = row_of(glimpse.sentinel, row, 1)[0];
  if (!glimpse.chosen.empty())
    map.chosen = chosen_cell(map, glimpse.chosen[static_cast<std::size_t>(row)]);
  if (!glimpse.heads.empty())
    map.head = {.count = static_cast<Index>(glimpse.heads.size()), .fused = Fusion::kMean};
  return map;
}

// Appends the maps of the heads whose mean is given; none for a single head.
void add_heads(const Glimpse& glimpse, Index row, const AttentionMap& mean,
               std::vector<AttentionMap>& maps) {
  const auto count = static_cast<Index>(glimpse.heads.size());
  for (Index h = 0; h < count; ++h) {
    const auto place = static_cast<std::size_t>(h);
    AttentionMap& head = maps.emplace_back(mean);
    set_weights(head, row_of(glimpse.heads[place], row, glimpse.heads[place].cols()));
    head.head = {.number = h, .count = count};
    head.sentinel.reset();  // the glimpse has the mean's alone
    if (glimpse.draws.empty()) continue;
    head.chosen = chosen_cell(head, glimpse.draws[place].chosen[static_cast<std::size_t>(row)]);
  }
}

// What a row of each layer and head of words [R, H, 1, t + 1] attends to.
std::vector<SelfAttention> self_attention_of(std::span<const ConstView> words, Index row) {
  std::vector<SelfAttention> out;
  for (std::size_t l = 0; l < words.size(); ++l) {
    const Index heads = words[l].shape[1], read = words[l].shape[3];
    for (Index h = 0; h < heads; ++h) {
      const Real* own = words[l].data + (row * heads + h) * read;
      out.push_back({.layer = static_cast<Index>(l),
                     .head = h,
                     .weights = std::vector<float>(own, own + read)});
    }
  }
  return out;
}

}  // namespace

std::vector<DecodedWord> recorded(std::span<const Glimpse> glimpses, const MemoryLayout& layout,
                                  const Recording& recording) {
  const ConstView weights = glimpses.back().weights.value();
  AttentionMap place{.layout = {layout.grid}};
  if (layout.grid.rows == 0)
    place.layout.grid = {.rows = 1, .cols = weights.cols() - layout.placeless};
  const Index regions = place.layout.count();
  SACCADE_CHECK(regions + layout.placeless == weights.cols(), "[maps] weights of ", weights.cols(),
                " regions on a ", place.layout.name());
  const Glimpse& last = glimpses.back();
  const auto layers = static_cast<Index>(glimpses.size());
  std::vector<ConstView> read;  // by layer, where it attends to words
  if (recording.words)
    for (const Glimpse& glimpse : glimpses)
      if (glimpse.words) read.push_back(glimpse.words());
  std::vector<DecodedWord> words(static_cast<std::size_t>(weights.rows()));
  for (Index row = 0; row < weights.rows(); ++row) {
    DecodedWord& word = words[static_cast<std::size_t>(row)];
    if (layout.mask) {
      const auto mask =
          row_of(layout.mask, row / layout.group, weights.cols()).first(place.layout.count());
      place.mask.resize(mask.size());
      std::transform(mask.begin(), mask.end(), place.mask.begin(),
                     [](Real shown) { return shown != 0 ? 1 : 0; });
    }
    if (recording.layers)
      for (Index l = 0; l + 1 < layers; ++l) {
        const Glimpse& glimpse = glimpses[static_cast<std::size_t>(l)];
        place.layer = {.number = l, .count = layers};
        const AttentionMap mean = map_of(glimpse, row, place);
        if (glimpse.heads.empty()) word.parts.push_back(mean);
        add_heads(glimpse, row, mean, word.parts);
      }
    place.layer = {.number = layers - 1, .count = layers};
    word.map = map_of(last, row, place);
    if (!word.parts.empty() && last.heads.empty()) word.parts.push_back(word.map);
    add_heads(last, row, word.map, word.parts);
    for (const Glimpse& layer : glimpses)
      for (const RegionDraws& draw : layer.draws)
        if (layers > 1 || layer.draws.size() > 1 || draw.weights.cols() > regions)
          word.choices.push_back(draw.chosen[static_cast<std::size_t>(row)]);
    word.self_attention = self_attention_of(read, row);
  }
  return words;
}

std::vector<DecodedWord> mean_recorded(std::vector<std::vector<DecodedWord>> models) {
  if (models.size() == 1) return std::move(models.front());
  std::vector<DecodedWord> out;
  for (std::size_t row = 0; row < models.front().size(); ++row) {
    std::vector<const AttentionMap*> maps;
    for (const std::vector<DecodedWord>& model : models) maps.push_back(&model[row].map);
    AttentionMap& mean = out.emplace_back().map;
    mean = mean_map(maps);
    mean.layer = mean.head = {};
    mean.chosen = -1;  // each model chose for itself
  }
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
