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

Json attention_rows(const std::vector<float>& weights, const GridShape& grid) {
  SACCADE_CHECK(static_cast<Index>(weights.size()) == grid.regions(), "[caption_json] ",
                weights.size(), " weights for a grid of ", grid.rows, " x ", grid.cols);
  Json rows = Json::array();
  for (Index r = 0; r < grid.rows; ++r) {
    Json row = Json::array();
    for (Index c = 0; c < grid.cols; ++c) {
      row.push_back(shortest(weights[static_cast<std::size_t>(r * grid.cols + c)]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json word_json(const DecodedWord& word, const CaptionSource& source) {
  Json out = {{"text", word_text(word, *source.vocabulary)},
              {"logprob", word.log_prob},
              {"gate", nullptr},
              {"sentinel", nullptr},
              {"attention", attention_rows(word.attention, source.grid)},
              {"sampled", nullptr}};
  if (source.gated) out["gate"] = shortest(static_cast<float>(word.gate));
  if (source.sentinel) out["sentinel"] = shortest(static_cast<float>(word.sentinel));
  if (word.chosen >= 0) {
    out["sampled"] = Json::array({word.chosen / source.grid.cols, word.chosen % source.grid.cols});
  }
  return out;
}

// The number of a layer or a head, or the name of their fusion.
Json number_or_fusion(const std::string& name) {
  if (name.empty()) return nullptr;
  const bool number = name.find_first_not_of("0123456789") == std::string::npos;
  return number ? Json(std::stoi(name)) : Json(name);
}

Json views_json(const std::vector<MapView>& views, const GridShape& grid) {
  Json out = Json::array();
  for (const MapView& view : views) {
    Json maps = Json::array(), elsewhere = Json::array();
    for (const std::vector<float>& map : view.maps) maps.push_back(attention_rows(map, grid));
    for (const float share : view.elsewhere) elsewhere.push_back(shortest(share));
    out.push_back({{"layer", number_or_fusion(view.layer)},
                   {"head", number_or_fusion(view.head)},
                   {"rollout", view.rollout},
                   {"attention", std::move(maps)},
                   {"elsewhere", view.elsewhere.empty() ? Json() : std::move(elsewhere)}});
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
  if (!record.views.empty()) json["maps"] = views_json(record.views, source.grid);
  if (!record.class_token.empty())
    json["class_token"] = views_json(record.class_token, source.grid);
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
