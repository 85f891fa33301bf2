#include "captioning/model/maps/map_views.h"

#include <algorithm>
#include <numeric>

#include "core/attention/sequence/rollout.h"
#include "core/base/error.h"
#include "core/kernels/gemm.h"

namespace saccade {

namespace {

// A map [T, S] of one of several parts.
struct Numbered {
  Index number = 0;
  ConstView map{};
};
struct Joined {
  MapPart part{};
  Tensor map{};
};

// Those of `count` maps that a choice takes. `all` has the maps that were recorded.
std::vector<Joined> chosen(std::span<const Numbered> all, Index count, const MapChoice& choice) {
  std::vector<Joined> out;
  const auto add = [&](const Numbered& one) {
    out.push_back({{.number = one.number, .count = count}, Tensor(one.map.shape, one.map.span())});
  };
  if (choice.kind == MapChoice::Kind::kOne) {
    const auto one = std::find_if(all.begin(), all.end(),
                                  [&](const Numbered& map) { return map.number == choice.number; });
    SACCADE_CHECK(one != all.end(), "[maps] there is no map ", choice.number, " among the ",
                  all.size(), " of ", count, " that were recorded");
    add(*one);
    return out;
  }
  SACCADE_CHECK(static_cast<Index>(all.size()) == count, "[maps] ", all.size(), " of ", count,
                " maps were recorded");
  if (choice.kind == MapChoice::Kind::kEach || count == 1) {
    for (const Numbered& one : all) add(one);
    return out;
  }
  std::vector<ConstView> maps;
  for (const Numbered& one : all) maps.push_back(one.map);
  out.push_back({{.count = count, .fused = choice.fusion}, fused(maps, choice.fusion)});
  return out;
}

// The recorded maps of a caption in one layer: of each head, with one row per word, and one more
// column where some weight lies elsewhere.
struct LayerHeads {
  Index number = 0;
  std::size_t first = 0;  // the place of its first head among single_maps()
  std::vector<Tensor> heads{};
};

std::vector<LayerHeads> by_layer(const DecodedCaption& caption) {
  std::vector<LayerHeads> layers;
  const std::span<const AttentionMap> first = single_maps(caption.words[0]);
  const Shape shape{static_cast<Index>(caption.words.size()),
                    static_cast<Index>(first[0].weights.size()) + (first[0].elsewhere ? 1 : 0)};
  for (std::size_t p = 0; p < first.size(); ++p) {
    if (p == 0 || first[p].layer != first[p - 1].layer)
      layers.push_back({.number = first[p].layer.number, .first = p});
    Tensor& all = layers.back().heads.emplace_back(shape);
    for (std::size_t t = 0; t < caption.words.size(); ++t) {
      const std::span<const AttentionMap> maps = single_maps(caption.words[t]);
      SACCADE_CHECK(maps.size() == first.size() &&
                        maps[p].weights.size() == first[0].weights.size() &&
                        maps[p].elsewhere.has_value() == first[0].elsewhere.has_value(),
                    "[maps] the words of a caption have different maps");
      Real* const row = all.view().row(static_cast<Index>(t));
      std::copy(maps[p].weights.begin(), maps[p].weights.end(), row);
      if (maps[p].elsewhere) row[maps[p].weights.size()] = static_cast<Real>(*maps[p].elsewhere);
    }
  }
  return layers;
}

// [layer][head]
using Layers = std::vector<std::vector<ConstView>>;

Layers by_layer(std::span<const LayerMap> maps) {
  Layers layers;
  for (const LayerMap& map : maps) {
    if (map.head == 0) layers.emplace_back();
    layers.back().push_back(map.weights.view());
  }
  return layers;
}

// The rollout through layers of weights [T, T], whose heads are fused already.
Tensor rolled(const Layers& layers, double discard) {
  Rollout rollout(layers[0][0].shape[0], discard);
  for (const std::vector<ConstView>& heads : layers)
    rollout.add(fused(heads, Fusion::kMean).view());
  return rollout.shares().clone();
}

// Sets the weights from P + L numbers; the first P have no place and go elsewhere.
void set_weights(AttentionMap& map, std::span<const Real> row, Index placeless) {
  const auto placed = row.begin() + placeless;
  map.weights.assign(placed, row.end());
  if (placeless > 0)
    map.elsewhere = static_cast<double>(std::accumulate(row.begin(), placed, Real{0}));
}

std::span<const Real> row_of(ConstView weights, Index row) {
  return {weights.row(row), static_cast<std::size_t>(weights.cols())};
}

Tensor product(ConstView a, ConstView b) {
  Tensor out({a.rows(), b.cols()});
  kernels::matmul(a, b, out.view(), 0);
  return out;
}

}  // namespace

Tensor region_rollout(const EncoderMaps& maps, double discard, bool elsewhere) {
  const Layers tokens = by_layer(maps.tokens), regions = by_layer(maps.regions);
  const Index count = maps.layout.count(), columns = maps.placeless + count;
  const Tensor all = tokens.empty() ? Rollout(columns).shares().clone() : rolled(tokens, discard);
  const ConstView own{all.view().row(maps.placeless), {count, columns}};
  if (elsewhere) {
    SACCADE_CHECK(regions.empty() && maps.placeless > 0, "[maps] no tokens without a place");
    Tensor with({count + 1, columns});
    std::copy_n(own.data, own.size(), with.data());
    Real* const mean = with.view().row(count);
    for (Index p = 0; p < maps.placeless; ++p)
      for (Index c = 0; c < columns; ++c)
        mean[c] += all.view().row(p)[c] / static_cast<Real>(maps.placeless);
    return with;
  }
  if (regions.empty()) return Tensor(own.shape, own.span());
  return product(rolled(regions, discard).view(), own);
}

std::vector<MapView> map_views(const DecodedCaption& caption, const MapRequest& request,
                               const EncoderMaps& encoder) {
  std::vector<MapView> views;
  if (caption.words.empty()) return views;
  const std::vector<LayerHeads> layers = by_layer(caption);
  const Index layer_count = single_maps(caption.words[0])[0].layer.count;
  std::vector<std::vector<Joined>> heads;  // [layer][choice]
  for (const LayerHeads& layer : layers) {
    std::vector<Numbered> all;
    for (const Tensor& head : layer.heads)
      all.push_back({static_cast<Index>(all.size()), head.view()});
    heads.push_back(chosen(all, static_cast<Index>(all.size()), request.head));
  }
  const MapChoice last{.kind = MapChoice::Kind::kOne, .number = layer_count - 1};
  std::vector<std::vector<Joined>> picked;  // [choice of head][choice of layer]
  for (std::size_t h = 0; h < heads[0].size(); ++h) {
    std::vector<Numbered> column;
    for (std::size_t l = 0; l < layers.size(); ++l)
      column.push_back({layers[l].number, heads[l][h].map.view()});
    picked.push_back(chosen(column, layer_count, request.layer.value_or(last)));
  }
  const bool elsewhere = single_maps(caption.words[0])[0].elsewhere.has_value();
  const Tensor shares =
      request.rollout ? region_rollout(encoder, request.discard, elsewhere) : Tensor();
  for (std::size_t l = 0; l < picked[0].size(); ++l)
    for (std::size_t h = 0; h < picked.size(); ++h) {
      const Joined& one = picked[h][l];
      const Tensor rolled_out = request.rollout ? product(one.map.view(), shares.view()) : Tensor();
      const auto layer = std::find_if(layers.begin(), layers.end(), [&](const LayerHeads& each) {
        return each.number == one.part.number;
      });
      MapView& view = views.emplace_back();
      for (std::size_t t = 0; t < caption.words.size(); ++t) {
        const MapPart& head = heads[0][h].part;
        const std::size_t place =
            one.part.fused
                ? 0
                : layer->first + (head.fused ? 0 : static_cast<std::size_t>(head.number));
        const std::span<const AttentionMap> maps = single_maps(caption.words[t]);
        AttentionMap& map = view.emplace_back(maps[place]);
        if (!one.part.fused && head.fused)
          for (const AttentionMap& other : maps.subspan(layer->first, layer->heads.size()))
            if (other.chosen != map.chosen) map.chosen = -1;
        map.layer = one.part;
        map.head = head;
        map.rollout = request.rollout;
        if (one.part.fused) map.gate = map.sentinel = std::nullopt;
        if (one.part.fused || request.rollout) map.chosen = -1;
        const auto row = static_cast<Index>(t);
        if (request.rollout) {
          set_weights(map, row_of(rolled_out.view(), row), encoder.placeless);
        } else {
          const std::span<const Real> own = row_of(one.map.view(), row);
          set_weights(map, own.first(map.weights.size()), 0);
          if (map.elsewhere) map.elsewhere = double{own.back()};
        }
      }
    }
  return views;
}

std::vector<MapView> class_token_views(const EncoderMaps& maps, double discard) {
  std::vector<MapView> views;
  if (!maps.class_token) return views;
  const Layers layers = by_layer(maps.tokens);
  const auto layer_count = static_cast<Index>(layers.size());
  // The class token is row 0.
  const auto add = [&](const MapPart& layer, const MapPart& head, ConstView weights) {
    AttentionMap map{.layout = maps.layout, .mask = maps.mask};
    map.layer = layer;
    map.head = head;
    set_weights(map, row_of(weights, 0), maps.placeless);
    views.push_back({std::move(map)});
  };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const MapPart layer{.number = static_cast<Index>(l), .count = layer_count};
    const auto count = static_cast<Index>(layers[l].size());
    for (Index h = 0; h < count; ++h)
      add(layer, {.number = h, .count = count}, layers[l][static_cast<std::size_t>(h)]);
    if (count > 1)
      add(layer, {.count = count, .fused = Fusion::kMean}, fused(layers[l], Fusion::kMean).view());
  }
  add({.count = 0}, {.count = 0}, rolled(layers, discard).view());
  views.back()[0].rollout = true;
  return views;
}

std::string view_title(const AttentionMap& map) {
  std::string title;
  const auto add = [&](const std::string& part) { title += (title.empty() ? "" : ", ") + part; };
  if (map.layer.count > 1) add("layer " + map.layer.name());
  if (map.head.count > 1) add("head " + map.head.name());
  if (map.rollout) add("rollout");
  return title;
}

}  // namespace saccade
