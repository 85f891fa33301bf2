#include "captioning/scoring/scores/score_report.h"

#include <nlohmann/json.hpp>

#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/score_rows.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// The beginning of every object.
Json head(const char* counted, std::size_t count) {
  return {{"schema_version", 1}, {counted, count}};
}

std::string percent(double level) { return str(100 * level, " %"); }

// Why intervals are missing, or what is wrong with them; empty where nothing is.
std::string without_spread(Index images) {
  if (images < 2) return "a single image gives no intervals and no tests\n";
  return images >= kFewImages ? ""
                              : str("small sample: with fewer than ", kFewImages,
                                    " images intervals are too narrow\n");
}

std::vector<std::string> names_of(const NamedScores& scores) {
  std::vector<std::string> out;
  for (const auto& [name, value] : scores) out.push_back(name);
  return out;
}

Table table_of(const Agreement& agreement) {
  Table table{.columns = {{.key = "metric"},
                          {.key = "tau_b", .bounded = true},
                          {.key = "tau_c", .bounded = true},
                          {.key = "correlation", .label = "r"},
                          {.key = "p_williams", .label = "p"}}};
  for (const MetricAgreement& one : agreement.metrics)
    table.add({Table::Cell(one.metric).show(marked_label(one.metric, agreement.marks)),
               Table::Cell(one.tau_b).between(one.tau_b_interval.low, one.tau_b_interval.high),
               Table::Cell(one.tau_c).between(one.tau_c_interval.low, one.tau_c_interval.high),
               one.correlation,
               Table::Cell(one.p_williams)
                   .show(one.metric == agreement.best ? "largest" : fixed_p(one.p_williams))});
  const auto images = static_cast<Index>(agreement.images);
  table.title = str(agreement.judgements, " judgements of ", counted(images, "image"));
  table.note = str("[]: ", percent(agreement.resampling.level),
                   " bootstrap interval over images, with all judgements of each\n");
  if (images < kFewestImages)
    table.note += str("r: Pearson's correlation; of fewer than ", kFewestImages,
                      " images it is not tested\n");
  else
    table.note +=
        "p: Williams' test of r (Pearson's correlation) against the largest, of as many "
        "observations as there are images, corrected after Holm\n";
  if (images >= kFewestImages && images < kFewImages)
    table.note += str("small sample: fewer than ", kFewImages, " images\n");
  table.note += mark_lines(agreement.marks);
  return table;
}

}  // namespace

std::string score_table(const ScoreReport& report) {
  const CaptionScores& scores = *report.scores;
  ScoreRow row{.name = "", .scores = scores.corpus(), .intervals = report.intervals};
  for (auto& one : caption_statistics(scores)) row.scores.push_back(std::move(one));
  Table table = table_of({&row, 1}, names_of(row.scores), scores.marks);
  const auto images = static_cast<Index>(scores.words.size());
  table.title = counted(images, "image");
  if (!report.intervals.empty())
    table.note = str("[]: ", percent(report.level), " bootstrap interval over images\n",
                     without_spread(images));
  table.note += mark_lines(scores.marks);
  if (!report.meteor_tables.empty()) table.note += report.meteor_tables + "\n";
  return to_text(table, {.turned = true});
}

std::string score_json(const ScoreReport& report) {
  const CaptionScores& scores = *report.scores;
  Json json = head("n_images", scores.words.size());
  json["corpus"] = scores_json(scores.corpus());
  json["captions"] = scores_json(caption_statistics(scores));
  if (!scores.marks.empty()) json["marks"] = marks_json(scores.marks);
  if (!report.meteor_tables.empty()) json["meteor_tables"] = report.meteor_tables;
  if (report.intervals.empty()) return json_text(json);
  json["intervals"] = {{"level", report.level}};
  for (const ScoreInterval& one : report.intervals)
    json["intervals"][one.metric] = {one.interval.low, one.interval.high};
  return json_text(json);
}

std::string per_image_json(const CaptionScores& scores, const MatchedCaptions& matched,
                           const CaptionFile& references) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < matched.images.size(); ++i) {
    const std::size_t place = matched.images[i];
    const ImageId& id = references.images[place].id;
    Json entry{{"image_id", references.in_order ? Json(place + 1)
                            : id.number         ? Json(*id.number)
                                                : Json(id.name)}};
    for (std::size_t m = 0; m < scores.metrics.size(); ++m)
      entry[scores.metrics[m].metric] = scores.of_image(m, i);
    lines.push_back(json_text(entry, -1));
    lines.back().pop_back();
  }
  return "[\n" + join(lines, ",\n") + "\n]\n";
}

std::string human_table(const HumanScores& scores) {
  const std::vector<ScoreRow> rows = {{"mean", scores.mean}, {"sd", scores.deviation}};
  Table table = table_of(rows, names_of(scores.mean), scores.marks);
  table.title = str(counted(static_cast<Index>(scores.images), "image"), ", each of ",
                    scores.annotators, " references against the others");
  table.note = mark_lines(scores.marks);
  return to_text(table, {.turned = true});
}

std::string human_json(const HumanScores& scores) {
  Json json = head("n_images", scores.images);
  json["left_out"] = scores.left_out;
  json["annotators"] = scores.annotators;
  json["corpus"] = scores_json(scores.mean);
  json["sd"] = scores_json(scores.deviation);
  if (!scores.marks.empty()) json["marks"] = marks_json(scores.marks);
  return json_text(json);
}

std::string judgements_table(const Agreement& agreement) { return to_text(table_of(agreement)); }

std::string judgements_json(const Agreement& agreement) {
  Json json = head("n_judgements", agreement.judgements);
  json["n_images"] = agreement.images;
  json["replicates"] = agreement.resampling.replicates;
  json["level"] = agreement.resampling.level;
  json["best"] = agreement.best.empty() ? Json(nullptr) : Json(agreement.best);
  json["metrics"] = rows_json(table_of(agreement));
  if (!agreement.marks.empty()) json["marks"] = marks_json(agreement.marks);
  return json_text(json);
}

}  // namespace saccade
