#include "captioning/evaluation/evaluation_report.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

#include "captioning/maps/map_views.h"
#include "captioning/metrics/peak_point.h"
#include "captioning/scoring/text_table.h"
#include "captioning/text/tokenizer.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

// Foreign text that is not UTF-8 must not end a command.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json search_json(const SearchOptions& search) {
  Json out = {{"mode", enum_name(search.mode)},
              {"beam", search.mode == SearchMode::kBeam ? search.beam : 1},
              {"max_length", search.max_length},
              {"length_normalization", search.length_normalization},
              {"temperature", search.temperature},
              {"seed", search.seed}};
  if (search.mode == SearchMode::kBeam && search.groups > 1)
    out.update({{"groups", search.groups}, {"diversity", search.diversity}});
  return out;
}

std::string search_line(const EvaluationReport& report) {
  const SearchOptions& search = report.search;
  std::string line(enum_name(search.mode));
  if (search.mode == SearchMode::kBeam) line += str(" ", search.beam);
  if (search.mode == SearchMode::kBeam && search.groups > 1)
    line += str(" in ", search.groups, " groups, diversity ", search.diversity);
  return line + str(", at most ", search.max_length, report.pieces ? " pieces of words" : " words");
}

Json scores_json(const NamedScores& scores) {
  Json out = Json::object();
  for (const auto& [name, value] : scores) out[name] = value;
  return out;
}

Json samples_json(const SampleScores& samples) {
  return {{"per_image", samples.search.samples},
          {"regime", enum_name(samples.search.regime)},
          {"temperature", samples.search.temperature},
          {"seed", samples.search.seed},
          {"corpus", scores_json(samples.scores)}};
}

Json attention_json(const AttentionReport& attention) {
  Json out = {{"regime", enum_name(attention.regime)},
              {"map_step", attention.map_step},
              {"words", attention.health.words}};
  out.update(scores_json(attention.health.scores()));
  const std::optional<std::string> dead = dead_attention(attention);
  out["dead"] = dead ? Json(*dead) : Json();
  for (const AblatedScores& one : attention.ablations)
    out["ablations"][std::string(enum_name(one.ablation))] = scores_json(one.scores);
  return out;
}

Json grounding_json(Regime regime, const GroundingScores& scores) {
  return {{"regime", enum_name(regime)},
          {"nouns", scores.pointing.words},
          {"without_boxes", scores.pointing.without_boxes},
          {"model", scores_json(scores.model_scores())},
          {"centre_bias", scores_json(scores.centre_bias_scores())},
          {"uniform", scores_json(scores.uniform_scores())}};
}

Json grounding_json(const EvaluationReport& report) {
  const LocalizationRule rule;
  Json out = {{"boxes", report.grounding->boxes},
              {"images", report.grounding->images},
              {"map_step", report.search.map_step},
              {"rules",
               {{"pointing_tolerance", PointingOptions{}.tolerance},
                {"loc_threshold", rule.threshold},
                {"loc_iou", rule.overlap},
                {"point_pixels", kPointPixels},
                {"point_picture_side", kPointPictureSide},
                {"centre_sigma", kCentreSigma}}},
              {"generated_words", Json::array()}};
  for (const RegimeReport& regime : report.regimes)
    if (regime.grounding && regime.grounding->has_maps)
      out["generated_words"].push_back(grounding_json(regime.regime, *regime.grounding));
  if (const auto& references = report.grounding->references) {
    out["ground_truth_words"] = grounding_json(report.regimes.front().regime, references->scores);
    out["ground_truth_words"]["captions"] = references->scores.nouns.size();
  }
  for (const auto& [by, references] : report.grounding->informed)
    out[by] = grounding_json(report.regimes.front().regime, references.scores);
  return out;
}

// A column of scores, with its head.
using Column = std::pair<std::string, const NamedScores*>;

// One row for every score that some column has, in the order in which they first appear.
std::string columns_table(const std::vector<Column>& columns) {
  std::vector<std::string> names, head = {""};
  for (const auto& [title, scores] : columns) {
    head.push_back(title);
    for (const auto& [name, value] : *scores) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  TextTable table;
  table.add(std::move(head));
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const auto& [title, scores] : columns) {
      const auto found = std::find_if(scores->begin(), scores->end(),
                                      [&](const auto& score) { return score.first == name; });
      row.push_back(found == scores->end() ? "-" : fixed(found->second));
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string samples_table(const SampleScores& samples) {
  return str(samples.search.samples, " captions drawn of each image, regime ",
             enum_name(samples.search.regime), ", temperature ", samples.search.temperature, "\n",
             columns_table({{"", &samples.scores}}));
}

// The step of the maps, where it is later than the words' own.
std::string of_later_map(Index step) {
  return step == 0 ? "" : "; for each word, " + later_map_name(step);
}

std::string attention_table(const AttentionReport& attention) {
  const NamedScores measures = attention.health.scores();
  std::string out =
      str("attention, regime ", enum_name(attention.regime), ", ", attention.health.words, " words",
          of_later_map(attention.map_step), "\n", columns_table({{"", &measures}}));
  if (attention.ablations.empty()) return out;
  std::vector<Column> columns = {{"own weights", &attention.own}};
  for (const AblatedScores& one : attention.ablations)
    columns.emplace_back(enum_name(one.ablation), &one.scores);
  return out + columns_table(columns);
}

std::string noun_count(const GroundingScores& scores) {
  return str(scores.pointing.words, " nouns with boxes, ", scores.pointing.without_boxes,
             " without");
}

std::string grounding_table(const EvaluationReport& report) {
  const GroundingReport& grounding = *report.grounding;
  std::vector<Column> columns;
  std::deque<NamedScores> scores;
  std::string counts;
  const auto add = [&](const std::string& name, const GroundingScores& one) {
    counts += str("  ", name, ": ", noun_count(one), "\n");
    if (one.pointing.words == 0) return;
    columns.emplace_back(name, &scores.emplace_back(one.model_scores()));
    columns.emplace_back("centre bias", &scores.emplace_back(one.centre_bias_scores()));
    columns.emplace_back("uniform", &scores.emplace_back(one.uniform_scores()));
  };
  for (const RegimeReport& regime : report.regimes)
    if (regime.grounding && regime.grounding->has_maps)
      add(std::string(enum_name(regime.regime)), *regime.grounding);
  if (grounding.references)
    add(str("references, ", enum_name(report.regimes.front().regime)),
        grounding.references->scores);
  for (const auto& [by, references] : grounding.informed)
    add(by + ", given the word", references.scores);
  if (counts.empty()) return "";
  const LocalizationRule rule;
  return str("grounding, boxes of ", grounding.boxes, ": ", grounding.images, " of ",
             report.images.size(), " images; pointing within ", PointingOptions{}.tolerance,
             " cells, localisation from ", rule.threshold, " of the maximum and IoU above ",
             rule.overlap, "; the centre bias is a Gaussian of ", kCentreSigma,
             " of the picture's side", of_later_map(report.search.map_step), "\n", counts,
             columns_table(columns));
}

}  // namespace

std::string evaluation_json(const EvaluationReport& report) {
  Json regimes = Json::array();
  for (const RegimeReport& regime : report.regimes) {
    Json one = {{"name", enum_name(regime.regime)}, {"corpus", scores_json(regime.corpus)}};
    if (regime.draws > 1) {
      one["draws"] = regime.draws;
      one["deviations"] = scores_json(regime.deviations);
    }
    regimes.push_back(std::move(one));
  }
  Json json = {{"schema_version", kSchemaVersion},      {"dataset", report.dataset},
               {"split", split_name(report.split)},     {"n_images", report.images.size()},
               {"left_out", report.left_out},           {"search", search_json(report.search)},
               {"meteor_tables", report.meteor_tables}, {"regimes", std::move(regimes)}};
  if (!report.members.empty()) json["members"] = report.members;
  if (report.perplexity) {
    json["perplexity"] = report.perplexity->value();
    json["unknown_share"] = report.perplexity->unknown_share();
  }
  if (report.grounding) json["grounding"] = grounding_json(report);
  if (report.attention) json["attention_health"] = attention_json(*report.attention);
  if (report.samples) json["samples"] = samples_json(*report.samples);
  for (const Baseline& baseline : report.baselines) {
    json["baselines"][baseline.name] = scores_json(baseline.scores);
  }
  return text_of(json, 2) + "\n";
}

std::string evaluation_table(const EvaluationReport& report) {
  std::vector<Column> columns;
  for (const RegimeReport& regime : report.regimes) {
    columns.emplace_back(enum_name(regime.regime), &regime.corpus);
    if (regime.draws > 1)
      columns.emplace_back(str("sd of ", regime.draws, " draws"), &regime.deviations);
  }
  for (const Baseline& baseline : report.baselines) {
    columns.emplace_back(baseline.name, &baseline.scores);
  }
  std::string out = str(report.dataset, ", ", split_name(report.split), ": ", report.images.size(),
                        " images, ", search_line(report), "\n");
  for (const std::string& member : report.members) out += "member " + member + "\n";
  if (report.left_out > 0) out += str(report.left_out, " images could not be read\n");
  out += columns_table(columns);
  if (report.perplexity) {
    out += str("perplexity ", fixed(report.perplexity->value()), ", unknown_share ",
               fixed(report.perplexity->unknown_share()), "\n");
  }
  if (report.grounding) out += grounding_table(report);
  if (report.attention) out += attention_table(*report.attention);
  if (report.samples) out += samples_table(*report.samples);
  return out + report.meteor_tables + "\n";
}

std::string coco_results(const EvaluationReport& report, const RegimeReport& regime) {
  Json results = Json::array();
  for (std::size_t i = 0; i < regime.words.size(); ++i) {
    results.push_back({{"image_id", report.numbers[i]}, {"caption", join_words(regime.words[i])}});
  }
  return text_of(results, 1) + "\n";
}

}  // namespace saccade
