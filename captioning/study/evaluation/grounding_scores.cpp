#include "captioning/study/evaluation/grounding_scores.h"

#include <algorithm>
#include <numeric>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/scoring/statistics/randomisation.h"
#include "captioning/study/grounding/peak_point.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// The weights of regions that are no padding, where they are boxes.
std::span<const Real> judged(std::span<const Real> weights, const AttentionGrid& grid) {
  return grid.boxes ? weights.first(std::min(weights.size(), grid.boxes->size())) : weights;
}

// Of a word, by how much a map is better than one of equal weights. Where no region lies on what
// the word names, no map is better than another.
double over_equal(double correctness, const BoxedWord& word) {
  return word.area_share() > 0 ? correctness / word.area_share() : 1;
}

bool all_equal(const auto& weights) {
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  return *least == *most;
}

MapMeasures measure(std::span<const Real> weights, const AttentionGrid& grid,
                    std::span<const Rect> boxes, const BoxedWord& word,
                    const PointingOptions& pointing) {
  const LocalizationRule rule;
  const double correctness = word.correctness(weights);
  return {pointing_share(weights, grid, boxes, pointing),
          correctness,
          over_equal(correctness, word),
          word.energy(weights),
          word.overlap(weights, rule.threshold) > rule.overlap ? 1.0 : 0.0,
          all_equal(judged(weights, grid)) ? near_share(grid, boxes, point_tolerance(grid))
          : points_near(weights, grid, boxes, point_tolerance(grid)) ? 1.0
                                                                     : 0.0};
}

// The measures of equal weights. They have no peak, so a random cell or a random point counts as
// it.
MapMeasures measure_uniform(const AttentionGrid& grid, std::span<const Rect> boxes,
                            const BoxedWord& word, const PointingOptions& pointing) {
  const LocalizationRule rule;
  std::vector<Real> equal(static_cast<std::size_t>(grid.size.cells()), Real(1));
  if (grid.boxes) std::fill(equal.begin() + std::ssize(*grid.boxes), equal.end(), Real(0));
  return {pointing_chance(grid, boxes, pointing),
          word.area_share(),
          1,
          word.energy(equal),
          word.overlap(equal, rule.threshold) > rule.overlap ? 1.0 : 0.0,
          near_share(grid, boxes, point_tolerance(grid))};
}

void add_to(MapMeasures& sum, const MapMeasures& one) {
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
}

constexpr Index kCentreReplicates = 2000;  // of resampled images
constexpr std::size_t kCorrectness = 1;    // in kMapMeasures
static_assert(kMapMeasures[kCorrectness] == "attention_correctness");

NamedScores means(const MapMeasures& sums, const MapMeasures& uniform, Index words) {
  NamedScores out;
  if (words == 0) return out;
  for (std::size_t k = 0; k < sums.size(); ++k)
    out.emplace_back(kMapMeasures[k], sums[k] / static_cast<double>(words));
  out.emplace_back(kCorrectnessOverUniform,
                   uniform[kCorrectness] > 0 ? sums[kCorrectness] / uniform[kCorrectness] : 1);
  return out;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The part of what the network saw that shows the photo, in pixels.
Rect shown_part(const Geometry& geometry) {
  const PictureArea area = picture_area(geometry);
  const auto width = static_cast<double>(geometry.input_width);
  const auto height = static_cast<double>(geometry.input_height);
  return {area.left * width, area.top * height, (area.right - area.left) * width,
          (area.bottom - area.top) * height};
}

}  // namespace

std::vector<Rect> seen_boxes(std::span<const Rect> boxes, const Geometry& geometry) {
  const auto width = static_cast<double>(geometry.input_width);
  const double across = width / geometry.seen.width;
  const double down = static_cast<double>(geometry.input_height) / geometry.seen.height;
  const Rect photo = shown_part(geometry);
  std::vector<Rect> out;
  for (const Rect& box : boxes) {
    Rect seen = {.x = (box.x - geometry.seen.x) * across,
                 .y = (box.y - geometry.seen.y) * down,
                 .width = box.width * across,
                 .height = box.height * down};
    if (geometry.mirrored) seen.x = width - seen.right();
    seen = intersection(seen, photo);
    if (!seen.empty()) out.push_back(seen);
  }
  return out;
}

AttentionGrid cells_of(const RegionLayout& layout, const Geometry& geometry) {
  AttentionGrid cells{.size = layout.grid,
                      .height = geometry.input_height,
                      .width = geometry.input_width,
                      .photo = shown_part(geometry)};
  if (!geometry.places) return cells;
  cells.boxes.emplace();
  for (Index i = 0; i < std::ssize(geometry.places->boxes); ++i)
    cells.boxes->push_back(cell_box(geometry, layout.grid, i));
  return cells;
}

NamedScores GroundingScores::model_scores() const { return means(model, uniform, pointing.words); }

NamedScores GroundingScores::centre_bias_scores() const {
  return means(centre_bias, uniform, pointing.words);
}

NamedScores GroundingScores::uniform_scores() const {
  return means(uniform, uniform, pointing.words);
}

NamedScores GroundingScores::corpus() const {
  NamedScores out;
  if (!has_maps) return out;
  const NamedScores own = model_scores(), middle = centre_bias_scores();
  if (!own.empty()) {
    out.push_back(own[0]);
    out.emplace_back("pointing_centre_accuracy", pointing_centre.accuracy());
    out.emplace_back("pointing_chance", pointing.mean_chance());
  }
  out.emplace_back("pointing_nouns", static_cast<double>(pointing.words));
  if (pointing_chosen.words > 0)
    out.emplace_back(kPointingChosenAccuracy, pointing_chosen.accuracy());
  for (std::size_t k = 1; k < own.size(); ++k) out.push_back(own[k]);
  for (const auto& [name, value] : middle) out.emplace_back("centre_bias_" + name, value);
  // The pointing of equal weights is pointing_chance, and their quotients are 1.
  for (const auto& [name, value] : uniform_scores())
    if (const std::string full = "uniform_" + name; find_metric(full))
      out.emplace_back(full, value);
  return out;
}

std::vector<ImageStatistics> GroundingScores::statistics(const MapSums& of) const {
  std::vector<ImageStatistics> out;
  if (!has_maps || pointing.words == 0) return out;
  for (std::size_t k = 0; k < of.size(); ++k)
    out.push_back(ratio_statistics(std::string(kMapMeasures[k]), of[k], nouns));
  out.push_back(
      ratio_statistics(std::string(kCorrectnessOverUniform), of[kCorrectness], area_shares));
  return out;
}

std::vector<ImageStatistics> GroundingScores::metrics() const { return statistics(sums); }

std::vector<CentreDifference> GroundingScores::against_centre() const {
  const std::vector<ImageStatistics> own = statistics(sums), middle = statistics(centre_sums);
  if (own.empty()) return {};
  std::vector<CentreDifference> out;
  for (const PairedDifference& one :
       paired_bootstrap(own, middle, {.replicates = kCentreReplicates}))
    out.push_back({.metric = one.metric, .difference = one.difference, .interval = one.interval});
  const std::vector<RandomisationTest> tests =
      randomisation_test(own, middle, {.replicates = kCentreReplicates});
  for (std::size_t k = 0; k < out.size(); ++k) out[k].p_value = tests[k].p_value;
  return out;
}

void GroundingScores::add(std::span<const NamedObjects> named, const DecodedCaption& decoded,
                          const Geometry& geometry) {
  // Without boxes nobody knows where regions lie, and there is nothing to judge.
  const bool placed = !geometry.places || !geometry.places->boxes.empty();
  for (const DecodedWord& word : decoded.words)
    has_maps =
        has_maps || (placed && !word.map.weights.empty() &&
                     !all_equal(judged(word.map.weights, cells_of(word.map.layout, geometry))));
  if (!placed) named = {};
  MapMeasures caption{}, centre{};
  double words = 0, area_share = 0;
  for (const NamedObjects& one : named) {
    SACCADE_CHECK(one.word < decoded.words.size(), "[grounding] word ", one.word, " of ",
                  decoded.words.size());
    const AttentionMap& noun = decoded.words[one.word].map;
    const AttentionGrid cells = cells_of(noun.layout, geometry);
    pointing.add(noun.weights, cells, one.seen, {.mask = noun.mask});
    pointing_centre.add(noun.weights, cells, one.seen, {.tolerance = 0, .mask = noun.mask});
    if (noun.chosen >= 0) {
      std::vector<float> chosen(noun.weights.size(), 0);
      SACCADE_CHECK(static_cast<std::size_t>(noun.chosen) < chosen.size(),
                    "[grounding] chose region ", noun.chosen, " of ", chosen.size());
      chosen[static_cast<std::size_t>(noun.chosen)] = 1;
      pointing_chosen.add(chosen, cells, one.seen, {.mask = noun.mask});
    }
    if (one.seen.empty()) continue;
    const BoxedWord boxed(cells, one.seen);
    add_to(caption, measure(noun.weights, cells, one.seen, boxed, {.mask = noun.mask}));
    add_to(centre, measure(centre_map(cells), cells, one.seen, boxed, {.mask = noun.mask}));
    add_to(uniform, measure_uniform(cells, one.seen, boxed, {.mask = noun.mask}));
    area_share += boxed.area_share();
    ++words;
  }
  add_to(model, caption);
  add_to(centre_bias, centre);
  nouns.push_back(words);
  area_shares.push_back(area_share);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k].push_back(caption[k]);
    centre_sums[k].push_back(centre[k]);
  }
}

GroundingScores& GroundingScores::operator+=(const GroundingScores& later) {
  pointing += later.pointing;
  pointing_centre += later.pointing_centre;
  pointing_chosen += later.pointing_chosen;
  add_to(model, later.model);
  add_to(centre_bias, later.centre_bias);
  add_to(uniform, later.uniform);
  append(nouns, later.nouns);
  append(area_shares, later.area_shares);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    append(sums[k], later.sums[k]);
    append(centre_sums[k], later.centre_sums[k]);
  }
  has_maps = has_maps || later.has_maps;
  return *this;
}

GroundingScores joined_by_image(std::span<const GroundingScores> images) {
  const auto joined = [](std::vector<double>& captions) {
    captions = {std::accumulate(captions.begin(), captions.end(), 0.0)};
  };
  GroundingScores rows;  // its captions are the images
  for (GroundingScores image : images) {
    joined(image.nouns);
    joined(image.area_shares);
    for (std::vector<double>& sums : image.sums) joined(sums);
    for (std::vector<double>& sums : image.centre_sums) joined(sums);
    rows += image;
  }
  return rows;
}

}  // namespace saccade
