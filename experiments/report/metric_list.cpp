#include "experiments/report/metric_list.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// The names of a set of MeasuredBy.
std::vector<std::string> names_of(unsigned measured_by) {
  std::vector<std::string> out;
  for (const auto& [bit, name] : {std::pair{kMeasuredByScore, "score"},
                                  {kMeasuredByEvaluate, "evaluate"},
                                  {kMeasuredByValidation, "validations"},
                                  {kMeasuredByUpdates, "updates"},
                                  {kMeasuredByCompare, "compare"},
                                  {kMeasuredForEachImage, "pages"}})
    if ((measured_by & bit) != 0) out.emplace_back(name);
  return out;
}

std::string joined(const std::vector<std::string>& words) { return join(words, ", "); }

// The lines of a metric: what it is, its facts, and its variants.
std::string lines_of(const MetricInfo& info, const std::vector<std::string>& variants) {
  constexpr std::size_t kLeast = 15;
  const std::size_t wide = std::max(info.name.size(), kLeast);
  const std::string indent = "\n" + std::string(wide + 4, ' ');
  std::string out = "  " + info.name + std::string(wide - info.name.size() + 2, ' ') + info.text;
  out += indent + "shown as " + info.label + "; ";
  out += info.better == Better::kNeither ? "neither is better"
                                         : str(enum_name(info.better), " is better");
  if (!info.unit.empty()) out += "; " + info.unit;
  if (info.headline) out += info.headline_of_texts ? "; headline" : "; headline, not of texts";
  if (info.interval) out += "; with an interval";
  out += indent + "measured by: " + joined(names_of(info.measured_by));
  if (!variants.empty()) out += indent + "variants: " + joined(variants);
  return out + "\n";
}

}  // namespace

std::string metrics_text() {
  std::string out;
  for (const auto& group : enum_table(MetricGroup{})) {
    out += str("metrics: ", group.name, " (", group.doc, ")\n");
    for (const MetricInfo& info : all_metrics()) {
      if (info.group != group.value || info.base != info.name) continue;
      std::vector<std::string> variants;
      for (const MetricInfo& other : all_metrics())
        if (other.base == info.name && other.name != info.name) variants.push_back(other.name);
      out += lines_of(info, variants);
    }
  }
  out += "metrics: variants\n";
  for (const MetricVariant& variant : metric_variants())
    out += str("  ", variant.prefix, variant.suffix, ": ", variant.text,
               "\n    measured by: ", joined(names_of(variant.measured_by)), "\n");
  return out +
         "train.best_metric and train.early_stop.metric can be every metric that validations "
         "measure and of which\nlarger or smaller is better\n";
}

Json metrics_json() {
  Json out = Json::array();
  for (const MetricInfo& info : all_metrics())
    out.push_back({{"name", info.name},
                   {"label", info.label},
                   {"unit", info.unit},
                   {"better", enum_name(info.better)},
                   {"headline", info.headline},
                   {"interval", info.interval},
                   {"group", enum_name(info.group)},
                   {"measured_by", names_of(info.measured_by)},
                   {"doc", info.text},
                   {"headline_of_texts", info.headline_of_texts}});
  return out;
}

std::string metrics_script() {
  Json metrics = Json::object();
  for (const MetricInfo& info : all_metrics())
    metrics[info.name] = {{"label", info.label},
                          {"headline", info.headline},
                          {"headline_of_texts", info.headline_of_texts},
                          {"group", enum_name(info.group)},
                          {"each_image", (info.measured_by & kMeasuredForEachImage) != 0},
                          {"doc", info.text}};
  return "'use strict';\n// The registry of metrics.\nconst METRICS = " + metrics.dump() + ";\n";
}

}  // namespace saccade
