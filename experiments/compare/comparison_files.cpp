#include "experiments/compare/comparison_files.h"

#include <algorithm>
#include <cmath>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/score_rows.h"
#include "core/base/error.h"
#include "experiments/compare/comparison_marks.h"
#include "experiments/compare/verdict.h"

namespace saccade {

namespace {

// Half the width of an interval that is symmetric except for rounding; of any other the wider half.
double half_width(const JudgedMetric& metric) {
  return std::max(metric.interval.high - metric.spread.mean,
                  metric.spread.mean - metric.interval.low);
}

// The column of a metric: papers show scores times 100, and no digit that an interval leaves open:
// the narrowest gets two digits.
Table::Column paper_column(const Judgement& judgement, const std::string& name) {
  Table::Column out{.key = name, .label = metric(name).label, .digits = 2};
  const std::string unit = metric(name).unit;
  if (unit == "share" || unit == "0 to 1" || unit == "0 to 10") out.scale = 100, out.digits = 1;
  constexpr double kNone = 1e-6;  // of rounding alone
  double narrowest = 0;
  for (const JudgedRow& row : judgement.rows) {
    const JudgedMetric* own = row.find(name);
    const double half = own ? out.scale * half_width(*own) : 0;
    if (std::isfinite(half) && half > kNone && (narrowest == 0 || half < narrowest))
      narrowest = half;
  }
  constexpr int kMost = 4;
  if (narrowest > 0)
    out.digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(narrowest))), 0, kMost);
  return out;
}

// Whether no row has a better mean of the metric, as far as the table shows it.
bool is_best(const Judgement& judgement, const JudgedMetric& metric, const Table::Column& column) {
  return std::none_of(judgement.rows.begin(), judgement.rows.end(), [&](const JudgedRow& row) {
    const JudgedMetric* other = row.find(metric.name);
    return other && is_better(metric.name, other->spread.mean, metric.spread.mean) &&
           decimals(column.scale * other->spread.mean, column.digits) !=
               decimals(column.scale * metric.spread.mean, column.digits);
  });
}

// Whether the best means of a metric are better by the tests. All tests are against the reference:
// if it is among the best rows, every other row has to be worse than it, and else each of the best
// rows has to be better. False for a metric that does not judge, and where nothing is worse.
bool has_winner(const Judgement& judgement, const std::string& name, const Table::Column& column) {
  if (!find_metric(name) || find_metric(name)->better == Better::kNeither) return false;
  std::vector<const JudgedMetric*> best, others;
  bool is_reference = false;
  for (const JudgedRow& row : judgement.rows) {
    const JudgedMetric* own = row.find(name);
    if (!own) continue;
    const bool wins = is_best(judgement, *own, column);
    (wins ? best : others).push_back(own);
    if (wins && row.arm == judgement.reference && !own->difference) is_reference = true;
  }
  const auto differs = [&](const JudgedMetric* metric) {
    if (!is_finding(judgement, *metric)) return false;
    const double value = metric->difference->value;
    return is_reference ? is_better(name, 0, value) : is_better(name, value, 0);
  };
  const auto& tested = is_reference ? others : best;
  return !others.empty() && std::all_of(tested.begin(), tested.end(), differs);
}

// A name must not end the line of a list.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// A line for each mark, which begins with `bullet` in place of the asterisk.
std::string listed_marks(const std::vector<ScoreMark>& marks, const std::string& bullet) {
  std::string out;
  for (const ScoreMark& mark : marks) {
    const std::string line = mark_lines({&mark, 1}).substr(2);
    out += bullet + in_one_line(line.substr(0, line.size() - 1)) + "\n";
  }
  return out;
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, const Judgement& judgement,
                                Shown shown) {
  std::string out = "# " + headline(comparison) + "\n\n";
  const std::vector<ScoreMark> marks = marks_of(comparison);
  out += to_markdown(judged_table(judgement, interval_cell, marks));
  out += "\n" + legend(judgement) + ".\n\n";
  for (const std::string& sentence : verdict(judgement)) out += "- " + sentence + "\n";
  out += tuned(comparison, "- ") + failures(comparison, "- ") +
         (shown == Shown::kAll ? "\n## All metrics" : "\n## Means and cost") +
         "\n\nNumbers are means over seeds; ± is their standard deviation, where there are several "
         "seeds.\n\n";
  out += to_markdown(means_table(rows_of(comparison), comparison.regimes, shown, marks));
  out += (marks.empty() ? "" : "\n") + listed_marks(marks, "\\* ");
  return out + (comparison.meteor_tables.empty() ? "" : "\n" + comparison.meteor_tables + "\n");
}

std::string comparison_latex(const Comparison& comparison, const Judgement& judgement) {
  Table table = judged_table(judgement, interval_cell);
  for (std::size_t c = table.names; c < table.columns.size(); ++c) {
    const std::string name = table.columns[c].key;
    const Table::Column& column = table.columns[c] = paper_column(judgement, name);
    const bool wins = has_winner(judgement, name, column);
    for (std::size_t i = 0; i < judgement.rows.size(); ++i)
      if (const JudgedMetric* own = judgement.rows[i].find(name))
        table.rows[i][c].bold = wins && is_best(judgement, *own, column);
  }
  table.title = headline(comparison);
  table.note =
      legend(judgement) +
      "\nThe number after \\pm is half the width of this interval; scores, shares and both "
      "are times 100.\nThe best mean of a column is bold where the tests against the "
      "reference support it: it is better than\nthe reference, or it is the reference's "
      "and all other rows are worse. With one seed on each side,\nbold is said of these "
      "runs and not of the arms.\n";
  for (const std::string& sentence : verdict(judgement)) table.note += sentence + "\n";
  table.note += listed_marks(marks_of(comparison), "");
  if (!comparison.meteor_tables.empty()) table.note += comparison.meteor_tables + "\n";
  return to_latex(table);
}

std::string comparison_csv(const Comparison& comparison, const Judgement& judgement) {
  Table table{.columns = {}};
  for (const char* key :
       {"arm", "regime", "metric", "n", "mean", "sd", "low", "high", "chance", "difference",
        "difference_low", "difference_high", "p", "p_holm", "family", "tests", "detectable"})
    table.columns.push_back({.key = key});
  for (const Row& row : rows_of(comparison)) {
    const JudgedRow* judged = judgement.find(row);
    for (const auto& [name, spread] : row.metrics) {
      Table::Cells cells = {row.arm->arm.name, enum_name(row.regime), name,
                            spread.count,      spread.mean,           spread.deviation};
      if (const JudgedMetric* own = judged ? judged->find(name) : nullptr) {
        for (Table::Cell cell :
             Table::Cells{own->interval.low, own->interval.high, enum_name(own->over)})
          cells.push_back(std::move(cell));
        if (const auto& one = own->difference)
          for (Table::Cell cell : Table::Cells{one->value, one->interval.low, one->interval.high,
                                               one->p_value, one->holm, enum_name(one->family),
                                               one->tests, one->detectable(judgement.level())})
            cells.push_back(std::move(cell));
      }
      cells.resize(table.columns.size());
      table.add(std::move(cells));
    }
  }
  return to_csv(table);
}

}  // namespace saccade
