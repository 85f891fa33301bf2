#include "captioning/scoring/score_report.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "captioning/metrics/metric_registry.h"
#include "captioning/scoring/marks_json.h"
#include "captioning/scoring/text_table.h"
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

// The comparison of two systems, or of two arms of runs, with one object per metric.
template <class Report>
Json comparison(const Report& report, Json metrics) {
  Json json = head("n_images", static_cast<std::size_t>(report.images));
  json["a"] = report.a;
  json["b"] = report.b;
  json["replicates"] = report.resampling.replicates;
  json["level"] = report.resampling.level;
  json["seed"] = report.resampling.seed;
  json["metrics"] = std::move(metrics);
  return json;
}

std::string interval_text(const Interval& interval) {
  return str("[", fixed(interval.low), ", ", fixed(interval.high), "]");
}

std::string percent(double level) { return str(100 * level, " %"); }

// Why intervals and p-values are missing; empty where they are not.
std::string without_spread(Index images) {
  return images > 1 ? "" : "a single image gives no intervals and no tests\n";
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

std::string paired_json(const PairedReport& report) {
  Json metrics = Json::array();
  for (std::size_t m = 0; m < report.differences.size(); ++m) {
    const PairedDifference& one = report.differences[m];
    const RandomisationTest& test = report.randomisation[m];
    metrics.push_back({{"metric", one.metric},
                       {"a", number(one.score_a)},
                       {"b", number(one.score_b)},
                       {"difference", number(one.difference)},
                       {"low", number(one.interval.low)},
                       {"high", number(one.interval.high)},
                       {"p_bootstrap", number(one.p_value)},
                       {"p_randomisation", number(test.p_value)},
                       {"exact", test.kind == PValueKind::kExact}});
  }
  return text_of(comparison(report, std::move(metrics)), 2);
}

std::string paired_table(const PairedReport& report) {
  TextTable table;
  table.add({"", "a", "b", "a - b", percent(report.resampling.level) + " interval", "p bootstrap",
             "p randomisation"});
  for (std::size_t m = 0; m < report.differences.size(); ++m) {
    const PairedDifference& one = report.differences[m];
    table.add({metric_label(one.metric), fixed(one.score_a), fixed(one.score_b),
               fixed(one.difference), interval_text(one.interval), fixed(one.p_value),
               fixed(report.randomisation[m].p_value)});
  }
  return str(counted(report.images, "image"), ", ", report.resampling.replicates,
             " replicates\na: ", report.a, "\nb: ", report.b, "\n", table.text(),
             without_spread(report.images));
}

std::string seeds_json(const SeedReport& report) {
  Json metrics = Json::array();
  for (std::size_t m = 0; m < report.differences.size(); ++m) {
    const SeedDifference& one = report.differences[m];
    metrics.push_back({{"metric", one.metric},
                       {"mean_a", number(one.mean_a)},
                       {"sd_a", number(report.spread_a[m].deviation)},
                       {"mean_b", number(one.mean_b)},
                       {"sd_b", number(report.spread_b[m].deviation)},
                       {"difference", number(one.difference)},
                       {"standard_error", number(one.standard_error)},
                       {"low", number(one.intervals.bootstrap.low)},
                       {"high", number(one.intervals.bootstrap.high)},
                       {"t_low", number(one.intervals.t_interval.low)},
                       {"t_high", number(one.intervals.t_interval.high)},
                       {"p_bootstrap", number(one.p_value)},
                       {"p_t", number(one.t_p_value)}});
  }
  return text_of(comparison(report, std::move(metrics)), 2);
}

std::string seeds_table(const SeedReport& report) {
  TextTable table;
  const std::string level = percent(report.resampling.level);
  table.add(
      {"", "mean a", "sd a", "mean b", "sd b", "a - b", level + " bootstrap", level + " t", "p t"});
  for (std::size_t m = 0; m < report.differences.size(); ++m) {
    const SeedDifference& one = report.differences[m];
    table.add({metric_label(one.metric), fixed(one.mean_a), fixed(report.spread_a[m].deviation),
               fixed(one.mean_b), fixed(report.spread_b[m].deviation), fixed(one.difference),
               interval_text(one.intervals.bootstrap), interval_text(one.intervals.t_interval),
               fixed(one.t_p_value)});
  }
  return str(counted(report.images, "image"), ", ", report.a.size(), " runs against ",
             report.b.size(), "; intervals over seeds and images\n", table.text(),
             without_spread(report.images));
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

std::string judgements_json(const std::vector<MetricAgreement>& agreement, std::size_t judgements) {
  Json metrics = Json::array();
  for (const MetricAgreement& one : agreement) {
    metrics.push_back({{"metric", one.metric},
                       {"tau_b", number(one.tau_b.value_or(kNone))},
                       {"tau_c", number(one.tau_c.value_or(kNone))}});
  }
  Json json = head("n_judgements", judgements);
  json["metrics"] = std::move(metrics);
  return text_of(json, 2);
}

std::string judgements_table(const std::vector<MetricAgreement>& agreement,
                             std::size_t judgements) {
  TextTable table;
  table.add({"", "tau_b", "tau_c"});
  for (const MetricAgreement& one : agreement) {
    table.add({metric_label(one.metric), fixed(one.tau_b.value_or(kNone)),
               fixed(one.tau_c.value_or(kNone))});
  }
  return str(judgements, " judgements\n", table.text());
}

}  // namespace saccade
