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
  kReferencesPlace,
  kCentreBiasPlace,
  kUniformMapsPlace,
  kNoBrevityPlace,
  kExternalPlace,
  kVariants
};
// A variant as a bit of the set that a metric names.
constexpr unsigned kReferences = 1U << kReferencesPlace, kCentreBias = 1U << kCentreBiasPlace,
                   kUniformMaps = 1U << kUniformMapsPlace, kNoBrevity = 1U << kNoBrevityPlace,
                   kExternal = 1U << kExternalPlace;

// How the names of variants of a metric are made, in the order of their places. A name is
// [references_] [centre_bias_ or uniform_] metric [_no_bp or _external], where the row of the
// metric names these variants. The label is put behind that of the metric. A variant is measured by
// those of the metric's commands that are named here, and always a detail.
constexpr std::array<Variant, kVariants> variant_rows() {
  using enum Inherited;
  return {{
      {"references_", "", ", references' words", kSame, kSame, kEvaluate | kCompare,
       "for the nouns of the references, which the model is made to say"},
      {"centre_bias_", "", ", centre bias", kNone, kNone, kDecoding,
       "what a Gaussian in the middle of every picture reaches instead of the map"},
      {"uniform_", "", ", uniform", kNone, kNone, kDecoding,
       "what equal weights reach instead of the map"},
      {"", "_no_bp", ", no penalty", kSame, kSame, kScoring,
       "without the penalty for short captions"},
      {"", "_external", ", external frequencies", kSame, kSame, kScore,
       "with the document frequencies of a file (score --document-frequencies)"},
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

// Every metric, in the order in which tables show them. Which value is better where training
// chooses by a metric, the verdict and the tables of a comparison, what `evaluate` prints first,
// the pages, and `saccade list metrics` come from it. `better` says which of two values is better,
// other things being equal; kNeither, where the number describes and does not judge. A headline is
// what tables show without being asked, and a picture headline only where captions describe
// pictures: results of texts are right or wrong, and n-grams that they share with the right result
// do not say which. A metric with an interval is measured image by image and can be resampled. The
// variants are those that are written, too. Where a variant has a row of its own, that row holds.
// kScoring is measured wherever captions are scored, kDecoding wherever a model writes them.
constexpr auto metric_rows() {
  using enum Better;
  using enum Importance;
  using enum Certainty;
  using enum MetricGroup;
  // One row a line.
  // clang-format off
  return std::to_array<Line>({
      // What training minimises, and what it watches meanwhile.
      {"nll_per_word", "nll per word", "nats", kSmaller, kHeadline, kNoInterval, kTraining, kUpdates, 0, "-log p of the words of the training captions, mean over words"},
      {"loss", "loss", "nats", kSmaller, kDetail, kNoInterval, kTraining, kUpdates, 0, "-log p of the words plus the doubly stochastic penalty, mean over captions, without the costs of supervision, which stand beside it; the loss of the policy in self-critical training; each model has penalties of its own, so it compares no two models"},
      {"penalty", "penalty", "", kSmaller, kDetail, kNoInterval, kTraining, kUpdates, 0, "the doubly stochastic term above its floor, mean over captions"},
      {"grad_norm", "gradient norm", "", kNeither, kDetail, kNoInterval, kTraining, kUpdates, 0, "the norm of all gradients before clipping"},
      {"lr", "learning rate", "", kNeither, kDetail, kNoInterval, kTraining, kUpdates, 0, "the learning rate"},
      {"box_cost", "box cost", "nats", kSmaller, kDetail, kNoInterval, kTraining, kUpdates, 0, "-log of the weight that supervised words have inside their boxes"},
      {"localizer_divergence", "divergence from the localizer", "nats", kSmaller, kDetail, kNoInterval, kTraining, kUpdates, 0, "how far the maps of words are from the localizer's"},
      {"localizer_nll", "nll of the localizer", "nats", kSmaller, kDetail, kNoInterval, kTraining, kUpdates, 0, "the cost of the localizer, which predicts for every word whether the captions of an image have it: -log p of the right answers, mean over images"},
      {"baseline", "baseline", "nats", kNeither, kDetail, kNoInterval, kTraining, kUpdates, 0, "the moving average of the cost, from which hard attention's advantages are measured"},
      {"estimator.expectation_share", "share of captions with the expectation", "share", kNeither, kDetail, kNoInterval, kTraining, kUpdates | kCompare, 0, "of hard attention's estimator: the share of captions that took the weighted mean of the regions"},
      {"estimator.advantage", "advantage", "nats", kNeither, kDetail, kNoInterval, kTraining, kUpdates | kCompare, 0, "of hard attention's estimator: the cost of a word minus the baseline, mean over the words whose regions were drawn"},
      {"estimator.advantage_variance", "advantage variance", "", kNeither, kDetail, kNoInterval, kTraining, kUpdates | kCompare, 0, "of hard attention's estimator: the variance of the advantage over the words whose regions were drawn"},
      {"estimator.gradient_variance", "gradient variance", "", kSmaller, kDetail, kNoInterval, kTraining, kUpdates | kCompare, 0, "of hard attention's estimator: the mean squared distance of the gradients of single draws from their mean"},
      {"estimator.distinct_cells", "distinct cells per word", "share", kNeither, kDetail, kNoInterval, kTraining, kUpdates | kCompare, 0, "of hard attention's estimator: how many regions a drawn caption visits, as a share of its words"},
      {"estimator.entropy", "entropy in training", "share", kNeither, kDetail, kNoInterval, kTraining, kUpdates | kCompare, 0, "of hard attention's estimator: the entropy of the weights, divided by the largest possible"},
      {"reward", "reward", "", kLarger, kDetail, kNoInterval, kTraining, kUpdates, 0, "of self-critical training: the mean reward of the drawn captions"},
      {"reward_baseline", "reward baseline", "", kNeither, kDetail, kNoInterval, kTraining, kUpdates, 0, "of self-critical training: what is subtracted from a reward, mean over the drawn captions"},
      {"advantage_sd", "advantage deviation", "", kNeither, kDetail, kNoInterval, kTraining, kUpdates, 0, "of self-critical training: the standard deviation of the reward minus its baseline"},
      {"sample_length", "length of draws", "words", kNeither, kDetail, kNoInterval, kTraining, kUpdates, 0, "of self-critical training: words per drawn caption"},
      {"sample_finished", "finished draws", "share", kLarger, kDetail, kNoInterval, kTraining, kUpdates, 0, "of self-critical training: the share of drawn captions that ended by themselves"},
      {"reward_time_share", "time for rewards", "share", kSmaller, kDetail, kNoInterval, kTraining, kUpdates, 0, "of self-critical training: the share of the time that rewards take"},

      // Captions against the references. The scores of the coco-caption evaluation.
      {"Bleu_1", "BLEU-1", "0 to 1", kLarger, kDetail, kInterval, kCaptions, kScoring | kPage, kNoBrevity, "precision of words, with a penalty for short captions (Papineni et al. 2002)"},
      {"Bleu_2", "BLEU-2", "0 to 1", kLarger, kDetail, kInterval, kCaptions, kScoring, kNoBrevity, "the geometric mean of the precisions of 1- and 2-grams, with the same penalty"},
      {"Bleu_3", "BLEU-3", "0 to 1", kLarger, kDetail, kInterval, kCaptions, kScoring, kNoBrevity, "the same up to 3-grams"},
      {"Bleu_4", "BLEU-4", "0 to 1", kLarger, kPictureHeadline, kInterval, kCaptions, kScoring | kPage, kNoBrevity, "the same up to 4-grams"},
      {"METEOR", "METEOR", "0 to 1", kLarger, kPictureHeadline, kInterval, kCaptions, kScoring, 0, "words aligned by form, stem and synonym (Denkowski and Lavie 2014); in score also by paraphrase, where the table is"},
      {"ROUGE_L", "ROUGE-L", "0 to 1", kLarger, kDetail, kInterval, kCaptions, kScoring | kPage, 0, "the longest common subsequence of words (Lin 2004)"},
      {"CIDEr", "CIDEr", "0 to 10", kLarger, kPictureHeadline, kInterval, kCaptions, kScoring | kPage, kExternal, "CIDEr-D: similarity of n-grams, of which rare ones count for more (Vedantam et al. 2015); as a reward of self-critical training CIDEr_D"},
      {"CIDEr_plain", "CIDEr without D", "0 to 10", kLarger, kDetail, kInterval, kCaptions, kScoring, kExternal, "CIDEr without the clipping and the length penalty of CIDEr-D; as a reward of self-critical training CIDEr"},
      {"unique_captions", "unique captions", "share", kLarger, kHeadline, kNoInterval, kCaptions, kScoring, 0, "the number of different captions, divided by the number of captions"},
      {"mean_length", "mean length", "words", kNeither, kHeadline, kNoInterval, kCaptions, kScoring, 0, "words per caption"},
      {"length_sd", "length deviation", "words", kNeither, kDetail, kNoInterval, kCaptions, kScoring, 0, "the standard deviation of the captions' lengths"},
      {"length_ratio", "length ratio", "ratio", kNeither, kDetail, kNoInterval, kCaptions, kScoring, 0, "words of all captions, divided by those of the references nearest in length; BLEU's penalty starts below 1"},
      {"vocabulary_used", "words used", "words", kLarger, kDetail, kNoInterval, kCaptions, kScoring, 0, "the number of different words in all captions"},
      {"finished", "finished captions", "share", kLarger, kDetail, kNoInterval, kCaptions, kDecoding, 0, "the share of captions that ended by themselves before search.max_length"},
      {"novel_captions", "novel captions", "share", kNeither, kDetail, kNoInterval, kCaptions, kEvaluate, 0, "the share of captions that equal no training caption"},
      {"perplexity", "perplexity", "words", kSmaller, kHeadline, kNoInterval, kCaptions, kEvaluate, 0, "exp of the mean -log p of the references' words"},
      {"unknown_share", "unknown words", "share", kNeither, kDetail, kNoInterval, kCaptions, kEvaluate, 0, "the share of the references' words that the vocabulary lacks"},

      // Captions against the facts of a scene.
      {"true_caption_rate", "true captions", "share", kLarger, kHeadline, kInterval, kFacts, kDecoding, 0, "the share of captions in which everything is true of the scene"},
      {"parsed_rate", "understood captions", "share", kLarger, kDetail, kNoInterval, kFacts, kDecoding, 0, "the share of captions that the grammar of the scenes can read"},

      // What a text is turned into against what it should be turned into (data.type sequences).
      {"exact_match", "exact match", "share", kLarger, kHeadline, kInterval, kFacts, kDecoding | kPage, 0, "the share of texts that are turned into exactly what they should be"},
      {"token_accuracy", "token accuracy", "share", kLarger, kHeadline, kInterval, kFacts, kDecoding | kPage, 0, "the share of places that have the right word, mean over texts"},

      // Several captions drawn for each image (evaluate --samples).
      {"Div_1", "Div-1", "share", kLarger, kDetail, kNoInterval, kSamples, kEvaluate, 0, "different words of an image's captions, divided by all of their words"},
      {"Div_2", "Div-2", "share", kLarger, kDetail, kNoInterval, kSamples, kEvaluate, 0, "different 2-grams of an image's captions, divided by all of their words"},
      {"mBLEU_4", "mBLEU-4", "0 to 1", kSmaller, kDetail, kNoInterval, kSamples, kEvaluate, 0, "BLEU-4 of each caption against the others of its image; small where they differ"},
      {"self_CIDEr", "self-CIDEr", "0 to 1", kLarger, kDetail, kNoInterval, kSamples, kEvaluate, 0, "how far an image's captions are from each other"},
      {"best_CIDEr", "best CIDEr", "0 to 10", kLarger, kDetail, kNoInterval, kSamples, kEvaluate, 0, "CIDEr-D of each image's best caption, which the references choose"},
      {"mean_CIDEr", "mean CIDEr", "0 to 10", kLarger, kDetail, kNoInterval, kSamples, kEvaluate, 0, "CIDEr-D of all captions"},

      // Where the map of a noun lies, for the nouns that the model says; of texts, where that of a word lies.
      {"pointing_accuracy", "pointing", "share", kLarger, kHeadline, kInterval, kGrounding, kDecoding, kReferences | kCentreBias, "the share of nouns whose cell of the largest weight overlaps a box"},
      {"pointing_centre_accuracy", "pointing, centre", "share", kLarger, kDetail, kNoInterval, kGrounding, kDecoding, kReferences, "the share of nouns for which the middle of that cell lies in a box"},
      {"pointing_chance", "pointing by chance", "share", kNeither, kDetail, kNoInterval, kGrounding, kDecoding, kReferences, "what a random cell would reach in pointing_accuracy"},
      {"pointing_nouns", "nouns with boxes", "nouns", kNeither, kDetail, kNoInterval, kGrounding, kDecoding, kReferences, "the number of nouns that are judged"},
      {"pointing_chosen_accuracy", "pointing of the draw", "share", kLarger, kDetail, kNoInterval, kGrounding, kDecoding, kReferences, "the share of nouns for which the cell that was taken overlaps a box"},
      {"attention_correctness", "correctness", "share", kLarger, kDetail, kInterval, kGrounding, kDecoding, kReferences | kCentreBias | kUniformMaps, "the share of the weight inside the boxes (Liu et al. 2017)"},
      {"attention_correctness_normalized", "correctness / area", "ratio", kLarger, kDetail, kInterval, kGrounding, kDecoding, kReferences | kCentreBias, "that share divided by the boxes' share of the picture, mean over nouns; 1 for equal weights"},
      {"attention_correctness_over_uniform", "correctness / uniform", "ratio", kLarger, kDetail, kInterval, kGrounding, kDecoding, kReferences | kCentreBias, "the mean correctness divided by that of equal weights; large boxes count for more"},
      {"energy_pointing", "energy pointing", "share", kLarger, kDetail, kInterval, kGrounding, kDecoding, kReferences | kCentreBias, "the share of the weight inside the boxes after interpolation (Wang et al. 2020)"},
      {"loc_accuracy", "localisation", "share", kLarger, kDetail, kInterval, kGrounding, kDecoding, kReferences | kCentreBias, "the share of nouns for which the box around the map's object overlaps theirs by more than half (Zhou et al. 2016)"},
      {"pointing_15px", "pointing, 15 pixels", "share", kLarger, kDetail, kInterval, kGrounding, kDecoding, kReferences | kCentreBias | kUniformMaps, "the share of nouns whose map has its brightest point within 15 pixels of a box, in a picture of 224"},
      {"alignment_accuracy", "alignment", "share", kLarger, kHeadline, kInterval, kGrounding, kDecoding, 0, "the share of right words whose map is largest on a token that they come from"},

      // The variants of these that are more than details: all models are judged by the same nouns.
      {"references_pointing_accuracy", "pointing, references' words", "share", kLarger, kDetail, kInterval, kReferenceWords, kDecoding, 0, "pointing_accuracy of the nouns of the references, which the model is made to say"},
      {"references_pointing_15px", "pointing, 15 pixels, references' words", "share", kLarger, kDetail, kInterval, kReferenceWords, kDecoding, 0, "pointing_15px of the nouns of the references, which the model is made to say"},
      {"references_attention_correctness_over_uniform", "correctness / uniform, references' words", "ratio", kLarger, kHeadline, kInterval, kReferenceWords, kDecoding, 0, "attention_correctness_over_uniform of the nouns of the references, which the model is made to say"},

      // Whether maps are useful (attention health), and whether captions need them.
      {"attention_entropy", "map entropy", "share", kSmaller, kHeadline, kNoInterval, kMaps, kDecoding, 0, "how spread out a map is: 0 for all weight on one cell, 1 for the same weight on all cells"},
      {"attention_max_weight", "largest weight", "share", kNeither, kDetail, kNoInterval, kMaps, kEvaluate | kCompare, 0, "the largest weight of a map"},
      {"attention_js_divergence", "movement of maps", "bits", kNeither, kDetail, kNoInterval, kMaps, kEvaluate | kCompare, 0, "how far a map is from the map of the word before: the Jensen-Shannon divergence"},
      {"attention_spread", "spread over words", "share", kNeither, kDetail, kNoInterval, kMaps, kEvaluate | kCompare, 0, "how much the weight of a cell varies over the words of a caption"},
      {"attention_coverage_excess", "uneven coverage", "", kNeither, kDetail, kNoInterval, kMaps, kEvaluate | kCompare, 0, "how unevenly the words of a caption, taken together, cover the cells"},
      {"attention_static_share", "static maps", "share", kSmaller, kDetail, kNoInterval, kMaps, kDecoding, 0, "the share of maps that hardly differ from the map of the word before"},
      {"attention_uniform_share", "uniform maps", "share", kSmaller, kDetail, kNoInterval, kMaps, kDecoding, 0, "the share of maps that are nearly uniform"},
      {"attention_from_uniform", "told from uniform maps", "share", kNeither, kDetail, kNoInterval, kMaps, kDecoding, 0, "how well one region drawn for each word of a caption tells the maps from uniform ones: 0 not at all, 1 every time; below .5 entropy has collapsed"},
      {"attention_from_one_cell", "told from maps on one cell", "share", kNeither, kDetail, kNoInterval, kMaps, kDecoding, 0, "how well it tells them from maps that lie on their largest cell alone; below .5 entropy has collapsed"},
      {"attention_head_correlation", "similarity of heads", "-1 to 1", kNeither, kDetail, kNoInterval, kMaps, kEvaluate | kCompare, 0, "how similar the maps of the heads are: the correlation of their weights"},
      {"CIDEr_shuffled_drop", "CIDEr lost by shuffled maps", "0 to 10", kLarger, kHeadline, kNoInterval, kMaps, kValidation, 0, "CIDEr minus that of the same images captioned with shuffled maps"},

      // Cost.
      {"updates", "updates", "updates", kNeither, kHeadline, kNoInterval, kCost, kCompare, 0, "updates of the weights until training ended"},
      {"ms_per_update", "ms per update", "ms", kSmaller, kHeadline, kNoInterval, kCost, kUpdates | kCompare, 0, "the median time of an update, with the making of its batch"},
      {"captions_per_second", "captions/s", "captions/s", kLarger, kDetail, kNoInterval, kCost, kUpdates | kCompare, 0, "training captions per second"},
      {"peak_memory_bytes", "peak memory", "bytes", kSmaller, kHeadline, kNoInterval, kCost, kUpdates | kCompare, 0, "the most memory that the process held"},
      {"parameters", "parameters", "numbers", kNeither, kHeadline, kNoInterval, kCost, kCompare, 0, "the numbers that are trained"},
  });
  // clang-format on
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
  constexpr auto lines = variant_rows();
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
  constexpr auto lines = metric_rows();
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
  for (const Variant& variant : variant_rows())
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
  SACCADE_ASSERT(found != nullptr, "there is no metric '", name, "'");
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
  return str(variant_rows()[kReferencesPlace].prefix, name);
}

std::string set_metric(std::string_view set, std::string_view name) { return str(set, "/", name); }

std::string_view without_set(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace saccade
