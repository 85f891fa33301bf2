#include "captioning/study/evaluation/score_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/score_rows.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/mean.h"

namespace saccade {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr Index kReplicates = 1000;  // of each group's intervals

// The words that are not rare.
std::unordered_set<std::string> common_words(const Dataset& dataset) {
  std::unordered_map<std::string, Index> counts;
  Index total = 0;
  for (const CaptionedImage& image : dataset.images) {
    if (image.split != Split::kTrain) continue;
    for (const std::string& text : image.captions)
      for (const std::string& word : tokenize(text)) ++counts[word], ++total;
  }
  std::map<Index, Index> words_of_count;  // how many different words occur so often
  for (const auto& [word, count] : counts) ++words_of_count[count];
  // Words that occur equally often are all rare, or all common.
  Index rare_text = 0, least = 0;
  for (const auto& [count, words] : words_of_count) {
    rare_text += count * words;
    if (static_cast<double>(rare_text) > kRareText * static_cast<double>(total)) {
      least = count;
      break;
    }
  }
  std::unordered_set<std::string> common;
  for (const auto& [word, count] : counts)
    if (count >= least) common.insert(word);
  return common;
}

double objects_of(const CaptionedImage& image, Index number, const NounSource& source) {
  if (!source.knows(number)) return kNone;
  if (source.scenes)
    return static_cast<double>(
        source.scenes->scenes[static_cast<std::size_t>(number)].objects.size());
  const ImageSize size{.height = 1000, .width = 1000};
  std::set<std::array<double, 4>> boxes;
  for (const std::string& text : image.captions)
    for (const NounBoxes& noun : source.photos->nouns(number, tokenize(text), size))
      for (const Rect& box : noun.boxes) boxes.insert({box.x, box.y, box.width, box.height});
  return static_cast<double>(boxes.size());
}

// The statistics of some of the images.
ImageStatistics of_images(const ImageStatistics& all, std::span<const std::size_t> images) {
  ImageStatistics out = all;
  std::vector<double> rows;
  for (const std::size_t image : images) {
    const std::span<const double> row = all.row(image);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  out.images = static_cast<Index>(images.size());
  out.rows = std::make_shared<const std::vector<double>>(std::move(rows));
  return out;
}

ScoreGroup score_group(std::span<const ImageStatistics> metrics,
                       std::span<const std::size_t> images, const std::vector<double>& values) {
  Mean mean;
  ScoreGroup group{.low = values[images[0]], .high = values[images[0]]};
  for (const std::size_t image : images) {
    group.low = std::min(group.low, values[image]);
    group.high = std::max(group.high, values[image]);
    mean.add(values[image]);
  }
  group.mean = mean.value();
  group.images = static_cast<Index>(images.size());
  std::vector<std::string> names;
  for (const ImageStatistics& metric : metrics) names.push_back(metric.metric);
  const std::vector<std::string> main = headlines_of(names);
  std::vector<ImageStatistics> own;
  for (const ImageStatistics& metric : metrics) {
    if (find_metric(metric.metric) &&
        std::find(main.begin(), main.end(), metric.metric) == main.end())
      continue;
    ImageStatistics one = of_images(metric, images);
    if (!std::isnan(one.whole())) own.push_back(std::move(one));
  }
  if (own.empty()) return group;
  if (group.images < kFewestImages) {
    for (const ImageStatistics& one : own)
      group.scores.push_back(
          {.metric = one.metric, .score = one.whole(), .low = kNone, .high = kNone});
    return group;
  }
  for (const ScoreInterval& one : bootstrap(own, {.replicates = kReplicates}))
    group.scores.push_back({.metric = one.metric,
                            .score = one.score,
                            .low = one.interval.low,
                            .high = one.interval.high});
  return group;
}

std::string number_text(GroupBy by, double value) {
  if (by == GroupBy::kRareWords) return str(std::round(1000 * value) / 10, " %");
  return str(std::round(10 * value) / 10);
}

// Of the largest values of groups, those that remain where small groups join others.
std::vector<double> of_large_groups(std::span<const double> sorted, std::span<const double> ends) {
  std::vector<double> out;
  std::size_t before = 0;  // values in the groups so far
  for (const double end : ends) {
    const auto up_to = static_cast<std::size_t>(
        std::upper_bound(sorted.begin(), sorted.end(), end) - sorted.begin());
    const bool small = up_to - before < kSmallestGroup, last = end == ends.back();
    if (small && !last) continue;
    if (small && !out.empty()) out.pop_back();
    out.push_back(end);
    before = up_to;
  }
  return out;
}

std::string_view doc_of(GroupBy by) {
  for (const auto& row : enum_table(GroupBy{}))
    if (row.value == by) return row.doc;
  return "";
}

}  // namespace

std::vector<ImageTraits> image_traits(const LoadedData& data, std::span<const Index> images,
                                      const NounSource& source) {
  if (data.sequences) {
    ImageTraits tokens{.by = GroupBy::kLength, .values = {}, .text = "tokens of the text"};
    for (const Index number : images)
      tokens.values.push_back(static_cast<double>(data.text(number)->tokens.size()));
    return {std::move(tokens)};
  }
  const Dataset& dataset = data.dataset;
  const std::unordered_set<std::string> common = common_words(dataset);
  ImageTraits length{.by = GroupBy::kLength, .values = {}},
      objects{.by = GroupBy::kObjects, .values = {}}, rare{.by = GroupBy::kRareWords, .values = {}};
  for (const Index number : images) {
    const CaptionedImage& image = dataset.images[static_cast<std::size_t>(number)];
    Mean words, unusual;
    for (const std::string& text : image.captions) {
      const Words own = tokenize(text);
      words.add(static_cast<double>(own.size()));
      for (const std::string& word : own) unusual.add(common.contains(word) ? 0 : 1);
    }
    length.values.push_back(words.value());
    rare.values.push_back(unusual.value());
    if (source) objects.values.push_back(objects_of(image, number, source));
  }
  std::vector<ImageTraits> out{std::move(length)};
  if (source) out.push_back(std::move(objects));
  if (!common.empty()) out.push_back(std::move(rare));
  return out;
}

std::string ScoreGroup::name(GroupBy by) const {
  const std::string first = number_text(by, low), last = number_text(by, high);
  return first == last ? first : first + " to " + last;
}

std::string needed_groups(std::string_view items) {
  return str("two groups of at least ", kSmallestGroup, " ", items, " each");
}

std::vector<int> value_groups(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (!std::isnan(value)) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  // The largest value of every group but the last.
  std::vector<double> ends;
  const std::set<double> different(sorted.begin(), sorted.end());
  if (different.size() <= kMostGroups) {
    ends.assign(different.begin(), different.end());
  } else {
    const std::size_t groups =
        std::clamp<std::size_t>(sorted.size() / kSmallestGroup, 1, kMostGroups);
    for (std::size_t g = 1; g < groups; ++g) ends.push_back(sorted[g * sorted.size() / groups - 1]);
    ends.push_back(sorted.back());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  }
  ends = of_large_groups(sorted, ends);
  std::vector<int> out;
  for (const double value : values)
    out.push_back(
        std::isnan(value)
            ? -1
            : static_cast<int>(std::lower_bound(ends.begin(), ends.end(), value) - ends.begin()));
  return out;
}

std::vector<ScoreGrouping> group_scores(std::span<const ImageStatistics> metrics,
                                        std::span<const ImageTraits> traits) {
  std::vector<ScoreGrouping> out;
  for (const ImageTraits& trait : traits) {
    for (const ImageStatistics& metric : metrics)
      SACCADE_CHECK(metric.images == static_cast<Index>(trait.values.size()), "[score groups] ",
                    metric.metric, " of ", metric.images, " images and values of ",
                    trait.values.size());
    std::set<double> different;
    for (const double value : trait.values)
      if (!std::isnan(value)) different.insert(value);
    if (different.size() < 2) continue;
    const std::vector<int> groups = value_groups(trait.values);
    const int last = *std::max_element(groups.begin(), groups.end());
    ScoreGrouping& grouping = out.emplace_back(
        ScoreGrouping{.by = trait.by,
                      .groups = {},
                      .text = trait.text.empty() ? std::string(doc_of(trait.by)) : trait.text});
    for (int g = 0; last > 0 && g <= last; ++g) {
      std::vector<std::size_t> images;
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] == g) images.push_back(i);
      if (!images.empty()) grouping.groups.push_back(score_group(metrics, images, trait.values));
    }
  }
  return out;
}

Table table_of(const ScoreGrouping& grouping) {
  std::vector<ScoreRow> rows;
  for (const ScoreGroup& group : grouping.groups) {
    ScoreRow& row = rows.emplace_back(ScoreRow{group.name(grouping.by), {}});
    for (const GroupScore& one : group.scores) {
      row.scores.emplace_back(one.metric, one.score);
      row.intervals.push_back({.metric = one.metric, .interval = {one.low, one.high}});
    }
  }
  Table table = table_of(rows, metrics_of(rows));
  table.columns.front().label = std::string(enum_name(grouping.by));
  table.columns.insert(table.columns.begin() + 1, {.key = "images"});
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.rows[i].insert(table.rows[i].begin() + 1, grouping.groups[i].images);
  return table;
}

}  // namespace saccade
