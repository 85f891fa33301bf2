#include "captioning/study/evaluation/evaluation_table.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "captioning/model/maps/map_views.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/score_rows.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

std::string search_line(const EvaluationReport& report) {
  const SearchOptions& search = report.search;
  std::string line(enum_name(search.mode));
  if (search.mode == SearchMode::kBeam) line += str(" ", search.beam);
  if (search.mode == SearchMode::kBeam && search.groups > 1)
    line += str(" in ", search.groups, " groups, diversity ", search.diversity);
  return line + str(", at most ", search.max_length, report.pieces ? " pieces of words" : " words");
}

// One line for each metric, and a column for each row of scores, below its name.
std::string turned_text(std::span<const ScoreRow> rows, std::span<const std::string> metrics,
                        const std::string& corner = "", std::span<const ScoreMark> marks = {}) {
  Table table = table_of(rows, metrics, marks);
  table.columns.front().label = corner;
  return to_text(table, {.turned = true});
}

std::string turned_text(std::span<const ScoreRow> rows) {
  return turned_text(rows, metrics_of(rows));
}

std::string turned_text(const NamedScores& scores) {
  const ScoreRow row{.name = "", .scores = scores};
  return turned_text({&row, 1});
}

std::string samples_text(const SampleScores& samples) {
  return str(samples.search.samples, " captions drawn of each image, regime ",
             enum_name(samples.search.regime), ", temperature ", samples.search.temperature, "\n",
             turned_text(samples.scores));
}

std::string attention_text(const AttentionReport& attention) {
  NamedScores measures = attention.health.scores();
  for (auto& [name, value] : measures) name = attention_metric(name);
  std::string out = str("attention, regime ", enum_name(attention.regime), ", ",
                        attention.health.words, " words\n", turned_text(measures));
  if (attention.ablations.empty()) return out;
  std::vector<ScoreRow> rows = {{.name = "own weights", .scores = attention.own}};
  for (const AblatedScores& one : attention.ablations)
    rows.push_back({.name = std::string(enum_name(one.ablation)), .scores = one.scores});
  out += turned_text(rows);
  if (const auto need = map_need_line(attention)) out += "  " + *need + "\n";
  return out;
}

std::string noun_count(const GroundingScores& scores) {
  return str(scores.pointing.words, " nouns with boxes, ", scores.pointing.without_boxes,
             " without");
}

std::string grounding_text(const EvaluationReport& report) {
  const GroundingReport& grounding = *report.grounding;
  std::vector<ScoreRow> rows;
  std::string counts;
  const auto add = [&](const std::string& name, const GroundingScores& one,
                       const std::vector<CentreDifference>& against_centre) {
    counts += str("  ", name, ": ", noun_count(one), "\n");
    if (one.pointing.words == 0) return;
    rows.push_back({.name = name, .scores = one.model_scores()});
    rows.push_back({.name = "centre bias", .scores = one.centre_bias_scores()});
    ScoreRow& above = rows.emplace_back(ScoreRow{.name = "above it", .scores = {}});
    for (const CentreDifference& each : against_centre) {
      above.scores.emplace_back(each.metric, each.difference);
      above.intervals.push_back({.metric = each.metric, .interval = each.interval});
    }
    rows.push_back({.name = "uniform", .scores = one.uniform_scores()});
  };
  for (const RegimeReport& regime : report.regimes)
    if (regime.grounding && regime.grounding->has_maps)
      add(std::string(enum_name(regime.regime)), *regime.grounding, regime.against_centre);
  if (grounding.references)
    add(str("references, ", enum_name(report.regimes.front().regime)), grounding.references->scores,
        grounding.references->against_centre);
  if (grounding.localizer)
    add("localizer, given the word", grounding.localizer->scores,
        grounding.localizer->against_centre);
  if (counts.empty()) return "";
  const LocalizationRule rule;
  return str("grounding, boxes of ", grounding.boxes, ": ", grounding.images, " of ",
             report.images.size(), " images; pointing within ", PointingOptions{}.tolerance,
             " cells, localisation from ", rule.threshold, " of the maximum and IoU above ",
             rule.overlap, "; the centre bias is a Gaussian of ", kCentreSigma,
             " of the picture's side, and what the model's maps are above it has its 95 % interval "
             "over the images",
             "\n", counts, turned_text(rows));
}

// How results depend on the length of the texts, in each regime.
std::string lengths_text(const EvaluationReport& report) {
  std::string out;
  for (const RegimeReport& regime : report.regimes) {
    Table table = table_of(regime.by_length);
    table.title = "by the length of the text";
    if (report.regimes.size() > 1) table.title += str(", regime ", enum_name(regime.regime));
    out += to_text(table);
  }
  return out;
}

// What is measured beside the scores of the regimes, under the names that it has as a metric.
NamedScores further_scores(const EvaluationReport& report) {
  NamedScores out;
  if (report.perplexity) {
    out.emplace_back("perplexity", report.perplexity->value());
    out.emplace_back("unknown_share", report.perplexity->unknown_share());
  }
  if (report.grounding && report.grounding->references)
    for (const auto& [name, value] : report.grounding->references->scores.model_scores())
      out.emplace_back(references_metric(name), value);
  if (!report.attention) return out;
  for (const auto& [name, value] : report.attention->health.scores())
    out.emplace_back(attention_metric(name), value);
  if (const auto drop = shuffled_drop(*report.attention))
    out.emplace_back(std::string(kShuffledDrop), *drop);
  return out;
}

// The intervals of these scores and of those of the first regime.
std::vector<ScoreInterval> first_intervals(const EvaluationReport& report) {
  if (report.regimes.empty()) return {};
  std::vector<ScoreInterval> out = report.regimes.front().intervals;
  if (!report.grounding || !report.grounding->references) return out;
  for (ScoreInterval one : report.grounding->references->intervals) {
    one.metric = references_metric(one.metric);
    out.push_back(std::move(one));
  }
  return out;
}

// Whether the tables of grounding and of attention show a metric.
bool has_other_table(const MetricInfo& info, const EvaluationReport& report) {
  if (info.group == MetricGroup::kMaps || info.group == MetricGroup::kReferenceWords) return true;
  return std::any_of(report.regimes.begin(), report.regimes.end(), [&](const RegimeReport& regime) {
    return regime.grounding && regime.grounding->has_maps &&
           find_score(regime.grounding->model_scores(), info.base);
  });
}

// The headline metrics, and then the others except those of the tables that follow.
std::string scores_text(const EvaluationReport& report) {
  std::vector<ScoreRow> rows;
  for (const RegimeReport& regime : report.regimes) {
    ScoreRow& row = rows.emplace_back(
        ScoreRow{std::string(enum_name(regime.regime)), regime.corpus, regime.intervals});
    if (rows.size() == 1) {  // it also has what is measured only once
      for (auto& one : further_scores(report)) row.scores.push_back(std::move(one));
      row.intervals = first_intervals(report);
    }
    if (regime.draws > 1)
      rows.push_back({str("sd of ", regime.draws, " draws"), regime.deviations});
  }
  for (const Baseline& baseline : report.baselines)
    rows.push_back({baseline.name, baseline.scores});
  if (report.without) {
    NamedScores change;
    for (const auto& [name, whole] : report.without->whole)
      if (const double* own = find_score(rows.front().scores, name))
        change.emplace_back(name, *own - whole);
    const std::string regime =
        report.regimes.size() > 1 ? str(", ", enum_name(report.regimes.front().regime)) : "";
    rows.push_back({"all heads" + regime, report.without->whole});
    rows.push_back({"change" + regime, std::move(change)});
  }
  const std::vector<std::string> names = metrics_of(rows), headline = headlines_of(names);
  std::vector<std::string> details;
  for (const std::string& name : names)
    if (std::find(headline.begin(), headline.end(), name) == headline.end() &&
        !has_other_table(metric(name), report))
      details.push_back(name);
  std::string out;
  const bool bounded = std::any_of(rows.begin(), rows.end(), [&](const ScoreRow& row) {
    return std::any_of(row.intervals.begin(), row.intervals.end(), [&](const ScoreInterval& one) {
      return !std::isnan(one.interval.low) &&
             std::find(headline.begin(), headline.end(), one.metric) != headline.end();
    });
  });
  if (bounded)
    out += str("in brackets: 95 % interval over the ", report.texts ? "texts" : "images",
               " (bootstrap; of rates, Wilson's)",
               std::ssize(report.images) < kFewImages
                   ? "; a small sample, of which those of the bootstrap are too narrow\n"
                   : "\n");
  // The regimes differ in their captions, so the marks of the first with any stand for all.
  std::span<const ScoreMark> marks;
  for (const RegimeReport& regime : report.regimes)
    if (marks.empty()) marks = regime.marks;
  if (!headline.empty()) out += turned_text(rows, headline, "", marks);
  if (!details.empty()) out += turned_text(rows, details, "details", marks);
  return out + mark_lines(marks);
}

// The headlines of each of several joined data sets, scored by itself.
std::string sets_text(const EvaluationReport& report) {
  std::string out;
  for (const RegimeReport& regime : report.regimes) {
    if (regime.sets.empty()) continue;
    std::vector<ScoreRow> rows;
    std::string marks;
    for (const SetScores& set : regime.sets) {
      ScoreRow& row = rows.emplace_back(
          ScoreRow{str(set.name, ", ", counted(set.images, "image")), set.corpus, set.intervals});
      for (const auto& [name, value] : set.references)
        row.scores.emplace_back(references_metric(name), value);
      if (!set.marks.empty()) marks += set.name + ":\n" + mark_lines(set.marks);
    }
    out += str("each data set by itself, regime ", enum_name(regime.regime), "\n",
               turned_text(rows, headlines_of(metrics_of(rows))), marks);
  }
  return out;
}

// The scores of the first regime's groups, one table per grouping.
std::string groups_text(const EvaluationReport& report) {
  const RegimeReport& regime = report.regimes.front();
  const std::string items = report.texts ? "texts" : "images";
  std::string out;
  std::vector<std::string> without;
  for (const ScoreGrouping& grouping : regime.groups) {
    if (grouping.groups.empty()) {
      without.push_back(grouping.text);
      continue;
    }
    Table table = table_of(grouping);
    table.columns[1].label = items;
    table.title = str("by ", grouping.text, ", regime ", enum_name(regime.regime));
    out += to_text(table);
    const auto least = std::min_element(
        grouping.groups.begin(), grouping.groups.end(),
        [](const ScoreGroup& a, const ScoreGroup& b) { return a.images < b.images; });
    if (least->images < kFewImages)
      out += str("small samples: groups of fewer than ", kFewImages, " ", items, "; of fewer than ",
                 kFewestImages, " there is no interval\n");
  }
  if (!without.empty())
    out += str("no easy and hard ", items, " by ", join(without, ", "), ": ", needed_groups(items),
               " are needed, and there are ", report.images.size(), " ", items, "\n");
  return out;
}

}  // namespace

std::string evaluation_table(const EvaluationReport& report) {
  const char* item = report.texts ? "text" : "image";
  std::string out =
      str(report.dataset, ", ", evaluated_name(report.split), ": ",
          counted(static_cast<Index>(report.images.size()), item), ", ", search_line(report), "\n");
  for (const std::string& member : report.members) out += "member " + member + "\n";
  if (report.without)
    out += str("without the head", report.without->names.size() == 1 ? " " : "s ",
               join(report.without->names, ", "), "\n");
  if (report.left_out > 0) out += str(counted(report.left_out, item), " could not be read\n");
  out += scores_text(report) + sets_text(report);
  if (!report.regimes.empty()) {
    out += groups_text(report);
    if (!report.regimes.front().by_length.empty()) out += lengths_text(report);
  }
  if (report.grounding) out += grounding_text(report);
  if (report.attention) out += attention_text(*report.attention);
  if (report.samples) out += samples_text(*report.samples);
  return out + report.meteor_tables + "\n";
}

}  // namespace saccade
