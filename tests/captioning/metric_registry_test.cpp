// The registry of metrics: its names, its variants, and which of two values is better.
#include "captioning/scoring/metrics/metric_registry.h"

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

TEST_CASE("every metric has one entry, which says what it is") {
  std::set<std::string> names, labels, texts;
  for (const MetricInfo& info : all_metrics()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(labels.insert(info.label).second);
    CHECK(find_metric(info.name) == &info);
    CHECK(!info.text.empty());
    if (info.base == info.name) CHECK(texts.insert(info.text).second);
    CHECK(info.measured_by != 0);
    CHECK(find_metric(info.base) != nullptr);
    // The pages have the registry inside a script element.
    CHECK((info.label + info.unit + info.text).find('<') == std::string::npos);
    // A headline that is tested must have a better and a worse.
    if (info.headline && info.interval) CHECK(info.better != Better::kNeither);
  }
  CHECK(find_metric("Bleu_5") == nullptr);
  CHECK_THROWS_AS(metric("Bleu_5"), InternalError);
}

TEST_CASE("a variant inherits what holds for it, too") {
  const MetricInfo& references = metric("references_attention_correctness");
  CHECK(references.base == "attention_correctness");
  CHECK(references.better == Better::kLarger);
  CHECK(references.interval);
  CHECK(references.group == MetricGroup::kReferenceWords);
  CHECK(references.measured_by == (kMeasuredByEvaluate | kMeasuredByCompare));
  // What a Gaussian reaches is a fact about the pictures, which no model makes better.
  const MetricInfo& middle = metric("references_centre_bias_attention_correctness");
  CHECK(middle.base == "attention_correctness");
  CHECK(middle.better == Better::kNeither);
  CHECK(!middle.interval);
  CHECK(metric("Bleu_4_no_bp").better == Better::kLarger);
  CHECK(metric("Bleu_4").headline);
  CHECK(!metric("Bleu_4_no_bp").headline);
  CHECK(metric("CIDEr_external").measured_by == kMeasuredByScore);
  // Where a variant has a line of its own, that line holds.
  CHECK(metric("references_attention_correctness_over_uniform").headline);
  CHECK((metric("references_pointing_15px").measured_by & kMeasuredByValidation) != 0);
  // Only the variants that a metric names exist, each prefix once and in one order.
  for (const char* name :
       {"references_Bleu_4", "uniform_pointing_accuracy", "centre_bias_uniform_pointing_15px",
        "centre_bias_references_pointing_15px", "references_references_pointing_15px",
        "METEOR_no_bp", "CIDEr_no_bp", "references_", "_no_bp", ""})
    CHECK(find_metric(name) == nullptr);
}

TEST_CASE("which of two values is better is a fact about the metric, not about its name") {
  for (const char* name : {"attention_entropy", "attention_static_share", "attention_uniform_share",
                           "loss", "perplexity", "mBLEU_4", "ms_per_update"}) {
    CHECK(is_better(name, 0.1, 0.2));
    CHECK_FALSE(is_better(name, 0.2, 0.1));
  }
  for (const char* name : {"CIDEr", "CIDEr_shuffled_drop", "references_pointing_15px",
                           "true_caption_rate", "captions_per_second"}) {
    CHECK(is_better(name, 0.2, 0.1));
    CHECK_FALSE(is_better(name, 0.1, 0.2));
  }
  for (const char* name : {"CIDEr", "loss"}) CHECK_FALSE(is_better(name, 0.1, 0.1));
  for (const char* name : {"mean_length", "centre_bias_pointing_accuracy", "unheard of"}) {
    CHECK_FALSE(is_better(name, 0.2, 0.1));
    CHECK_FALSE(is_better(name, 0.1, 0.2));
  }
}

TEST_CASE("the range of a metric follows from its unit") {
  CHECK(metric_range("Bleu_4").high == 1);
  CHECK(metric_range("true_caption_rate").low == 0);
  CHECK(metric_range("CIDEr").high == 10);
  CHECK(metric_range("references_attention_correctness_over_uniform").low == 0);
  CHECK(std::isinf(metric_range("references_attention_correctness_over_uniform").high));
  CHECK(std::isinf(metric_range("nll_per_word").low));
  CHECK(std::isinf(metric_range("Bleu_5").high));
  // A shuffled map may lead to better captions.
  for (const MetricInfo& info : all_metrics())
    if (info.interval) CHECK(metric_range(info.name).low == 0);
}

TEST_CASE("tables have the order of the registry, each name once and unknown ones last") {
  CHECK(in_table_order({"zeal", "parameters", "CIDEr", "Bleu_4", "CIDEr", "art"}) ==
        std::vector<std::string>{"Bleu_4", "CIDEr", "parameters", "zeal", "art"});
}

}  // namespace
}  // namespace saccade::test
