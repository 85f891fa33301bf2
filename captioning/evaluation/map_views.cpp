#include "captioning/evaluation/map_views.h"

#include <numeric>

#include "core/attention/sequence/rollout.h"
#include "core/base/error.h"
#include "core/kernels/gemm.h"

namespace saccade {

namespace {

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

struct Named {
  std::string name;
  Tensor map;
};

std::vector<Named> chosen(std::span<const ConstView> maps, const MapChoice& choice) {
  std::vector<Named> out;
  const auto add = [&](std::size_t i) {
    out.push_back({str(i), Tensor(maps[i].shape, maps[i].span())});
  };
  switch (choice.kind) {
    case MapChoice::Kind::kOne:
      SACCADE_CHECK(choice.number >= 0 && choice.number < static_cast<Index>(maps.size()),
                    "[maps] there is no map ", choice.number, " of ", maps.size());
      add(static_cast<std::size_t>(choice.number));
      break;
    case MapChoice::Kind::kEach:
      for (std::size_t i = 0; i < maps.size(); ++i) add(i);
      break;
    case MapChoice::Kind::kFused:
      if (maps.size() == 1)
        add(0);
      else
        out.push_back({std::string(enum_name(choice.fusion)), fused(maps, choice.fusion)});
  }
  return out;
}

// The rollout through layers of weights [T, T], whose heads are fused already.
Tensor rolled(const Layers& layers, double discard) {
  Rollout rollout(layers[0][0].shape[0], discard);
  for (const std::vector<ConstView>& heads : layers)
    rollout.add(fused(heads, Fusion::kMean).view());
  return rollout.shares().clone();
}

// Sets the maps from the rows of weights [T, P + L]; the first P columns have no place and go
// elsewhere.
void set_maps(MapView& view, ConstView weights, Index placeless) {
  for (Index t = 0; t < weights.rows(); ++t) {
    const Real* row = weights.row(t);
    view.maps.emplace_back(row + placeless, row + weights.cols());
    if (placeless > 0) view.elsewhere.push_back(std::accumulate(row, row + placeless, Real{0}));
  }
}

Tensor product(ConstView a, ConstView b) {
  Tensor out({a.rows(), b.cols()});
  kernels::matmul(a, b, out.view(), 0);
  return out;
}

}  // namespace

Tensor region_rollout(const CaptionMaps& maps, double discard) {
  const Layers tokens = by_layer(maps.tokens), regions = by_layer(maps.regions);
  const Index columns = !tokens.empty()    ? tokens[0][0].cols()
                        : !regions.empty() ? regions[0][0].shape[0]
                                           : maps.cross.at(0).weights.shape()[1];
  const Index count = columns - maps.placeless;
  const Tensor all = tokens.empty() ? Rollout(columns).shares().clone() : rolled(tokens, discard);
  const ConstView own{all.view().row(maps.placeless), {count, columns}};
  if (regions.empty()) return Tensor(own.shape, own.span());
  return product(rolled(regions, discard).view(), own);
}

std::vector<MapView> map_views(const CaptionMaps& maps, const MapRequest& request) {
  const Layers layers = by_layer(maps.cross);
  std::vector<MapView> views;
  if (layers.empty()) return views;
  std::vector<std::vector<Named>> heads;  // [layer][choice]
  for (const std::vector<ConstView>& layer : layers) heads.push_back(chosen(layer, request.head));
  const MapChoice last{.kind = MapChoice::Kind::kOne,
                       .number = static_cast<Index>(layers.size()) - 1};
  std::vector<std::vector<Named>> picked;  // [choice of head][choice of layer]
  for (std::size_t h = 0; h < heads[0].size(); ++h) {
    std::vector<ConstView> column;
    for (const std::vector<Named>& layer : heads) column.push_back(layer[h].map.view());
    picked.push_back(chosen(column, request.layer.value_or(last)));
  }
  const Tensor shares = request.rollout ? region_rollout(maps, request.discard) : Tensor();
  for (std::size_t l = 0; l < picked[0].size(); ++l)
    for (std::size_t h = 0; h < picked.size(); ++h) {
      const Named& one = picked[h][l];
      MapView& view = views.emplace_back();
      view.layer = one.name;
      view.head = heads[0][h].name;
      view.one_layer = layers.size() == 1;
      view.one_head = layers[0].size() == 1;
      if (!request.layer || request.layer->kind != MapChoice::Kind::kFused)
        view.decoder_layer = request.layer && request.layer->kind == MapChoice::Kind::kEach
                                 ? static_cast<Index>(l)
                                 : request.layer.value_or(last).number;
      view.last = view.decoder_layer == last.number;
      view.rollout = request.rollout;
      if (request.rollout)
        set_maps(view, product(one.map.view(), shares.view()).view(), maps.placeless);
      else
        set_maps(view, one.map.view(), 0);
    }
  return views;
}

std::vector<MapView> class_token_views(const CaptionMaps& maps, double discard) {
  std::vector<MapView> views;
  if (!maps.class_token) return views;
  const Layers layers = by_layer(maps.tokens);
  const auto add = [&](const std::string& layer, const std::string& head, ConstView weights) {
    MapView& view = views.emplace_back();
    view.layer = layer;
    view.head = head;
    view.one_layer = layers.size() == 1;
    view.one_head = layers[0].size() == 1;
    set_maps(view, {weights.data, {1, weights.cols()}}, maps.placeless);
  };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    for (std::size_t h = 0; h < layers[l].size(); ++h) add(str(l), str(h), layers[l][h]);
    if (layers[l].size() > 1) add(str(l), "mean", fused(layers[l], Fusion::kMean).view());
  }
  add("", "", rolled(layers, discard).view());
  views.back().rollout = true;
  return views;
}

std::string later_map_name(Index step) {
  if (step == 0) return "";
  return str("the map ", step == 1 ? "one step" : str(step, " steps"), " after the word's own");
}

std::string view_title(const MapView& view) {
  std::string title;
  const auto add = [&](const std::string& part) { title += (title.empty() ? "" : ", ") + part; };
  if (!view.one_layer && !view.layer.empty()) add("layer " + view.layer);
  if (!view.one_head && !view.head.empty()) add("head " + view.head);
  if (view.rollout) add("rollout");
  return title;
}

}  // namespace saccade
