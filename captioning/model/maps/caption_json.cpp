#include "captioning/model/maps/caption_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/model/maps/caption_text.h"
#include "captioning/model/maps/packed_maps.h"
#include "core/base/error.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// The double whose shortest decimal form is that of the float: 0.1 instead of 0.10000000149.
double shortest(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double out = value;
  std::from_chars(text.data(), end, out);
  return out;
}

Json attention_rows(const AttentionMap& map) {
  Json rows = Json::array();
  const GridSize& grid = map.layout.grid;
  for (Index r = 0; r < grid.rows; ++r) {
    Json row = Json::array();
    for (Index c = 0; c < grid.cols; ++c) row.push_back(shortest(map.at(r, c)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json region_json(Index region, const RegionLayout& layout) {
  if (region < 0 || region >= layout.count()) return nullptr;
  return Json::array({region / layout.grid.cols, region % layout.grid.cols});
}

Json chosen_region(const AttentionMap& map) { return region_json(map.chosen, map.layout); }

Json choices_json(const DecodedWord& word) {
  Json out = Json::array();
  for (const int region : word.choices) out.push_back(region_json(region, word.map.layout));
  return out;
}

// The number of a layer or a head, or the name of their fusion.
Json part_json(const MapPart& part) {
  if (part.count == 0) return nullptr;
  return part.fused ? Json(part.name()) : Json(part.number);
}

Json geometry_json(const Geometry& geometry) {
  return {{"original", Json::array({geometry.original_height, geometry.original_width})},
          {"resize", enum_name(geometry.mode)},
          {"seen",
           {{"x", geometry.seen.x},
            {"y", geometry.seen.y},
            {"width", geometry.seen.width},
            {"height", geometry.seen.height}}},
          {"mirrored", geometry.mirrored},
          {"input", Json::array({geometry.input_height, geometry.input_width})}};
}

Json layout_json(const RegionLayout& layout, const Geometry& geometry, CaptionForm form) {
  const GridSize& grid = layout.grid;
  const CellBlock cells = picture_cells(picture_area(geometry), grid);
  Json json = {{"rows", grid.rows},
               {"cols", grid.cols},
               {"cells", Json::array({cells.left, cells.top, cells.right, cells.bottom})}};
  if (!geometry.places) return json;
  // In pixels of the photo; for pages in shares of its width and height.
  const auto place = [&](double share, Index extent) {
    const double all = form == CaptionForm::kPacked ? 1 : static_cast<double>(extent);
    return std::round(share * all * 1e4) / 1e4;
  };
  const Index width = geometry.original_width, height = geometry.original_height;
  if (geometry.places->in_time) {
    json["times"] = Json::array();
    for (const float time : geometry.places->times) json["times"].push_back(shortest(time));
  }
  json["boxes"] = Json::array();
  for (const RegionBox& box : geometry.places->boxes)
    json["boxes"].push_back(Json::array({place(static_cast<double>(box.left), width),
                                         place(static_cast<double>(box.top), height),
                                         place(static_cast<double>(box.width()), width),
                                         place(static_cast<double>(box.height()), height)}));
  return json;
}

// Writes the parts of one caption in a form.
class CaptionWriter {
 public:
  CaptionWriter(const CaptionRecord& record, const CaptionSource& source, CaptionForm form)
      : record_(&record), source_(&source), form_(form) {
    if (form == CaptionForm::kFull) return;
    for (const DecodedWord& word : record.caption.words) packing_.include(word.map);
    for (const auto* views : {&record.views, &record.class_token})
      for (const MapView& view : *views)
        for (const AttentionMap& map : view) packing_.include(map);
  }

  Json write() const {
    const DecodedCaption& caption = record_->caption;
    Json json = Json::object();
    if (!record_->image.empty()) json["image"] = record_->image;
    if (!record_->tokens.empty()) json["tokens"] = record_->tokens;
    json["caption"] = caption_text(caption, *source_->vocabulary);
    if (source_->given) json["given"] = true;
    if (!caption.unmet.empty()) json["unmet"] = caption.unmet;
    json["words"] = words(caption);
    json["grid"] = layout_json(source_->layout, record_->geometry, form_);
    json["geometry"] = geometry_json(record_->geometry);
    json["finished"] = caption.finished;
    json["logprob"] = number(caption.log_prob);
    json["regime"] = enum_name(source_->regime);
    if (packs()) json["packed"] = {{"low", packing_.low()}, {"high", packing_.high()}};
    if (!record_->views.empty()) json["maps"] = views(record_->views);
    if (!record_->class_token.empty()) json["class_token"] = views(record_->class_token);
    if (!source_->members.empty()) json["members"] = source_->members;
    if (!source_->without.empty()) {
      json["without"]["heads"] = source_->without;
      if (!record_->whole.empty()) json["without"]["whole"] = record_->whole;
    }
    if (source_->alternatives) {
      json["alternatives"] = Json::array();
      for (const DecodedCaption& other : caption.others) {
        Json& one = json["alternatives"].emplace_back(
            Json{{"caption", caption_text(other, *source_->vocabulary)}});
        if (!packs()) one["words"] = words(other);
        one["logprob"] = number(other.log_prob);
      }
    }
    return json;
  }

 private:
  bool packs() const { return form_ == CaptionForm::kPacked; }

  double number(double value) const { return packs() ? std::round(value * 1e4) / 1e4 : value; }
  // Numbers that a model computes in float are written as floats.
  Json number(const std::optional<double>& value) const {
    if (!value) return nullptr;
    return packs() ? number(*value) : shortest(static_cast<float>(*value));
  }

  Json attention(const AttentionMap& map) const {
    SACCADE_CHECK(static_cast<Index>(map.weights.size()) == map.layout.count(), "[caption_json] ",
                  map.weights.size(), " weights for a ", map.layout.name());
    return packs() ? Json(packing_.packed(map)) : attention_rows(map);
  }

  // Rows of numbers in both forms: they are of both signs and of any size, and a byte for each
  // would not tell small ones from 0.
  Json occlusion(const DecodedWord& word) const {
    const RegionLayout& layout = source_->layout;
    SACCADE_CHECK(static_cast<Index>(word.effects.size()) == layout.count(), "[caption_json] ",
                  word.effects.size(), " effects for a ", layout.name());
    const auto cols = static_cast<std::size_t>(layout.grid.cols);
    Json rows = Json::array();
    for (std::size_t l = 0; l < word.effects.size(); ++l) {
      if (l % cols == 0) rows.push_back(Json::array());
      rows.back().push_back(packs() ? number(static_cast<double>(word.effects[l]))
                                    : shortest(word.effects[l]));
    }
    return rows;
  }

  // Without nulls where the form leaves them out.
  Json kept(Json object) const {
    if (!packs()) return object;
    Json out = Json::object();
    for (auto& [key, value] : object.items())
      if (!value.is_null()) out[key] = std::move(value);
    return out;
  }

  Json words(const DecodedCaption& caption) const {
    Json out = Json::array();
    for (const DecodedWord& word : caption.words) {
      out.push_back(kept({{"text", word_text(word, *source_->vocabulary)},
                          {"logprob", number(word.log_prob)},
                          {"gate", number(word.map.gate)},
                          {"sentinel", number(word.map.sentinel)},
                          {"entropy", number(map_entropy(word.map))},
                          {"uniform", is_uniform(word.map)},
                          {"attention", attention(word.map)},
                          {"sampled", chosen_region(word.map)}}));
      if (word.map.elsewhere) out.back()["elsewhere"] = number(word.map.elsewhere);
      if (!packs() && !word.choices.empty()) out.back()["choices"] = choices_json(word);
      if (!word.effects.empty()) out.back()["occlusion"] = occlusion(word);
    }
    return out;
  }

  // What `of` returns for every map; null where it is null for all.
  template <class Of>
  Json each(const MapView& view, const Of& of) const {
    Json out = Json::array();
    bool any = false;
    for (const AttentionMap& map : view) {
      out.push_back(of(map));
      any = any || !out.back().is_null();
    }
    return any ? out : Json();
  }

  Json views(const std::vector<MapView>& views) const {
    Json out = Json::array();
    for (const MapView& view : views) {
      Json one = {{"layer", part_json(view[0].layer)},
                  {"head", part_json(view[0].head)},
                  {"rollout", view[0].rollout},
                  {"attention", each(view, [&](const auto& map) { return attention(map); })}};
      one.update(kept(
          {{"entropy", each(view, [&](const auto& map) { return number(map_entropy(map)); })},
           {"uniform", each(view, [](const auto& map) { return Json(is_uniform(map)); })},
           {"gate", each(view, [&](const auto& map) { return number(map.gate); })},
           {"sentinel", each(view, [&](const auto& map) { return number(map.sentinel); })},
           {"sampled", each(view, chosen_region)},
           {"elsewhere", each(view, [&](const auto& map) { return number(map.elsewhere); })}}));
      out.push_back(std::move(one));
    }
    return out;
  }

  const CaptionRecord* record_;
  const CaptionSource* source_;
  CaptionForm form_;
  MapPacking packing_;
};

}  // namespace

Json caption_json(const CaptionRecord& record, const CaptionSource& source, CaptionForm form) {
  return CaptionWriter(record, source, form).write();
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string captions_json(std::span<const CaptionRecord> records, const CaptionSource& source) {
  std::string out = "[";
  for (std::size_t i = 0; i < records.size(); ++i)
    out += (i == 0 ? "\n" : ",\n") + json_line(caption_json(records[i], source));
  return out + (records.empty() ? "]\n" : "\n]\n");
}

}  // namespace saccade
