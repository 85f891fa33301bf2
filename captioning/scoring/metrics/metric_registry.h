// What is known about metrics, read from the table in metric_registry.cpp: for every number that
// score, evaluate, compare and training write, its label, its unit and which of two values is
// better.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace saccade {

enum class Better { kLarger, kSmaller, kNeither };
constexpr auto enum_table(Better) {
  using enum Better;
  return enum_rows<Better>({
      {kLarger, "larger", "the larger of two values is the better one"},
      {kSmaller, "smaller", "the smaller of two values is the better one"},
      {kNeither, "neither", "it describes and does not judge"},
  });
}

enum class MetricGroup {
  kTraining,
  kCaptions,
  kFacts,
  kSamples,
  kGrounding,
  kReferenceWords,
  kMaps,
  kCost
};
constexpr auto enum_table(MetricGroup) {
  using enum MetricGroup;
  return enum_rows<MetricGroup>({
      {kTraining, "training", "what training minimises, and what it watches"},
      {kCaptions, "captions", "captions against the references"},
      {kFacts, "facts", "captions against the facts of a scene, and what a text is turned into"},
      {kSamples, "samples", "several captions drawn for each image"},
      {kGrounding, "grounding",
       "where the map of a noun lies, for the nouns that the model says; of texts, that of a word"},
      {kReferenceWords, "reference words",
       "where the map of a noun lies, for the nouns of the references"},
      {kMaps, "maps", "whether maps are useful, and whether captions need them"},
      {kCost, "cost", "time, memory and size"},
  });
}

// Who writes a metric. Where a JSON object is about one thing, names lose the prefix that says so:
//   attention_entropy         is `entropy` in `attention_health` of `evaluate --json`
//   estimator.advantage       is `advantage` in `estimator` of a line of metrics.jsonl
//   references_pointing_nouns is `pointing_nouns` in `grounding.ground_truth_words.corpus` of
//                             `evaluate --json`
enum MeasuredBy : unsigned {
  kMeasuredByScore = 1,        // `score`
  kMeasuredByEvaluate = 2,     // `evaluate`
  kMeasuredByValidation = 4,   // validations of a training run (metrics.jsonl); a run may choose by
                               // these
  kMeasuredByUpdates = 8,      // the updates of a training run (metrics.jsonl)
  kMeasuredByCompare = 16,     // `compare`
  kMeasuredForEachImage = 32,  // also the pages, for each caption that they show
};

struct MetricInfo {
  std::string name;   // as files and configs name it
  std::string base;   // of a variant, the metric's name; else the same as the name
  std::string label;  // for people: "BLEU-4"
  std::string unit;   // "share", "words", ...; empty where there is none
  Better better = Better::kNeither;
  bool headline = false;  // tables show it without being asked
  // The same where texts are turned into others, for which there is one right result.
  bool headline_of_texts = false;
  bool interval = false;  // it is measured image by image, so that it has a confidence interval
  MetricGroup group = MetricGroup::kCaptions;
  unsigned measured_by = 0;  // of MeasuredBy
  std::string text;          // what it is, as one phrase
};

// How the names of variants are made: references_ before a metric's name, _no_bp behind it.
struct MetricVariant {
  std::string prefix, suffix;  // one of them is empty
  std::string text;            // what it is
  unsigned measured_by = 0;    // of MeasuredBy: by these, where they measure the metric
};
std::vector<MetricVariant> metric_variants();

// All metrics in the order in which tables show them, each followed by its variants.
const std::vector<MetricInfo>& all_metrics();

// The metric of this name; null where there is none.
const MetricInfo* find_metric(std::string_view name);

// " (did you mean 'CIDEr'?)": the one of the metrics for which `may` is true whose name or label is
// nearest to a word that names none; "" where none is near.
std::string metric_meant(const std::string& word, bool (*may)(const MetricInfo&));

// The metric of this name, which must exist; for names in the program.
const MetricInfo& metric(std::string_view name);

// The name of a metric for people: its label, over one joined data set "coco: CIDEr"; of a metric
// that is unknown here, such as one that another version recorded, the name itself.
std::string metric_label(std::string_view name);

// The smallest and the largest value that a metric can have, as its unit says: "share", "ratio", "0
// to 1" and "0 to 10". Without bounds where the unit gives none, and for an unknown metric.
struct MetricRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};
MetricRange metric_range(std::string_view name);

// Whether `value` is the better one of two values of a metric; false where the metric is unknown or
// does not judge.
bool is_better(std::string_view name, double value, double than);

// The names in the order of the registry, each once, those over one joined data set behind that
// over all images; unknown names last, in their order.
std::vector<std::string> in_table_order(std::vector<std::string> names);

// Whether scores with these names are of texts that are turned into others.
bool are_of_texts(std::span<const std::string> names);

// The headlines among the scores with these names, in the order of the registry: of texts, those of
// texts.
std::vector<std::string> headlines_of(const std::vector<std::string>& names);

// The full names of a measure of attention_health.h, and of a metric when it is about the words of
// the references.
std::string attention_metric(std::string_view measure);
std::string references_metric(std::string_view name);

// The name of a metric over one of several joined data sets, "coco/CIDEr", and the metric's own
// name in it; that of any other metric is the name itself.
std::string set_metric(std::string_view set, std::string_view name);
std::string_view without_set(std::string_view name);

}  // namespace saccade
