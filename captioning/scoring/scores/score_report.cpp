#include "captioning/scoring/scores/score_report.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/marks_json.h"
#include "captioning/scoring/scores/text_table.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Undefined numbers become null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json object(const NamedScores& scores) {
  Json out = Json::object();
  for (const auto& [name, value] : scores) out[name] = number(value);
  return out;
}

// The beginning of every object.
Json head(const char* counted, std::size_t count) {
  return {{"schema_version", kSchemaVersion}, {counted, count}};
}

std::string interval_text(const Interval& interval) {
  return str("[", fixed(interval.low), ", ", fixed(interval.high), "]");
}

std::string percent(double level) { return str(100 * level, " %"); }

// Why intervals are missing, or what is wrong with them; empty where nothing is.
std::string without_spread(Index images) {
  if (images < 2) return "a single image gives no intervals and no tests\n";
  return images >= kFewImages ? ""
                              : str("small sample: with fewer than ", kFewImages,
                                    " images intervals are too narrow\n");
}

}  // namespace

std::string score_json(const ScoreReport& report) {
  const CaptionScores& scores = *report.scores;
  Json json = head("n_images", scores.words.size());
  json["corpus"] = object(scores.corpus());
  json["captions"] = object(caption_statistics(scores));
  if (!scores.marks.empty()) json["marks"] = marks_json(scores.marks);
  if (!report.meteor_tables.empty()) json["meteor_tables"] = report.meteor_tables;
  if (!report.intervals.empty()) {
    Json intervals = {{"level", report.level}};
    for (const ScoreInterval& one : report.intervals) {
      intervals[one.metric] = {number(one.interval.low), number(one.interval.high)};
    }
    json["intervals"] = std::move(intervals);
  }
  return text_of(json, 2);
}

std::string score_table(const ScoreReport& report) {
  const CaptionScores& scores = *report.scores;
  TextTable table;
  std::size_t m = 0;
  for (const auto& [name, value] : scores.corpus()) {
    std::vector<std::string> row = {marked_label(name, scores.marks), fixed(value)};
    if (!report.intervals.empty()) row.push_back(interval_text(report.intervals[m].interval));
    table.add(std::move(row));
    ++m;
  }
  for (const auto& [name, value] : caption_statistics(scores))
    table.add({metric_label(name), fixed(value)});
  std::string out =
      str(counted(static_cast<Index>(scores.words.size()), "image"), "\n", table.text());
  if (!report.intervals.empty()) {
    out += str("[]: ", percent(report.level), " bootstrap interval over images\n",
               without_spread(static_cast<Index>(scores.words.size())));
  }
  out += mark_lines(scores.marks);
  if (!report.meteor_tables.empty()) out += report.meteor_tables + "\n";
  return out;
}

std::string per_image_json(const CaptionScores& scores, const MatchedCaptions& matched,
                           const CaptionFile& references) {
  std::string out = "[\n";
  for (std::size_t i = 0; i < matched.images.size(); ++i) {
    const std::size_t place = matched.images[i];
    const ImageId& id = references.images[place].id;
    Json entry = Json::object();
    entry["image_id"] = references.in_order ? Json(place + 1)
                        : id.number         ? Json(*id.number)
                                            : Json(id.name);
    for (std::size_t m = 0; m < scores.metrics.size(); ++m) {
      entry[scores.metrics[m].metric] = number(scores.of_image(m, i));
    }
    out += entry.dump(-1, ' ', false, Json::error_handler_t::replace);
    out += i + 1 < matched.images.size() ? ",\n" : "\n";
  }
  return out + "]\n";
}

std::string human_json(const HumanScores& scores) {
  Json json = head("n_images", scores.images);
  json["left_out"] = scores.left_out;
  json["annotators"] = scores.annotators;
  json["corpus"] = object(scores.mean);
  json["sd"] = object(scores.deviation);
  if (!scores.marks.empty()) json["marks"] = marks_json(scores.marks);
  return text_of(json, 2);
}

std::string human_table(const HumanScores& scores) {
  TextTable table;
  table.add({"", "mean", "sd"});
  for (std::size_t m = 0; m < scores.mean.size(); ++m) {
    table.add({marked_label(scores.mean[m].first, scores.marks), fixed(scores.mean[m].second),
               fixed(scores.deviation[m].second)});
  }
  return str(counted(static_cast<Index>(scores.images), "image"), ", each of ", scores.annotators,
             " references against the others\n", table.text(), mark_lines(scores.marks));
}

std::string judgements_json(const Agreement& agreement) {
  Json metrics = Json::array();
  for (const MetricAgreement& one : agreement.metrics) {
    metrics.push_back({{"metric", one.metric},
                       {"tau_b", number(one.tau_b.value_or(kNone))},
                       {"tau_b_low", number(one.tau_b_interval.low)},
                       {"tau_b_high", number(one.tau_b_interval.high)},
                       {"tau_c", number(one.tau_c.value_or(kNone))},
                       {"tau_c_low", number(one.tau_c_interval.low)},
                       {"tau_c_high", number(one.tau_c_interval.high)},
                       {"correlation", number(one.correlation)},
                       {"p_williams", number(one.p_williams)}});
  }
  Json json = head("n_judgements", agreement.judgements);
  json["n_images"] = agreement.images;
  json["replicates"] = agreement.resampling.replicates;
  json["level"] = agreement.resampling.level;
  json["best"] = agreement.best.empty() ? Json(nullptr) : Json(agreement.best);
  json["metrics"] = std::move(metrics);
  if (!agreement.marks.empty()) json["marks"] = marks_json(agreement.marks);
  return text_of(json, 2);
}

std::string judgements_table(const Agreement& agreement) {
  TextTable table;
  table.add({"", "tau_b", "", "tau_c", "", "r", "p"});
  const auto interval = [](const Interval& one) {
    return std::isnan(one.low) ? "" : interval_text(one);
  };
  for (const MetricAgreement& one : agreement.metrics) {
    table.add({marked_label(one.metric, agreement.marks), fixed(one.tau_b.value_or(kNone)),
               interval(one.tau_b_interval), fixed(one.tau_c.value_or(kNone)),
               interval(one.tau_c_interval), fixed(one.correlation),
               one.metric == agreement.best ? "largest" : fixed_p(one.p_williams)});
  }
  const auto images = static_cast<Index>(agreement.images);
  const std::string marks = mark_lines(agreement.marks);
  std::string out = str(agreement.judgements, " judgements of ", counted(images, "image"), "\n",
                        table.text(), "[]: ", percent(agreement.resampling.level),
                        " bootstrap interval over images, with all judgements of each\n");
  if (images < kFewestImages)
    return out +
           str("r: Pearson's correlation; of fewer than ", kFewestImages,
               " images it is not tested\n") +
           marks;
  out +=
      str("p: Williams' test of r (Pearson's correlation) against the largest, of as many "
          "observations as there are images, corrected after Holm\n");
  if (images < kFewImages) out += str("small sample: fewer than ", kFewImages, " images\n");
  return out + marks;
}

}  // namespace saccade
