#include "experiments/compare/comparison_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMebibyte = 1024 * 1024;

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"std", spread.deviation}, {"n", spread.count}};
}

Json seed_json(const SeedResult& seed) {
  Json json = {{"seed", seed.seed},
               {"status", seed.failed() ? "failed" : "ok"},
               {"directory", seed.directory.string()}};
  if (seed.failed()) {
    json["error"] = seed.error;
    return json;
  }
  json["checkpoint"] = seed.checkpoint.string();
  json["updates"] = seed.updates;
  json["training_seconds"] = seed.cost.seconds;
  json["ms_per_update"] = seed.cost.ms_per_update;
  json["captions_per_second"] = seed.cost.captions_per_second;
  json["peak_memory_bytes"] = seed.cost.peak_memory;
  json["best_validation"] = seed.best_validation;
  json["regimes"] = Json::array();
  for (const RegimeScores& scores : seed.regimes) {
    Json corpus = Json::object();
    for (const auto& [name, value] : scores.corpus) corpus[name] = value;
    json["regimes"].push_back({{"name", enum_name(scores.regime)}, {"corpus", corpus}});
  }
  return json;
}

Json arm_json(const ArmResult& arm, const std::vector<Row>& rows) {
  Json values = Json::object();
  for (const auto& [path, value] : arm.arm.values) values[path] = value;
  Json json = {{"name", arm.arm.name}, {"values", values}};
  json["regimes"] = Json::array();
  for (const Row& row : rows) {
    if (row.arm != &arm) continue;
    json["parameters"] = row.parameters;
    json["ms_per_update"] = spread_json(row.ms_per_update);
    json["peak_memory_bytes"] = spread_json(row.peak_memory);
    Json corpus = Json::object();
    for (const auto& [name, spread] : row.metrics) corpus[name] = spread_json(spread);
    json["regimes"].push_back({{"name", enum_name(row.regime)}, {"corpus", corpus}});
  }
  json["seeds"] = Json::array();
  for (const SeedResult& seed : arm.seeds) json["seeds"].push_back(seed_json(seed));
  return json;
}

std::string number(double value) {
  std::array<char, 48> text{};
  const bool count = std::abs(value) >= 10 && value == std::floor(value);
  std::snprintf(text.data(), text.size(),
                count                   ? "%.0f"
                : std::abs(value) >= 10 ? "%.1f"
                                        : "%.4f",
                value);
  return text.data();
}

// "0.5123 +-0.0041"; the deviation only where there is one.
std::string cell(const Spread& spread, double unit = 1) {
  if (spread.count == 0) return "-";
  const std::string mean = number(spread.mean / unit);
  return spread.count > 1 ? mean + " ±" + number(spread.deviation / unit) : mean;
}

struct Line {
  std::string name;
  std::vector<std::string> cells;  // one a row of the comparison
};

// The table turned: a line a metric, a cell an arm and regime.
std::vector<Line> lines_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    for (const auto& [name, spread] : row.metrics)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::vector<Line> lines;
  for (const std::string& name : names) {
    Line& line = lines.emplace_back(Line{name, {}});
    for (const Row& row : rows) {
      const auto found = std::find_if(row.metrics.begin(), row.metrics.end(),
                                      [&](const auto& metric) { return metric.first == name; });
      line.cells.push_back(found == row.metrics.end() ? "-" : cell(found->second));
    }
  }
  Line time{"ms per update", {}}, memory{"peak memory MiB", {}}, size{"parameters", {}};
  for (const Row& row : rows) {
    time.cells.push_back(cell(row.ms_per_update));
    memory.cells.push_back(cell(row.peak_memory, kMebibyte));
    size.cells.push_back(str(row.parameters));
  }
  lines.insert(lines.end(), {time, memory, size});
  return lines;
}

// Characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to) {
  return std::string(to > width(text) ? to - width(text) : 0, ' ') + text;
}

std::string headline(const Comparison& comparison) {
  std::string seeds;
  for (const auto seed : comparison.seeds)
    seeds += (seeds.empty() ? "" : ", ") + std::to_string(seed);
  return str(comparison.name, ": ", comparison.images, " ", split_name(comparison.split),
             " images of ", comparison.dataset, "; seeds ", seeds);
}

std::string failures(const Comparison& comparison, const char* bullet) {
  std::string out;
  for (const ArmResult& arm : comparison.arms)
    for (const SeedResult& seed : arm.seeds)
      if (seed.failed())
        out += str(bullet, arm.arm.name, ", seed ", seed.seed, " failed: ", seed.error, "\n");
  return out;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  const std::vector<Row> rows = rows_of(comparison);
  Json json = {{"schema_version", 1},
               {"name", comparison.name},
               {"dataset", comparison.dataset},
               {"split", split_name(comparison.split)},
               {"n_images", comparison.images},
               {"seeds", comparison.seeds},
               {"complete", comparison.complete()}};
  json["arms"] = Json::array();
  for (const ArmResult& arm : comparison.arms) json["arms"].push_back(arm_json(arm, rows));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_table(const Comparison& comparison, std::size_t columns) {
  const std::vector<Row> rows = rows_of(comparison);
  const std::vector<Line> lines = lines_of(rows);
  std::size_t label = 0;
  for (const Line& line : lines) label = std::max(label, line.name.size());
  std::string out = headline(comparison) + "\n";
  for (std::size_t begin = 0; begin < rows.size();) {
    std::vector<std::size_t> widths;
    std::size_t total = label, end = begin;
    for (; end < rows.size(); ++end) {
      std::size_t wide = std::max(rows[end].arm->arm.name.size(), std::size_t{11});
      for (const Line& line : lines) wide = std::max(wide, width(line.cells[end]));
      if (end > begin && total + wide + 2 > columns) break;
      widths.push_back(wide + 2);
      total += wide + 2;
    }
    std::string first(label, ' '), second(label, ' ');
    for (std::size_t i = begin; i < end; ++i) {
      first += padded(rows[i].arm->arm.name, widths[i - begin]);
      second += padded(std::string(enum_name(rows[i].regime)), widths[i - begin]);
    }
    out += first + "\n" + second + "\n";
    for (const Line& line : lines) {
      out += line.name + std::string(label - line.name.size(), ' ');
      for (std::size_t i = begin; i < end; ++i) out += padded(line.cells[i], widths[i - begin]);
      out += "\n";
    }
    begin = end;
    if (begin < rows.size()) out += "\n";
  }
  return out + failures(comparison, "");
}

std::string comparison_markdown(const Comparison& comparison) {
  const std::vector<Row> rows = rows_of(comparison);
  const std::vector<Line> lines = lines_of(rows);
  std::string out = "# " + headline(comparison) + "\n\n| arm | regime |", rule = "|---|---|";
  for (const Line& line : lines) {
    out += " " + line.name + " |";
    rule += "---:|";
  }
  out += "\n" + rule + "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += str("| ", rows[i].arm->arm.name, " | ", enum_name(rows[i].regime), " |");
    for (const Line& line : lines) out += " " + line.cells[i] + " |";
    out += "\n";
  }
  const std::string failed = failures(comparison, "- ");
  return out + (failed.empty() ? "" : "\n" + failed);
}

}  // namespace saccade
