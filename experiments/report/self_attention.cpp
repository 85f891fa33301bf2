#include "experiments/report/self_attention.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "captioning/explorer/explorer_json.h"
#include "captioning/model/maps/layer_maps.h"
#include "captioning/model/maps/map_views.h"
#include "captioning/model/model.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "core/io/base64.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kHeadBytes = 1'000'000;  // of a picture's maps; heads are joined above this

Json matrix_json(ConstView weights) {
  Json low = Json::array(), high = Json::array();
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(weights.size()));
  for (Index r = 0; r < weights.rows(); ++r) {
    const Real* row = weights.row(r);
    const auto [least, most] = std::minmax_element(row, row + weights.cols());
    // The rounded limits enclose all weights.
    const double from = std::floor(std::min(static_cast<double>(*least), 0.0) * 1e4) / 1e4;
    const double to = std::ceil(static_cast<double>(*most) * 1e4) / 1e4;
    low.push_back(from);
    high.push_back(to);
    for (Index c = 0; c < weights.cols(); ++c)
      bytes.push_back(static_cast<std::uint8_t>(
          to > from ? std::lround((static_cast<double>(row[c]) - from) / (to - from) * 255) : 0));
  }
  return {{"rows", weights.rows()},
          {"cols", weights.cols()},
          {"low", std::move(low)},
          {"high", std::move(high)},
          {"weights", base64(bytes)}};
}

Json map_json(const char* of, Json layer, Json head, ConstView weights) {
  Json json;
  if (of) json["of"] = of;
  json["layer"] = std::move(layer);
  json["head"] = std::move(head);
  json.update(matrix_json(weights));
  return json;
}

// The maps of one attention: of all heads or, with `join`, one for each layer.
void add_maps(Json& to, const char* of, const std::vector<LayerMap>& maps, bool join) {
  for (std::size_t begin = 0, end = 0; begin < maps.size(); begin = end) {
    std::vector<ConstView> heads;
    for (; end < maps.size() && maps[end].layer == maps[begin].layer; ++end)
      heads.push_back(maps[end].weights.view());
    const Index layer = maps[begin].layer;
    if (join && heads.size() > 1) {
      to.push_back(map_json(of, layer, "mean", fused(heads, Fusion::kMean).view()));
      continue;
    }
    for (std::size_t h = 0; h < heads.size(); ++h)
      to.push_back(map_json(of, layer, static_cast<Index>(h), heads[h]));
  }
}

// Whether a rollout can carry these weights: they are shares of single positions.
bool are_shares(const std::vector<LayerMap>& maps) {
  return std::all_of(maps.begin(), maps.end(), [](const LayerMap& map) {
    const ConstView weights = map.weights.view();
    return map.positions && std::all_of(weights.data, weights.data + weights.size(),
                                        [](Real weight) { return weight >= 0; });
  });
}

// The rollout to what the encoder gets: of the class token, if there is one, and of all regions.
Tensor rollout_rows(const EncoderMaps& maps) {
  const Tensor regions = region_rollout(maps, 0);
  if (!maps.class_token) return regions.clone();
  const Index count = regions.shape()[0], columns = regions.shape()[1];
  Tensor out({count + 1, columns});
  const AttentionMap token = class_token_views(maps, 0).back()[0];
  out[0] = static_cast<Real>(token.elsewhere.value_or(0));
  std::copy(token.weights.begin(), token.weights.end(), out.data() + maps.placeless);
  std::copy_n(regions.data(), regions.size(), out.data() + columns);
  return out;
}

}  // namespace

Json self_attention_json(const CaptionModel& model, const InputView& input,
                         const DecodedCaption& caption) {
  EncoderMaps maps = encoder_maps(model, input);
  const auto are_mixtures = [](const std::vector<LayerMap>& all) {
    return std::any_of(all.begin(), all.end(), [](const LayerMap& map) { return !map.positions; });
  };
  const bool rolls = !(maps.tokens.empty() && maps.regions.empty()) && are_shares(maps.tokens) &&
                     are_shares(maps.regions);
  Json regions = Json::array(), words = Json::array();
  if (rolls) regions.push_back(map_json("rollout", nullptr, nullptr, rollout_rows(maps).view()));
  for (auto* all : {&maps.tokens, &maps.regions})
    if (are_mixtures(*all)) all->clear();
  Index bytes = 0;
  for (const auto* all : {&maps.tokens, &maps.regions})
    for (const LayerMap& map : *all) bytes += map.weights.size();
  add_maps(regions, "encoder", maps.tokens, bytes > kHeadBytes);
  add_maps(regions, "refinement", maps.regions, bytes > kHeadBytes);
  if (!model.vocabulary().has_pieces()) add_maps(words, nullptr, word_maps(caption), false);
  if (regions.empty() && words.empty()) return nullptr;
  return {{"class_token", maps.class_token},
          {"regions", std::move(regions)},
          {"words", std::move(words)}};
}

}  // namespace saccade
