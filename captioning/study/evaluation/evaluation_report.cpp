#include "captioning/study/evaluation/evaluation_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/model/maps/map_views.h"
#include "captioning/scoring/scores/score_rows.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/grounding/peak_point.h"
#include "core/base/json_text.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

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

Json samples_json(const SampleScores& samples) {
  return {{"per_image", samples.search.samples},
          {"regime", enum_name(samples.search.regime)},
          {"temperature", samples.search.temperature},
          {"seed", samples.search.seed},
          {"corpus", scores_json(samples.scores)}};
}

Json attention_json(const AttentionReport& attention) {
  Json out = {{"regime", enum_name(attention.regime)}, {"words", attention.health.words}};
  out.update(scores_json(attention.health.scores()));
  const std::optional<std::string> dead = dead_attention(attention);
  out["dead"] = dead ? Json(*dead) : Json();
  if (const auto collapsed = collapsed_attention(attention)) out["collapsed"] = *collapsed;
  const std::optional<MapNeed> need = map_need(attention);
  out["need"] = need ? Json(need_name(*need)) : Json();
  for (const AblatedScores& one : attention.ablations) {
    const std::string name(enum_name(one.ablation));
    out["ablations"][name] = scores_json(one.scores);
    out["losses"][name] = {{"metric", one.loss.metric},
                           {"loss", one.loss.loss},
                           {"low", one.loss.interval.low},
                           {"high", one.loss.interval.high}};
  }
  return out;
}

Json differences_json(const std::vector<CentreDifference>& differences) {
  Json out = Json::object();
  for (const CentreDifference& one : differences)
    out[one.metric] = {{"difference", one.difference},
                       {"low", one.interval.low},
                       {"high", one.interval.high},
                       {"p_value", one.p_value}};
  return out;
}

// Without the intervals that are not known.
void add_intervals(const std::vector<ScoreInterval>& intervals, Json& to) {
  for (const ScoreInterval& one : intervals)
    if (!std::isnan(one.interval.low))
      to["intervals"][one.metric] = {{"low", one.interval.low}, {"high", one.interval.high}};
}

Json grounding_json(Regime regime, const GroundingScores& scores,
                    const std::vector<CentreDifference>& against_centre) {
  return {{"regime", enum_name(regime)},
          {"nouns", scores.pointing.words},
          {"without_boxes", scores.pointing.without_boxes},
          {"model", scores_json(scores.model_scores())},
          {"centre_bias", scores_json(scores.centre_bias_scores())},
          {"uniform", scores_json(scores.uniform_scores())},
          {"against_centre", differences_json(against_centre)}};
}

Json references_json(Regime regime, const ReferenceScores& references) {
  Json out = grounding_json(regime, references.scores, references.against_centre);
  add_intervals(references.intervals, out);
  return out;
}

Json grounding_json(const EvaluationReport& report) {
  const LocalizationRule rule;
  Json out = {{"boxes", report.grounding->boxes},
              {"images", report.grounding->images},
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
      out["generated_words"].push_back(
          grounding_json(regime.regime, *regime.grounding, regime.against_centre));
  if (const auto& references = report.grounding->references) {
    out["ground_truth_words"] = references_json(report.regimes.front().regime, *references);
    out["ground_truth_words"]["captions"] = references->scores.nouns.size();
    out["ground_truth_words"]["corpus"] = scores_json(references->scores.corpus());
  }
  if (const auto& localizer = report.grounding->localizer)
    out["localizer"] = references_json(report.regimes.front().regime, *localizer);
  return out;
}

}  // namespace

Json groups_json(const std::vector<ScoreGrouping>& groupings) {
  Json out = Json::array();
  for (const ScoreGrouping& grouping : groupings) {
    Json groups = Json::array();
    for (const ScoreGroup& group : grouping.groups) {
      Json scores = Json::object();
      for (const GroupScore& one : group.scores)
        scores[one.metric] = {{"score", one.score}, {"low", one.low}, {"high", one.high}};
      groups.push_back({{"name", group.name(grouping.by)},
                        {"low", group.low},
                        {"high", group.high},
                        {"mean", group.mean},
                        {"images", group.images},
                        {"scores", std::move(scores)}});
    }
    out.push_back({{"by", enum_name(grouping.by)},
                   {"text", grouping.text},
                   {"least_images", kSmallestGroup},
                   {"groups", std::move(groups)}});
  }
  return out;
}

std::string evaluation_json(const EvaluationReport& report) {
  Json regimes = Json::array();
  for (const RegimeReport& regime : report.regimes) {
    Json one = {{"name", enum_name(regime.regime)}, {"corpus", scores_json(regime.corpus)}};
    if (!regime.by_length.empty()) one["by_length"] = rows_json(table_of(regime.by_length));
    if (regime.draws > 1) {
      one["draws"] = regime.draws;
      one["deviations"] = scores_json(regime.deviations);
    }
    add_intervals(regime.intervals, one);
    for (const SetScores& set : regime.sets) {
      Json own = {
          {"name", set.name}, {"n_images", set.images}, {"corpus", scores_json(set.corpus)}};
      add_intervals(set.intervals, own);
      if (!set.marks.empty()) own["marks"] = marks_json(set.marks);
      if (!set.references.empty()) own["ground_truth_words"] = scores_json(set.references);
      one["sets"].push_back(std::move(own));
    }
    if (!regime.marks.empty()) one["marks"] = marks_json(regime.marks);
    if (!regime.groups.empty()) one["groups"] = groups_json(regime.groups);
    regimes.push_back(std::move(one));
  }
  Json json = {{"schema_version", kSchemaVersion},      {"dataset", report.dataset},
               {"split", evaluated_name(report.split)}, {"n_images", report.images.size()},
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
  if (report.without)
    json["without"] = {{"heads", report.without->names},
                       {"whole", scores_json(report.without->whole)}};
  return json_text(json);
}

std::string coco_results(const EvaluationReport& report, const RegimeReport& regime,
                         const DatasetPart* part) {
  Json results = Json::array();
  const auto begin = static_cast<std::size_t>(part ? part->begin : 0);
  const std::size_t end = part ? static_cast<std::size_t>(part->end) : regime.words.size();
  for (std::size_t i = begin; i < end; ++i) {
    Json result = {{"image_id", report.numbers[i]}, {"caption", join_words(regime.words[i])}};
    if (!report.names[i].empty()) result["image"] = report.names[i];
    results.push_back(std::move(result));
  }
  return json_text(results, 1);
}

}  // namespace saccade
