#include "experiments/compare/judged_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace saccade {

nlohmann::ordered_json number_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json spread_json(const Spread& spread) {
  return {{"mean", number_json(spread.mean)},
          {"std", number_json(spread.deviation)},
          {"n", spread.count}};
}

void add_judged(const JudgedMetric& metric, double level, nlohmann::ordered_json& json) {
  json["low"] = number_json(metric.interval.low);
  json["high"] = number_json(metric.interval.high);
  json["chance"] = enum_name(metric.over);
  if (!metric.difference) return;
  const JudgedDifference& one = *metric.difference;
  json["difference"] = {{"value", number_json(one.value)},
                        {"low", number_json(one.interval.low)},
                        {"high", number_json(one.interval.high)},
                        {"chance", enum_name(one.over)},
                        {"p", number_json(one.p_value)},
                        {"p_holm", number_json(one.holm)},
                        {"n", one.seeds},
                        {"n_against", one.reference_seeds},
                        {"family", enum_name(one.family)},
                        {"tests", one.tests},
                        {"detectable", number_json(one.detectable(level))},
                        {"undefined", one.undefined}};
  if (one.margin > 0) {
    json["difference"]["margin"] = one.margin;
    json["difference"]["p_outside"] = number_json(one.p_outside);
  }
}

}  // namespace saccade
