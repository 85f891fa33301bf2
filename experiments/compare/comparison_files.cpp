#include "experiments/compare/comparison_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "captioning/metrics/metric_registry.h"
#include "captioning/scoring/text_table.h"
#include "core/base/error.h"
#include "experiments/compare/verdict.h"

namespace saccade {

namespace {

std::string row_name(const JudgedRow& row) {
  return str("| ", row.arm->arm.name, " | ", enum_name(row.regime), " |");
}

std::string markdown_head(const std::vector<std::string>& columns) {
  std::string out = "| arm | regime |", rule = "\n|---|---|";
  for (const std::string& column : columns) {
    out += " " + column + " |";
    rule += "---:|";
  }
  return out + rule + "\n";
}

// Text with LaTeX's special characters escaped.
std::string latex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string("&%$#_{}").find(c) != std::string::npos) out += '\\';
    if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '~')
      out += "\\textasciitilde{}";
    else if (c == '^')
      out += "\\textasciicircum{}";
    else
      out += c;
  }
  return out;
}

// Half the width of an interval that is symmetric except for rounding; of any other the wider half.
std::string plus_minus(const JudgedMetric& metric) {
  const double half =
      std::max(metric.interval.high - metric.spread.mean, metric.spread.mean - metric.interval.low);
  return std::isfinite(half) ? " \\pm " + fixed(half) : "";
}

// Whether no row has a better mean of the metric, as far as the table shows it.
bool is_best(const Judgement& judgement, const JudgedMetric& metric) {
  return std::none_of(judgement.rows.begin(), judgement.rows.end(), [&](const JudgedRow& row) {
    const JudgedMetric* other = row.find(metric.name);
    return other && is_better(metric.name, other->spread.mean, metric.spread.mean) &&
           fixed(other->spread.mean) != fixed(metric.spread.mean);
  });
}

// Whether the best means of a metric are better by the tests. All tests are against the reference:
// if it is among the best rows, every other row has to be worse than it, and else each of the best
// rows has to be better. False for a metric that does not judge, and where nothing is worse.
bool has_winner(const Judgement& judgement, const std::string& name) {
  if (!find_metric(name) || find_metric(name)->better == Better::kNeither) return false;
  std::vector<const JudgedMetric*> best, others;
  bool is_reference = false;
  for (const JudgedRow& row : judgement.rows) {
    const JudgedMetric* own = row.find(name);
    if (!own) continue;
    const bool wins = is_best(judgement, *own);
    (wins ? best : others).push_back(own);
    if (wins && row.arm == judgement.reference && !own->difference) is_reference = true;
  }
  const auto differs = [&](const JudgedMetric* metric) {
    if (!metric->difference) return false;
    const JudgedDifference& one = *metric->difference;
    const bool known = one.holm < 1 - judgement.resampling.level;  // it is not if there is no test
    return known && (is_reference ? is_better(name, 0, one.value) : is_better(name, one.value, 0));
  };
  const auto& tested = is_reference ? others : best;
  return !others.empty() && std::all_of(tested.begin(), tested.end(), differs);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_number(double value) {
  if (!std::isfinite(value)) return ",";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), ",%.6g", value);
  return text.data();
}

std::string csv_judged(const JudgedMetric* metric) {
  if (!metric) return ",,,,,,,,";
  std::string out = csv_number(metric->interval.low) + csv_number(metric->interval.high) + "," +
                    std::string(enum_name(metric->over));
  if (!metric->difference) return out + ",,,,,";
  const JudgedDifference& one = *metric->difference;
  for (const double value : {one.value, one.interval.low, one.interval.high, one.p_value, one.holm})
    out += csv_number(value);
  return out;
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, const Judgement& judgement,
                                Shown shown) {
  std::string out = "# " + headline(comparison) + "\n\n";
  const std::vector<std::string> metrics = headline_metrics(judgement);
  std::vector<std::string> heads;
  for (const std::string& name : metrics) heads.push_back(metric_label(name));
  out += markdown_head(heads);
  for (const JudgedRow& row : judgement.rows) {
    out += row_name(row);
    for (const std::string& name : metrics) {
      const JudgedMetric* metric = row.find(name);
      out += " " + (metric ? interval_cell(*metric) : "-") + " |";
    }
    out += "\n";
  }
  out += "\n" + legend(judgement) + ".\n\n";
  for (const std::string& sentence : verdict(judgement)) out += "- " + sentence + "\n";
  out += tuned(comparison, "- ") + failures(comparison, "- ") +
         (shown == Shown::kAll ? "\n## All metrics" : "\n## Means and cost") +
         "\n\nNumbers are means over seeds; ± is their standard deviation, where there are several "
         "seeds.\n\n";
  const std::vector<Row> rows = rows_of(comparison);
  const std::vector<Line> lines = lines_of(rows, shown);
  std::vector<std::string> labels;
  for (const Line& line : lines) labels.push_back(line.label);
  out += markdown_head(labels);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += str("| ", rows[i].arm->arm.name, " | ", enum_name(rows[i].regime), " |");
    for (const Line& line : lines) out += " " + line.cells[i] + " |";
    out += "\n";
  }
  return out;
}

std::string comparison_latex(const Comparison& comparison, const Judgement& judgement) {
  const std::vector<std::string> metrics = headline_metrics(judgement);
  std::string out =
      "% " + headline(comparison) + "\n% " + legend(judgement) +
      "\n% The number after \\pm is half the width of this interval. The best mean of a "
      "column is bold where the tests\n% against the reference support it: it is "
      "better than the reference, or it is the reference's and\n% all other rows are "
      "worse.\n";
  out += "\\begin{tabular}{ll" + std::string(metrics.size(), 'r') + "}\n\\toprule\narm & regime";
  for (const std::string& name : metrics) out += " & " + latex(metric(name).label);
  out += " \\\\\n\\midrule\n";
  std::set<std::string> with_winner;
  for (const std::string& name : metrics)
    if (has_winner(judgement, name)) with_winner.insert(name);
  for (const JudgedRow& row : judgement.rows) {
    out += latex(row.arm->arm.name) + " & " + std::string(enum_name(row.regime));
    for (const std::string& name : metrics) {
      const JudgedMetric* own = row.find(name);
      if (!own) {
        out += " & --";
        continue;
      }
      const std::string mean = fixed(own->spread.mean);
      const bool bold = with_winner.contains(name) && is_best(judgement, *own);
      out += " & $" + (bold ? "\\mathbf{" + mean + "}" : mean) + plus_minus(*own) + "$";
    }
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string comparison_csv(const Comparison& comparison, const Judgement& judgement) {
  std::string out =
      "arm,regime,metric,n,mean,sd,low,high,chance,difference,difference_low,difference_high,p,"
      "p_holm\n";
  for (const Row& row : rows_of(comparison)) {
    const JudgedRow* judged = judgement.find(row);
    for (const auto& [name, spread] : row.metrics)
      out += str(csv_field(row.arm->arm.name), ",", enum_name(row.regime), ",", csv_field(name),
                 ",", spread.count, csv_number(spread.mean), csv_number(spread.deviation),
                 csv_judged(judged ? judged->find(name) : nullptr), "\n");
  }
  return out;
}

}  // namespace saccade
