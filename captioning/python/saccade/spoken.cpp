#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "captioning/explorer/explorer_json.h"
#include "captioning/model/maps/caption_json.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/python/errors.h"
#include "captioning/python/saccade/arrays.h"
#include "captioning/python/saccade/opened.h"
#include "vision/drawing/blank_picture.h"
#include "vision/drawing/heat_field.h"

namespace saccade::python {

namespace py = pybind11;

namespace {

using Extents = std::vector<py::ssize_t>;

// How many layers and heads these are, which come by layer, then by head.
struct LayersAndHeads {
  std::size_t layers = 0, heads = 0;
};
template <class Items, class LayerOf>
LayersAndHeads counted_parts(const Items& items, LayerOf layer_of) {
  LayersAndHeads out;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i == 0 || layer_of(items[i]) != layer_of(items[i - 1])) ++out.layers;
  out.heads = out.layers == 0 ? 0 : items.size() / out.layers;
  SACCADE_ASSERT(out.layers * out.heads == items.size(), "the layers have other numbers of heads");
  return out;
}

}  // namespace

py::object stacked(std::span<const LayerMap> maps) {
  if (maps.empty()) return py::none();
  const auto [layers, heads] = counted_parts(maps, [](const LayerMap& map) { return map.layer; });
  const Shape shape = maps[0].weights.shape();
  std::vector<float> numbers;
  for (const LayerMap& map : maps)
    numbers.insert(numbers.end(), map.weights.span().begin(), map.weights.span().end());
  return owned(std::move(numbers), {static_cast<py::ssize_t>(layers),
                                    static_cast<py::ssize_t>(heads), shape[0], shape[1]});
}

std::string Spoken::text() const { return caption_text(caption_, models_->models().vocabulary()); }

py::list Spoken::words() const {
  py::list out;
  for (const DecodedWord& word : caption_.words) {
    const AttentionMap& map = word.map;
    const Index columns = map.layout.grid.cols;
    py::object place = py::none();
    if (map.chosen >= 0 && map.chosen < map.layout.count())
      place = py::make_tuple(map.chosen / columns, map.chosen % columns);
    const auto number = [](const std::optional<double>& value) -> py::object {
      return value ? py::object(py::float_(*value)) : py::none();
    };
    out.append(py::make_tuple(word_text(word, models_->models().vocabulary()), word.log_prob,
                              number(map.gate), number(map.sentinel), place));
  }
  return out;
}

void Spoken::add_weights(const AttentionMap& map, std::vector<float>& numbers) const {
  const Index count = geometry_.places ? geometry_.places->count : models_->models().grid().cells();
  SACCADE_ASSERT(std::ssize(map.weights) >= count, "a map of ", count, " regions has ",
                 map.weights.size(), " weights");
  numbers.insert(numbers.end(), map.weights.begin(), map.weights.begin() + count);
}

Extents Spoken::shape_behind(Extents before) const {
  const GridShape& grid = models_->models().grid();
  if (geometry_.places)
    before.push_back(geometry_.places->count);
  else
    before.insert(before.end(), {grid.rows, grid.cols});
  return before;
}

py::object Spoken::maps() const {
  if (!models_->models().has_maps()) return py::none();
  std::vector<float> numbers;
  for (const DecodedWord& word : caption_.words) add_weights(word.map, numbers);
  return owned(std::move(numbers), shape_behind({static_cast<py::ssize_t>(caption_.words.size())}));
}

py::object Spoken::layer_maps() const {
  if (!layers_ || !models_->models().has_maps()) return py::none();
  std::vector<float> numbers;
  LayersAndHeads parts;
  for (const DecodedWord& word : caption_.words) {
    const std::span<const AttentionMap> maps = single_maps(word);
    parts = counted_parts(maps, [](const AttentionMap& map) { return map.layer.number; });
    for (const AttentionMap& map : maps) add_weights(map, numbers);
  }
  return owned(std::move(numbers), shape_behind({static_cast<py::ssize_t>(caption_.words.size()),
                                                 static_cast<py::ssize_t>(parts.layers),
                                                 static_cast<py::ssize_t>(parts.heads)}));
}

py::object Spoken::boxes() const {
  if (!geometry_.places || geometry_.places->boxes.empty()) return py::none();
  const auto across = static_cast<float>(width()), down = static_cast<float>(height());
  std::vector<float> numbers;
  for (const RegionBox& box : geometry_.places->boxes)
    numbers.insert(numbers.end(),
                   {box.left * across, box.top * down, box.width() * across, box.height() * down});
  return owned(std::move(numbers), {static_cast<py::ssize_t>(geometry_.places->boxes.size()), 4});
}

py::object Spoken::word_maps() const { return stacked(saccade::word_maps(caption_)); }

void Spoken::require_word(Index word) const {
  const Index count = static_cast<Index>(caption_.words.size());
  SACCADE_CHECK(word >= 0 && word < count, "word ", word, " of a caption of ", count, " words");
}

std::vector<float> Spoken::map_on_photo(Index word) const {
  require_word(word);
  const AttentionMap& map = caption_.words[static_cast<std::size_t>(word)].map;
  if (map.weights.empty())
    throw UsageError(str("the words of ", models_->name(),
                         " choose no regions, so there are no maps; take a model with attention"));
  std::vector<float> out(static_cast<std::size_t>(height() * width()));
  const PixelRect seen = seen_area(geometry_, {0, 0, width(), height()});
  interpolate(map, geometry_, {.height = height(), .width = width(), .part = seen},
              [&](Index y, std::span<const float> row) {
                std::copy(row.begin(), row.end(), out.begin() + (seen.y + y) * width() + seen.x);
              });
  return out;
}

std::vector<Spoken> Spoken::alternatives() const {
  std::vector<Spoken> out;
  for (const DecodedCaption& other : caption_.others)
    out.emplace_back(models_, other, geometry_, regime_, layers_);
  return out;
}

Source Spoken::source(const Given& photo) const {
  if (photo.unseen) return blank_picture(geometry_);
  Source source = models_->source(photo);
  SACCADE_CHECK(source.picture.height == height() && source.picture.width == width(),
                "the caption is that of a photo of ", height(), " x ", width(),
                " pixels, and the photo has ", source.picture.height, " x ", source.picture.width,
                " now; caption it again");
  return source;
}

std::string Spoken::page_json(const Given& photo) const {
  const parallel::WorkOn here(models_->threads());
  const Source source = this->source(photo);
  const LoadedModel& model = models_->first();
  std::string name = "photo";
  if (!source.tokens.empty())
    name = photo.name;
  else if (photo.pixels == nullptr && photo.bytes.empty())
    name = std::filesystem::path(photo.name).filename().string();
  const CaptionRecord record{
      .image = name, .caption = caption_, .geometry = geometry_, .tokens = source.tokens};
  const MapDetail detail = layers_ ? MapDetail::kSingle : MapDetail::kDefault;
  nlohmann::ordered_json images = {captioned_photo(model, source.picture, record, regime_, detail)};
  return json_line(photos_json({.title = models_->name(), .embedded = true},
                               model_facts(model, models_->name(), {}, regime_, detail),
                               std::move(images)));
}

Image Spoken::draw(const Given& photo, const OverlayOptions& options, MapMeasure measure,
                   std::optional<Index> word) const {
  if (!models_->models().has_maps())
    throw UsageError(
        str("the words of ", models_->name(),
            " choose no regions, so there are no maps to draw; take a model with attention"));
  const parallel::WorkOn here(models_->threads());
  Source source = this->source(photo);
  Overlay overlay{.image = std::make_shared<const Image>(std::move(source.picture)),
                  .geometry = geometry_,
                  .tokens = std::move(source.tokens),
                  .words = {},
                  .caption = text(),
                  .measure = measure};
  for (const DecodedWord& one : caption_.words)
    overlay.words.push_back({.text = word_text(one, models_->models().vocabulary()),
                             .map = one.map,
                             .log_probability = one.log_prob});
  if (!word) return draw_sheet({&overlay, 1}, options);
  require_word(*word);
  return draw_panel(overlay, *word, options);
}

}  // namespace saccade::python
