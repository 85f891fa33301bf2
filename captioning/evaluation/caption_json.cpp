#include "captioning/evaluation/caption_json.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "captioning/text/tokenizer.h"
#include "captioning/whole_words.h"
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

Json number(const std::optional<double>& value) {
  return value ? Json(shortest(static_cast<float>(*value))) : Json();
}

Json attention_rows(const AttentionMap& map) {
  SACCADE_CHECK(static_cast<Index>(map.weights.size()) == map.rows * map.cols, "[caption_json] ",
                map.weights.size(), " weights for a grid of ", map.rows, " x ", map.cols);
  Json rows = Json::array();
  for (Index r = 0; r < map.rows; ++r) {
    Json row = Json::array();
    for (Index c = 0; c < map.cols; ++c) {
      row.push_back(shortest(map.weights[static_cast<std::size_t>(r * map.cols + c)]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json chosen_cell(const AttentionMap& map) {
  if (map.chosen < 0) return nullptr;
  return Json::array({map.chosen / map.cols, map.chosen % map.cols});
}

Json word_json(const DecodedWord& word, const CaptionSource& source) {
  return {{"text", word_text(word, *source.vocabulary)},
          {"logprob", word.log_prob},
          {"gate", number(word.map.gate)},
          {"sentinel", number(word.map.sentinel)},
          {"attention", attention_rows(word.map)},
          {"sampled", chosen_cell(word.map)}};
}

// The number of a layer or a head, or the name of their fusion.
Json part_json(const MapPart& part) {
  if (part.count == 0) return nullptr;
  return part.fused ? Json(part.name()) : Json(part.number);
}

Json views_json(const std::vector<MapView>& views) {
  Json out = Json::array();
  for (const MapView& view : views) {
    Json maps = Json::array(), elsewhere;
    for (const AttentionMap& map : view) {
      maps.push_back(attention_rows(map));
      if (map.elsewhere) elsewhere.push_back(number(map.elsewhere));
    }
    out.push_back({{"layer", part_json(view[0].layer)},
                   {"head", part_json(view[0].head)},
                   {"rollout", view[0].rollout},
                   {"attention", std::move(maps)},
                   {"elsewhere", std::move(elsewhere)}});
  }
  return out;
}

Json words_json(const DecodedCaption& caption, const CaptionSource& source) {
  Json words = Json::array();
  for (const DecodedWord& word : caption.words) words.push_back(word_json(word, source));
  return words;
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

}  // namespace

std::string caption_text(const DecodedCaption& caption, const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (const DecodedWord& word : caption.words) words.push_back(word_text(word, vocabulary));
  return join_words(words);
}

std::string caption_json(const CaptionRecord& record, const CaptionSource& source) {
  Json json = {{"image", record.image},
               {"caption", caption_text(record.caption, *source.vocabulary)},
               {"words", words_json(record.caption, source)},
               {"grid", {{"rows", source.grid.rows}, {"cols", source.grid.cols}}},
               {"geometry", geometry_json(record.geometry)},
               {"finished", record.caption.finished},
               {"logprob", record.caption.log_prob},
               {"regime", enum_name(source.regime)},
               {"map_step", record.caption.map_step}};
  if (!record.views.empty()) json["maps"] = views_json(record.views);
  if (!record.class_token.empty()) json["class_token"] = views_json(record.class_token);
  if (!source.members.empty()) json["members"] = source.members;
  if (source.alternatives) {
    json["alternatives"] = Json::array();
    for (const DecodedCaption& other : record.caption.others)
      json["alternatives"].push_back({{"caption", caption_text(other, *source.vocabulary)},
                                      {"words", words_json(other, source)},
                                      {"logprob", other.log_prob}});
  }
  // A path may hold bytes that are not UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string captions_json(std::span<const CaptionRecord> records, const CaptionSource& source) {
  std::string out = "[";
  for (std::size_t i = 0; i < records.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + caption_json(records[i], source);
  }
  return out + (records.empty() ? "]\n" : "\n]\n");
}

}  // namespace saccade
