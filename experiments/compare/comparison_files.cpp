#include "experiments/compare/comparison_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/text_table.h"
#include "core/base/error.h"
#include "experiments/compare/comparison_marks.h"
#include "experiments/compare/verdict.h"

namespace saccade {

namespace {

std::string markdown_row(const ArmResult& arm, Regime regime, bool regimes) {
  return str("| ", arm.arm.name, " |", regimes ? str(" ", enum_name(regime), " |") : "");
}

std::string markdown_head(const std::vector<std::string>& columns, bool regimes) {
  std::string out = regimes ? "| arm | regime |" : "| system |",
              rule = regimes ? "\n|---|---|" : "\n|---|";
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

// How the numbers of a column of a LaTeX table are written: papers show scores times 100, and no
// digit that its interval leaves open.
struct ColumnForm {
  double factor = 1;
  int decimals = 2;

  std::string text(double value) const {
    std::array<char, 352> digits{};
    std::snprintf(digits.data(), digits.size(), "%.*f", decimals, factor * value);
    const std::string out = digits.data();
    const bool zero = out.find_first_not_of("-0.") == std::string::npos;
    return zero && out[0] == '-' ? out.substr(1) : out;
  }
};

// Half the width of an interval that is symmetric except for rounding; of any other the wider half.
double half_width(const JudgedMetric& metric) {
  return std::max(metric.interval.high - metric.spread.mean,
                  metric.spread.mean - metric.interval.low);
}

// The column of a metric: the narrowest interval gets two digits.
ColumnForm form_of(const Judgement& judgement, const std::string& name) {
  ColumnForm out;
  const std::string unit = metric(name).unit;
  if (unit == "share" || unit == "0 to 1" || unit == "0 to 10")
    out = {.factor = 100, .decimals = 1};
  constexpr double kNone = 1e-6;  // of rounding alone
  double narrowest = 0;
  for (const JudgedRow& row : judgement.rows) {
    const JudgedMetric* own = row.find(name);
    const double half = own ? out.factor * half_width(*own) : 0;
    if (std::isfinite(half) && half > kNone && (narrowest == 0 || half < narrowest))
      narrowest = half;
  }
  constexpr int kMost = 4;
  if (narrowest > 0)
    out.decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(narrowest))), 0, kMost);
  return out;
}

// Whether no row has a better mean of the metric, as far as the table shows it.
bool is_best(const Judgement& judgement, const JudgedMetric& metric, const ColumnForm& form) {
  return std::none_of(judgement.rows.begin(), judgement.rows.end(), [&](const JudgedRow& row) {
    const JudgedMetric* other = row.find(metric.name);
    return other && is_better(metric.name, other->spread.mean, metric.spread.mean) &&
           form.text(other->spread.mean) != form.text(metric.spread.mean);
  });
}

// Whether the best means of a metric are better by the tests. All tests are against the reference:
// if it is among the best rows, every other row has to be worse than it, and else each of the best
// rows has to be better. False for a metric that does not judge, and where nothing is worse.
bool has_winner(const Judgement& judgement, const std::string& name, const ColumnForm& form) {
  if (!find_metric(name) || find_metric(name)->better == Better::kNeither) return false;
  std::vector<const JudgedMetric*> best, others;
  bool is_reference = false;
  for (const JudgedRow& row : judgement.rows) {
    const JudgedMetric* own = row.find(name);
    if (!own) continue;
    const bool wins = is_best(judgement, *own, form);
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

// A line for each mark, which begins with `bullet` in place of the asterisk.
std::string listed_marks(const std::vector<ScoreMark>& marks, const std::string& bullet) {
  std::string out;
  for (const ScoreMark& mark : marks) {
    std::string line = mark_lines({&mark, 1}).substr(2);
    std::replace(line.begin(), line.end() - 1, '\n', ' ');
    out += bullet + line;
  }
  return out;
}

// A name as a field. Programs for tables take a field that begins with one of these signs for a
// formula and run it, so that a quotation mark stands before it.
std::string csv_field(const std::string& name) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool formula = !name.empty() && kFormula.find(name[0]) != std::string_view::npos;
  const std::string text = (formula ? "'" : "") + name;
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

std::string csv_judged(const JudgedMetric* metric, double level) {
  if (!metric) return ",,,,,,,,,,,";
  std::string out = csv_number(metric->interval.low) + csv_number(metric->interval.high) + "," +
                    std::string(enum_name(metric->over));
  if (!metric->difference) return out + ",,,,,,,,";
  const JudgedDifference& one = *metric->difference;
  for (const double value : {one.value, one.interval.low, one.interval.high, one.p_value, one.holm})
    out += csv_number(value);
  return out + str(",", enum_name(one.family), ",", one.tests, csv_number(one.detectable(level)));
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, const Judgement& judgement,
                                Shown shown) {
  std::string out = "# " + headline(comparison) + "\n\n";
  const std::vector<std::string> metrics = headline_metrics(judgement);
  std::vector<std::string> heads;
  const std::vector<ScoreMark> marks = marks_of(comparison);
  for (const std::string& name : metrics) heads.push_back(marked_label(name, marks));
  out += markdown_head(heads, judgement.regimes);
  for (const JudgedRow& row : judgement.rows) {
    out += markdown_row(*row.arm, row.regime, judgement.regimes);
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
  std::vector<Line> lines = lines_of(rows, shown);
  mark_labels(lines, marks);
  std::vector<std::string> labels;
  for (const Line& line : lines) labels.push_back(line.label);
  out += markdown_head(labels, comparison.regimes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += markdown_row(*rows[i].arm, rows[i].regime, comparison.regimes);
    for (const Line& line : lines) out += " " + line.cells[i] + " |";
    out += "\n";
  }
  out += (marks.empty() ? "" : "\n") + listed_marks(marks, "\\* ");
  return out + (comparison.meteor_tables.empty() ? "" : "\n" + comparison.meteor_tables + "\n");
}

std::string comparison_latex(const Comparison& comparison, const Judgement& judgement) {
  const std::vector<std::string> metrics = headline_metrics(judgement);
  std::string out =
      "% " + headline(comparison) + "\n% " + legend(judgement) +
      "\n% The number after \\pm is half the width of this interval; scores, shares and both are "
      "times 100.\n% The best mean of a column is bold where the tests against the reference "
      "support "
      "it: it is better than\n% the reference, or it is the reference's and all other rows are "
      "worse. With one seed on each side,\n% bold is said of these runs and not of the arms.\n";
  for (std::string sentence : verdict(judgement)) {
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');  // a name must not end the comment
    out += "% " + sentence + "\n";
  }
  out += listed_marks(marks_of(comparison), "% ");
  if (!comparison.meteor_tables.empty()) out += "% " + comparison.meteor_tables + "\n";
  out += str("\\begin{tabular}{", judgement.regimes ? "ll" : "l", std::string(metrics.size(), 'r'),
             "}\n\\toprule\n", judgement.regimes ? "arm & regime" : "system");
  for (const std::string& name : metrics) out += " & " + latex(metric(name).label);
  out += " \\\\\n\\midrule\n";
  std::map<std::string, ColumnForm> forms;
  std::set<std::string> with_winner;
  for (const std::string& name : metrics) {
    forms[name] = form_of(judgement, name);
    if (has_winner(judgement, name, forms[name])) with_winner.insert(name);
  }
  for (const JudgedRow& row : judgement.rows) {
    out += latex(row.arm->arm.name);
    if (judgement.regimes) out += " & " + std::string(enum_name(row.regime));
    for (const std::string& name : metrics) {
      const JudgedMetric* own = row.find(name);
      if (!own) {
        out += " & --";
        continue;
      }
      const ColumnForm& form = forms[name];
      const std::string mean = form.text(own->spread.mean);
      const bool bold = with_winner.contains(name) && is_best(judgement, *own, form);
      const double half = half_width(*own);
      out += " & $" + (bold ? "\\mathbf{" + mean + "}" : mean) +
             (std::isfinite(half) ? " \\pm " + form.text(half) : "") + "$";
    }
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string comparison_csv(const Comparison& comparison, const Judgement& judgement) {
  std::string out =
      "arm,regime,metric,n,mean,sd,low,high,chance,difference,difference_low,difference_high,p,"
      "p_holm,family,tests,detectable\n";
  for (const Row& row : rows_of(comparison)) {
    const JudgedRow* judged = judgement.find(row);
    for (const auto& [name, spread] : row.metrics)
      out += str(csv_field(row.arm->arm.name), ",", enum_name(row.regime), ",", csv_field(name),
                 ",", spread.count, csv_number(spread.mean), csv_number(spread.deviation),
                 csv_judged(judged ? judged->find(name) : nullptr, judgement.level()), "\n");
  }
  return out;
}

}  // namespace saccade
