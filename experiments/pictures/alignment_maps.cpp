#include "experiments/pictures/alignment_maps.h"

#include "core/base/error.h"

namespace saccade {

namespace {

std::vector<std::string> numbers(Index count) {
  std::vector<std::string> out;
  for (Index i = 0; i < count; ++i) out.push_back(str(i));
  return out;
}

std::string regions_of(const Overlay& overlay) {
  return str("region of the ", overlay.grid.rows, " x ", overlay.grid.cols,
             " grid, in reading order from 0");
}

// The columns of a matrix over the cells of the grid. Of a text, these are its tokens: the cells
// behind them are padding.
struct Columns {
  std::vector<std::string> names;
  Index group = 0;
  std::string axis;
};

Columns columns_of(const Overlay& overlay) {
  if (!overlay.tokens.empty())
    return {.names = overlay.tokens, .group = 0, .axis = "token of the text"};
  return {.names = numbers(overlay.grid.cells()),
          .group = overlay.grid.cols,
          .axis = regions_of(overlay)};
}

// Appends the weights of the first cells, as many as there are columns.
void append_row(const std::vector<float>& weights, std::size_t columns,
                std::vector<float>& values) {
  SACCADE_CHECK(columns <= weights.size(), "[alignment] ", columns, " columns for ", weights.size(),
                " weights");
  values.insert(values.end(), weights.begin(),
                weights.begin() + static_cast<std::ptrdiff_t>(columns));
}

HeatMap layer_map(const Overlay& overlay, const LayerMap& map) {
  const auto weights = map.weights.span();
  HeatMap out{.rows = {}, .columns = {}, .values = {weights.begin(), weights.end()}};
  out.title = str(overlay.title, ", layer ", map.layer, ", head ", map.head);
  return out;
}

}  // namespace

std::vector<HeatMap> make_alignments(const Overlay& overlay, const DecodedCaption& caption) {
  const Columns columns = columns_of(overlay);
  HeatMap map{.rows = {},
              .columns = columns.names,
              .values = {},
              .group = columns.group,
              .title = overlay.title,
              .row_name = "word",
              .column_name = columns.axis};
  for (const OverlayWord& word : overlay.words) {
    map.rows.push_back(word.text);
    map.outlined.push_back(word.chosen.value_or(-1));
  }
  const bool sentinel = !caption.words.empty() && caption.words[0].map.sentinel.has_value();
  HeatMap mean = map;
  for (std::size_t w = 0; w < overlay.words.size(); ++w) {
    append_row(overlay.words[w].weights, columns.names.size(), mean.values);
    if (sentinel)
      mean.values.push_back(static_cast<float>(caption.words[w].map.sentinel.value_or(0)));
  }
  if (sentinel) {
    mean.columns.emplace_back("sentinel");
    mean.column_name += "; the sentinel";
  }
  const Index heads = caption.words.empty() ? 1 : caption.words[0].map.head.count;
  if (heads > 1) mean.title = str(overlay.title, ", mean of ", heads, " heads");
  std::vector<HeatMap> maps{std::move(mean)};
  for (Index h = 0; heads > 1 && h < heads; ++h) {
    map.title = str(overlay.title, ", head ", h);
    map.values.clear();
    for (const DecodedWord& word : caption.words) {
      // The heads of the last layer are the last parts.
      const AttentionMap& head =
          word.parts.at(word.parts.size() - static_cast<std::size_t>(heads - h));
      append_row(head.weights, columns.names.size(), map.values);
    }
    maps.push_back(map);
  }
  return maps;
}

HeatMap make_view_map(const Overlay& overlay, const MapView& view) {
  const Columns columns = columns_of(overlay);
  HeatMap out{.rows = {},
              .columns = columns.names,
              .values = {},
              .group = columns.group,
              .title = str(overlay.title, ", ", view_title(view[0])),
              .row_name = "word",
              .column_name = columns.axis};
  if (view[0].elsewhere) {
    out.columns.emplace_back("elsewhere");
    out.column_name += "; tokens without a place on the picture";
  }
  for (std::size_t w = 0; w < view.size(); ++w) {
    const AttentionMap& map = view[w];
    out.rows.push_back(overlay.words[w].text);
    append_row(map.weights, columns.names.size(), out.values);
    if (map.elsewhere) out.values.push_back(static_cast<float>(*map.elsewhere));
  }
  return out;
}

HeatMap make_region_map(const Overlay& overlay, const LayerMap& map, Index placeless) {
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
                          overlay.grid.rows, " x ", overlay.grid.cols, " grid, in reading order");
  } else if (map.positions) {
    out.group = overlay.grid.cols;
    out.column_name = regions_of(overlay);
  } else {
    out.column_name = "mixture of regions";
  }
  return out;
}

HeatMap make_word_map(const Overlay& overlay, const LayerMap& map) {
  HeatMap out = layer_map(overlay, map);
  out.columns.emplace_back("<bos>");
  for (const OverlayWord& word : overlay.words) {
    out.rows.push_back(word.text);
    out.columns.push_back(word.text);
  }
  out.columns.pop_back();  // no word follows the last one
  out.row_name = "word";
  out.column_name = "word read before it";
  return out;
}

}  // namespace saccade
