#include "captioning/study/evaluation/evaluation_table.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>

#include "captioning/model/maps/map_views.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/text_table.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

// A column of scores, with its head, and the intervals of some of them.
struct Column {
  std::string head;
  const NamedScores* scores;
  std::span<const ScoreInterval> intervals = {};
};

std::string search_line(const EvaluationReport& report) {
  const SearchOptions& search = report.search;
  std::string line(enum_name(search.mode));
  if (search.mode == SearchMode::kBeam) line += str(" ", search.beam);
  if (search.mode == SearchMode::kBeam && search.groups > 1)
    line += str(" in ", search.groups, " groups, diversity ", search.diversity);
  return line + str(", at most ", search.max_length, report.pieces ? " pieces of words" : " words");
}

std::string names_in_line(const std::vector<std::string>& names) { return join(names, ", "); }

const double* find(const NamedScores& scores, const std::string& name) {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const auto& score) { return score.first == name; });
  return found == scores.end() || std::isnan(found->second) ? nullptr : &found->second;
}

// The names of the scores that some column has, in the order of the registry.
std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns)
    for (const auto& [name, value] : *column.scores)
      if (find(*column.scores, name)) names.push_back(name);
  return in_table_order(std::move(names));
}

// ` [0.1204, 0.1422]`, or nothing where a score of a column has no interval.
std::string interval_of(const Column& column, const std::string& name) {
  for (const ScoreInterval& one : column.intervals)
    if (one.metric == name && !std::isnan(one.interval.low))
      return str(" [", fixed(one.interval.low), ", ", fixed(one.interval.high), "]");
  return "";
}

// One row for each name, below the heads of the columns.
std::string columns_table(const std::vector<Column>& columns, const std::vector<std::string>& names,
                          const std::string& corner = "", std::span<const ScoreMark> marks = {}) {
  TextTable table;
  std::vector<std::string> head = {corner};
  for (const Column& column : columns) head.push_back(column.head);
  table.add(std::move(head));
  for (const std::string& name : names) {
    std::vector<std::string> row = {marked_label(name, marks)};
    for (const Column& column : columns) {
      const double* value = find(*column.scores, name);
      row.push_back(value ? fixed(*value) + interval_of(column, name) : "-");
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string columns_table(const std::vector<Column>& columns) {
  return columns_table(columns, names_of(columns));
}

std::string samples_table(const SampleScores& samples) {
  return str(samples.search.samples, " captions drawn of each image, regime ",
             enum_name(samples.search.regime), ", temperature ", samples.search.temperature, "\n",
             columns_table({{.head = "", .scores = &samples.scores}}));
}

std::string attention_table(const AttentionReport& attention) {
  NamedScores measures = attention.health.scores();
  for (auto& [name, value] : measures) name = attention_metric(name);
  std::string out =
      str("attention, regime ", enum_name(attention.regime), ", ", attention.health.words,
          " words\n", columns_table({{.head = "", .scores = &measures}}));
  if (attention.ablations.empty()) return out;
  std::vector<Column> columns = {{.head = "own weights", .scores = &attention.own}};
  for (const AblatedScores& one : attention.ablations)
    columns.push_back({.head = std::string(enum_name(one.ablation)), .scores = &one.scores});
  out += columns_table(columns);
  if (const auto need = map_need_line(attention)) out += "  " + *need + "\n";
  return out;
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
  std::deque<std::vector<ScoreInterval>> intervals;
  const auto add = [&](const std::string& name, const GroundingScores& one,
                       const std::vector<CentreDifference>& against_centre) {
    counts += str("  ", name, ": ", noun_count(one), "\n");
    if (one.pointing.words == 0) return;
    columns.push_back({.head = name, .scores = &scores.emplace_back(one.model_scores())});
    columns.push_back(
        {.head = "centre bias", .scores = &scores.emplace_back(one.centre_bias_scores())});
    NamedScores& difference = scores.emplace_back();
    std::vector<ScoreInterval>& interval = intervals.emplace_back();
    for (const CentreDifference& each : against_centre) {
      difference.emplace_back(each.metric, each.difference);
      interval.push_back({.metric = each.metric, .interval = each.interval});
    }
    columns.push_back({.head = "above it", .scores = &difference, .intervals = interval});
    columns.push_back({.head = "uniform", .scores = &scores.emplace_back(one.uniform_scores())});
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
             "\n", counts, columns_table(columns));
}

// How results depend on the length of the texts; a column for each regime and score.
std::string lengths_table(const EvaluationReport& report) {
  TextTable table;
  std::vector<std::string> head = {"tokens", "texts"};
  const bool several = report.regimes.size() > 1;
  for (const RegimeReport& regime : report.regimes)
    for (const char* name : {"exact_match", "token_accuracy"})
      head.push_back(metric_label(name) +
                     (several ? str(", ", enum_name(regime.regime)) : std::string()));
  table.add(std::move(head));
  const std::vector<LengthScores>& lengths = report.regimes.front().by_length;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::vector<std::string> row = {str(lengths[i].tokens), str(lengths[i].texts)};
    for (const RegimeReport& regime : report.regimes) {
      row.push_back(fixed(regime.by_length[i].exact_match));
      row.push_back(fixed(regime.by_length[i].token_accuracy));
    }
    table.add(std::move(row));
  }
  return "by the length of the text\n" + table.text();
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
           find(regime.grounding->model_scores(), info.base);
  });
}

// The headline metrics, and then the others except those of the tables that follow.
std::string scores_table(const EvaluationReport& report) {
  std::vector<Column> columns;
  NamedScores first;  // the scores of the first regime, and what is measured only once
  const std::vector<ScoreInterval> intervals = first_intervals(report);
  for (const RegimeReport& regime : report.regimes) {
    if (columns.empty()) {
      first = regime.corpus;
      for (auto& one : further_scores(report)) first.push_back(std::move(one));
    }
    columns.push_back({.head = std::string(enum_name(regime.regime)),
                       .scores = columns.empty() ? &first : &regime.corpus,
                       .intervals = columns.empty() ? intervals : regime.intervals});
    if (regime.draws > 1)
      columns.push_back(
          {.head = str("sd of ", regime.draws, " draws"), .scores = &regime.deviations});
  }
  for (const Baseline& baseline : report.baselines)
    columns.push_back({.head = baseline.name, .scores = &baseline.scores});
  NamedScores change;
  if (report.without) {
    for (const auto& [name, whole] : report.without->whole)
      if (const double* own = find(first, name)) change.emplace_back(name, *own - whole);
    const std::string regime =
        report.regimes.size() > 1 ? str(", ", enum_name(report.regimes.front().regime)) : "";
    columns.push_back({.head = "all heads" + regime, .scores = &report.without->whole});
    columns.push_back({.head = "change" + regime, .scores = &change});
  }
  const std::vector<std::string> names = names_of(columns), headline = headlines_of(names);
  std::vector<std::string> details;
  for (const std::string& name : names)
    if (std::find(headline.begin(), headline.end(), name) == headline.end() &&
        !has_other_table(metric(name), report))
      details.push_back(name);
  std::string out;
  const bool bounded = std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return std::any_of(headline.begin(), headline.end(),
                       [&](const std::string& name) { return !interval_of(column, name).empty(); });
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
  if (!headline.empty()) out += columns_table(columns, headline, "", marks);
  if (!details.empty()) out += columns_table(columns, details, "details", marks);
  return out + mark_lines(marks);
}

// The headlines of each of several joined data sets, scored by itself.
std::string sets_table(const EvaluationReport& report) {
  std::string out;
  for (const RegimeReport& regime : report.regimes) {
    if (regime.sets.empty()) continue;
    std::vector<Column> columns;
    std::deque<NamedScores> scores;
    std::string marks;
    for (const SetScores& set : regime.sets) {
      NamedScores& own = scores.emplace_back(set.corpus);
      for (const auto& [name, value] : set.references)
        own.emplace_back(references_metric(name), value);
      columns.push_back({.head = str(set.name, ", ", counted(set.images, "image")),
                         .scores = &own,
                         .intervals = set.intervals});
      if (!set.marks.empty()) marks += set.name + ":\n" + mark_lines(set.marks);
    }
    out += str("each data set by itself, regime ", enum_name(regime.regime), "\n",
               columns_table(columns, headlines_of(names_of(columns))), marks);
  }
  return out;
}

// The scores of the first regime's groups, one table per grouping.
std::string groups_table(const EvaluationReport& report) {
  const RegimeReport& regime = report.regimes.front();
  const std::string items = report.texts ? "texts" : "images";
  std::string out;
  std::vector<std::string> without;
  for (const ScoreGrouping& grouping : regime.groups) {
    if (grouping.groups.empty()) {
      without.push_back(grouping.text);
      continue;
    }
    std::vector<std::string> names;
    for (const ScoreGroup& group : grouping.groups)
      for (const GroupScore& one : group.scores)
        if (std::find(names.begin(), names.end(), one.metric) == names.end())
          names.push_back(one.metric);
    TextTable table;
    std::vector<std::string> head{std::string(enum_name(grouping.by)), items};
    for (const std::string& name : names) head.push_back(metric_label(name));
    table.add(std::move(head));
    for (const ScoreGroup& group : grouping.groups) {
      std::vector<std::string> row{group.name(grouping.by), str(group.images)};
      for (const std::string& name : names) {
        const auto found = std::find_if(group.scores.begin(), group.scores.end(),
                                        [&](const GroupScore& one) { return one.metric == name; });
        row.push_back(found == group.scores.end() ? "-"
                      : std::isnan(found->low)    ? fixed(found->score)
                                               : str(fixed(found->score), " [", fixed(found->low),
                                                     ", ", fixed(found->high), "]"));
      }
      table.add(std::move(row));
    }
    out += str("by ", grouping.text, ", regime ", enum_name(regime.regime), "\n", table.text());
    const auto least = std::min_element(
        grouping.groups.begin(), grouping.groups.end(),
        [](const ScoreGroup& a, const ScoreGroup& b) { return a.images < b.images; });
    if (least->images < kFewImages)
      out += str("small samples: groups of fewer than ", kFewImages, " ", items, "; of fewer than ",
                 kFewestImages, " there is no interval\n");
  }
  if (!without.empty())
    out +=
        str("no easy and hard ", items, " by ", names_in_line(without), ": ", needed_groups(items),
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
               names_in_line(report.without->names), "\n");
  if (report.left_out > 0) out += str(counted(report.left_out, item), " could not be read\n");
  out += scores_table(report) + sets_table(report);
  if (!report.regimes.empty()) {
    out += groups_table(report);
    if (!report.regimes.front().by_length.empty()) out += lengths_table(report);
  }
  if (report.grounding) out += grounding_table(report);
  if (report.attention) out += attention_table(*report.attention);
  if (report.samples) out += samples_table(*report.samples);
  return out + report.meteor_tables + "\n";
}

}  // namespace saccade
