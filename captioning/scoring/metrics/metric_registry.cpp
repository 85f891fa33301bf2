#include "captioning/scoring/metrics/metric_registry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace saccade {

namespace {

enum class Importance { kHeadline, kPictureHeadline, kDetail };
enum class Certainty { kInterval, kNoInterval };
enum class Inherited { kSame, kNone };

// The names by which the registry calls MeasuredBy.
constexpr unsigned kScore = kMeasuredByScore, kEvaluate = kMeasuredByEvaluate,
                   kValidation = kMeasuredByValidation, kUpdates = kMeasuredByUpdates,
                   kCompare = kMeasuredByCompare, kPage = kMeasuredForEachImage,
                   kDecoding = kEvaluate | kValidation | kCompare, kScoring = kScore | kDecoding;

struct Variant {
  std::string_view prefix, suffix, label;
  Inherited better, interval;
  unsigned measured_by;
  std::string_view text;
};

enum VariantPlace : unsigned {
#define SACCADE_METRIC_VARIANT(enumerator, ...) enumerator##Place,
#include "captioning/scoring/metrics/metric_variants.def"
#undef SACCADE_METRIC_VARIANT
  kVariants
};

// A variant as a bit of the set that a metric names.
#define SACCADE_METRIC_VARIANT(enumerator, ...) \
  constexpr unsigned enumerator = 1U << enumerator##Place;
#include "captioning/scoring/metrics/metric_variants.def"
#undef SACCADE_METRIC_VARIANT

constexpr std::array<Variant, kVariants> variant_lines() {
  using enum Inherited;
  return {{
#define SACCADE_METRIC_VARIANT(enumerator, prefix, suffix, label, better, interval, measured, \
                               text)                                                          \
  {prefix, suffix, label, better, interval, measured, text},
#include "captioning/scoring/metrics/metric_variants.def"
#undef SACCADE_METRIC_VARIANT
  }};
}

struct Line {
  std::string_view name, label, unit;
  Better better;
  Importance importance;
  Certainty certainty;
  MetricGroup group;
  unsigned measured_by, variants;
  std::string_view text;
};

constexpr auto metric_lines() {
  using enum Better;
  using enum Importance;
  using enum Certainty;
  using enum MetricGroup;
  return std::to_array<Line>({
#define SACCADE_METRIC(name, label, unit, better, importance, interval, group, measured, variants, \
                       text)                                                                       \
  {#name, label, unit, better, importance, interval, group, measured, variants, text},
#include "captioning/scoring/metrics/metrics.def"
#undef SACCADE_METRIC
  });
}

// The sets of variants that may stand in one name: at most one of each of these.
constexpr std::array<unsigned, 3> kExclusive = {kReferences, kCentreBias | kUniformMaps,
                                                kNoBrevity | kExternal};

bool may_stand_together(unsigned variants) {
  return std::all_of(kExclusive.begin(), kExclusive.end(),
                     [&](unsigned set) { return std::popcount(variants & set) <= 1; });
}

MetricInfo info_of(const Line& line) {
  return {.name = std::string(line.name),
          .base = std::string(line.name),
          .label = std::string(line.label),
          .unit = std::string(line.unit),
          .better = line.better,
          .headline = line.importance != Importance::kDetail,
          .headline_of_texts = line.importance == Importance::kHeadline,
          .interval = line.certainty == Certainty::kInterval,
          .group = line.group,
          .measured_by = line.measured_by,
          .text = std::string(line.text)};
}

// A metric with a set of variants. Prefixes are put together from the last to the first, so that
// the first of the list comes first in the name.
MetricInfo varied(const Line& line, unsigned variants) {
  constexpr auto lines = variant_lines();
  MetricInfo out = info_of(line);
  out.headline = out.headline_of_texts = false;
  out.text = str(line.name, ":");
  for (std::size_t v = lines.size(); v-- > 0;) {
    if ((variants >> v & 1U) == 0) continue;
    const Variant& variant = lines[v];
    out.name = str(variant.prefix, out.name, variant.suffix);
    out.label += variant.label;
    if (variant.better == Inherited::kNone) out.better = Better::kNeither;
    out.interval = out.interval && variant.interval == Inherited::kSame;
    out.measured_by &= variant.measured_by;
    out.text += str(out.text.ends_with(":") ? " " : ", ", variant.text);
  }
  if ((variants & kReferences) != 0) out.group = MetricGroup::kReferenceWords;
  return out;
}

std::vector<MetricInfo> make_metrics() {
  constexpr auto lines = metric_lines();
  const auto has_line = [&](const std::string& name) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const Line& line) { return line.name == name; });
  };
  std::vector<MetricInfo> out;
  for (const Line& line : lines) {
    out.push_back(info_of(line));
    for (unsigned variants = 1; variants < 1U << kVariants; ++variants) {
      if ((variants & ~line.variants) != 0 || !may_stand_together(variants)) continue;
      MetricInfo one = varied(line, variants);
      if (!has_line(one.name)) out.push_back(std::move(one));
    }
  }
  return out;
}

// The place of every name in all_metrics().
const std::map<std::string, std::size_t, std::less<>>& places() {
  static const auto places = [] {
    std::map<std::string, std::size_t, std::less<>> out;
    for (const MetricInfo& info : all_metrics()) out.emplace(info.name, out.size());
    return out;
  }();
  return places;
}

}  // namespace

std::vector<MetricVariant> metric_variants() {
  std::vector<MetricVariant> out;
  for (const Variant& variant : variant_lines())
    out.push_back({.prefix = std::string(variant.prefix),
                   .suffix = std::string(variant.suffix),
                   .text = std::string(variant.text),
                   .measured_by = variant.measured_by});
  return out;
}

const std::vector<MetricInfo>& all_metrics() {
  static const std::vector<MetricInfo> metrics = make_metrics();
  return metrics;
}

const MetricInfo* find_metric(std::string_view name) {
  const auto found = places().find(name);
  return found == places().end() ? nullptr : &all_metrics()[found->second];
}

std::string metric_meant(const std::string& word, bool (*may)(const MetricInfo&)) {
  std::vector<std::string> names, labels;
  std::map<std::string, std::string> called;  // label and name
  for (const MetricInfo& info : all_metrics()) {
    if (!may(info)) continue;
    names.push_back(info.name);
    labels.push_back(info.label);
    called.emplace(info.label, info.name);
  }
  const std::string label = nearest_name(word, labels);
  const std::string name = edit_distance(word, label) <= 1 ? "" : nearest_name(word, names);
  if (!name.empty()) return " (did you mean '" + name + "'?)";
  return label.empty() ? "" : " (did you mean '" + called.at(label) + "'?)";
}

const MetricInfo& metric(std::string_view name) {
  const MetricInfo* found = find_metric(name);
  SACCADE_ASSERT(found != nullptr, "metrics.def has no metric '", name, "'");
  return *found;
}

std::string metric_label(std::string_view name) {
  const std::string_view own = without_set(name);
  const MetricInfo* known = find_metric(own);
  if (known == nullptr) return std::string(name);
  if (own.size() == name.size()) return known->label;
  return str(name.substr(0, name.size() - own.size() - 1), ": ", known->label);
}

MetricRange metric_range(std::string_view name) {
  const MetricInfo* known = find_metric(name);
  if (known == nullptr) return {};
  if (known->unit == "share" || known->unit == "0 to 1") return {.low = 0, .high = 1};
  if (known->unit == "0 to 10") return {.low = 0, .high = 10};
  MetricRange out;
  if (known->unit == "ratio") out.low = 0;
  return out;
}

bool is_better(std::string_view name, double value, double than) {
  const MetricInfo* known = find_metric(name);
  if (known == nullptr || known->better == Better::kNeither) return false;
  return known->better == Better::kLarger ? value > than : value < than;
}

std::vector<std::string> in_table_order(std::vector<std::string> names) {
  const auto place = [](const std::string& name) {
    const std::string own(without_set(name));
    const auto found = places().find(own);
    return std::pair(found == places().end() ? places().size() : found->second,
                     own.size() != name.size());
  };
  std::vector<std::string> out;
  for (std::string& name : names)
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  std::stable_sort(out.begin(), out.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return out;
}

bool are_of_texts(std::span<const std::string> names) {
  return std::find(names.begin(), names.end(), "exact_match") != names.end();
}

std::vector<std::string> headlines_of(const std::vector<std::string>& names) {
  const bool texts = are_of_texts(names);
  std::vector<std::string> out = in_table_order(names);
  std::erase_if(out, [&](const std::string& name) {
    const MetricInfo* info = find_metric(name);
    return !info || !(texts ? info->headline_of_texts : info->headline);
  });
  return out;
}

std::string attention_metric(std::string_view measure) { return str("attention_", measure); }

std::string references_metric(std::string_view name) {
  return str(variant_lines()[kReferencesPlace].prefix, name);
}

std::string set_metric(std::string_view set, std::string_view name) { return str(set, "/", name); }

std::string_view without_set(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace saccade
