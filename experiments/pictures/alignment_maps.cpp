#include "experiments/pictures/alignment_maps.h"

#include "core/base/error.h"

namespace saccade {

namespace {

std::vector<std::string> numbers(Index count) {
  std::vector<std::string> out;
  for (Index i = 0; i < count; ++i) out.push_back(str(i));
  return out;
}

std::string regions_of(const RegionLayout& layout) {
  return str("region of the ", layout.name(), ", in reading order from 0");
}

// A column behind those of the regions.
struct FurtherColumn {
  const char* name;
  const char* axis;
  std::optional<double> AttentionMap::*weight;
};
constexpr FurtherColumn kSentinel{"sentinel", "; the sentinel", &AttentionMap::sentinel};
constexpr FurtherColumn kElsewhere{"elsewhere", "; tokens without a place on the picture",
                                   &AttentionMap::elsewhere};

// A matrix of words and the regions of their maps, where the first map has it with a further
// column. The regions of a text are its tokens: those behind them are padding.
HeatMap words_by_regions(const Overlay& overlay, const MapView& maps, const std::string& title,
                         const FurtherColumn& further) {
  const RegionLayout& layout = maps.at(0).layout;
  const bool text = !overlay.tokens.empty(), more = (maps[0].*further.weight).has_value();
  HeatMap out{.rows = {},
              .columns = text ? overlay.tokens : numbers(layout.count()),
              .values = {},
              .group = text ? 0 : layout.grid.cols,
              .title = title,
              .row_name = "word",
              .column_name = text ? "token of the text" : regions_of(layout)};
  const std::size_t columns = out.columns.size();
  if (more) {
    out.columns.emplace_back(further.name);
    out.column_name += further.axis;
  }
  for (std::size_t w = 0; w < maps.size(); ++w) {
    const std::vector<float>& weights = maps[w].weights;
    SACCADE_CHECK(columns <= weights.size(), "[alignment] ", columns, " columns for ",
                  weights.size(), " weights");
    out.rows.push_back(overlay.words.at(w).text);
    out.values.insert(out.values.end(), weights.begin(),
                      weights.begin() + static_cast<std::ptrdiff_t>(columns));
    if (more) out.values.push_back(static_cast<float>((maps[w].*further.weight).value_or(0)));
  }
  return out;
}

HeatMap layer_map(const Overlay& overlay, const LayerMap& map) {
  const auto weights = map.weights.span();
  HeatMap out{.rows = {}, .columns = {}, .values = {weights.begin(), weights.end()}};
  out.title = str(overlay.title, ", layer ", map.layer, ", head ", map.head);
  return out;
}

}  // namespace

std::vector<HeatMap> make_alignments(const Overlay& overlay, const DecodedCaption& caption) {
  MapView own;
  for (const LabelledMap& word : overlay.words) own.push_back(word.map);
  const Index heads = own.at(0).head.count;
  const FurtherColumn& further = own[0].elsewhere ? kElsewhere : kSentinel;
  std::vector<HeatMap> maps{words_by_regions(
      overlay, own, heads > 1 ? str(overlay.title, ", mean of ", heads, " heads") : overlay.title,
      further)};
  for (Index h = 0; heads > 1 && h < heads; ++h) {
    MapView view;
    // The heads of the last layer are the last parts.
    for (const DecodedWord& word : caption.words)
      view.push_back(word.parts.at(word.parts.size() - static_cast<std::size_t>(heads - h)));
    maps.push_back(words_by_regions(overlay, view, str(overlay.title, ", head ", h), further));
  }
  for (HeatMap& map : maps)
    for (const AttentionMap& word : own) map.outlined.push_back(word.chosen);
  return maps;
}

HeatMap make_view_map(const Overlay& overlay, const MapView& view) {
  return words_by_regions(overlay, view, str(overlay.title, ", ", view_title(view.at(0))),
                          kElsewhere);
}

HeatMap make_region_map(const Overlay& overlay, const LayerMap& map, const RegionLayout& layout,
                        Index placeless) {
  HeatMap out = layer_map(overlay, map);
  const Index rows = map.weights.shape()[0], columns = map.weights.shape()[1];
  if (!overlay.tokens.empty()) {
    const auto count = static_cast<Index>(overlay.tokens.size());
    SACCADE_CHECK(count <= rows && count <= columns, "[alignment] ", count, " tokens for ",
                  map.weights.shape());
    out.rows = out.columns = overlay.tokens;
    out.values.clear();
    for (Index r = 0; r < count; ++r) {
      const Real* row = map.weights.view().row(r);
      out.values.insert(out.values.end(), row, row + count);
    }
    out.row_name = "token";
    out.column_name = "token that it reads";
    return out;
  }
  out.rows = numbers(rows);
  out.columns = numbers(columns);
  out.row_name = placeless > 0 ? "token" : "region";
  if (placeless > 0) {
    out.column_name = str("token; from number ", placeless, " on the regions of the ",
                          layout.name(), ", in reading order");
  } else if (map.positions) {
    out.group = layout.grid.cols;
    out.column_name = regions_of(layout);
  } else {
    out.column_name = "mixture of regions";
  }
  return out;
}

HeatMap make_word_map(const Overlay& overlay, const LayerMap& map) {
  HeatMap out = layer_map(overlay, map);
  out.columns.emplace_back("<bos>");
  for (const LabelledMap& word : overlay.words) {
    out.rows.push_back(word.text);
    out.columns.push_back(word.text);
  }
  out.columns.pop_back();  // no word follows the last one
  out.row_name = "word";
  out.column_name = "word read before it";
  return out;
}

}  // namespace saccade
