#include "captioning/evaluation/scene_scores.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

namespace {

double share(Index part, Index whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Boxes in the pixels of what the network saw.
std::vector<Box> seen_boxes(const std::vector<Box>& boxes, const Geometry& geometry) {
  const double across = static_cast<double>(geometry.input_width) / geometry.seen.width;
  const double down = static_cast<double>(geometry.input_height) / geometry.seen.height;
  std::vector<Box> out;
  for (const Box& box : boxes) {
    Box seen = {.x = (box.x - geometry.seen.x) * across,
                .y = (box.y - geometry.seen.y) * down,
                .w = box.w * across,
                .h = box.h * down};
    if (geometry.mirrored) seen.x = static_cast<double>(geometry.input_width) - seen.right();
    out.push_back(seen);
  }
  return out;
}

bool is_uniform(const std::vector<float>& weights) {
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  return *least == *most;
}

}  // namespace

double SceneScores::true_caption_rate() const { return share(true_captions, captions); }
double SceneScores::parsed_rate() const { return share(parsed, captions); }

std::vector<ImageStatistics> SceneScores::metrics() const {
  std::vector<ImageStatistics> out{mean_statistics("true_caption_rate", truths)};
  if (has_maps && pointing.words > 0)
    out.push_back(ratio_statistics("pointing_accuracy", hits, nouns));
  return out;
}

SceneReading read_scene_caption(const Scene& scene, std::span<const std::string> words,
                                const Geometry& geometry) {
  const CaptionCheck check = check_caption(scene, words);
  SceneReading reading{.verdict = check.verdict, .nouns = {}};
  for (const Phrase& mention : check.mentions) {
    const std::vector<Box> boxes = boxes_of(scene, mention);
    reading.nouns.push_back(
        {.word = mention.noun, .boxes = boxes, .seen = seen_boxes(boxes, geometry)});
  }
  return reading;
}

AttentionGrid cells_of(const GridShape& grid, const Geometry& geometry) {
  return {.rows = grid.rows,
          .cols = grid.cols,
          .height = geometry.input_height,
          .width = geometry.input_width};
}

void SceneScores::add(const Scene& scene, std::span<const std::string> words,
                      const DecodedCaption& decoded, const GridShape& grid,
                      const Geometry& geometry) {
  SACCADE_CHECK(words.size() == decoded.words.size(), "[scene_scores] ", words.size(),
                " words for a caption of ", decoded.words.size());
  const SceneReading reading = read_scene_caption(scene, words, geometry);
  ++captions;
  parsed += reading.verdict == Verdict::kNotParsed ? 0 : 1;
  true_captions += reading.verdict == Verdict::kTrue ? 1 : 0;
  truths.push_back(reading.verdict == Verdict::kTrue ? 1 : 0);
  const PointingTally before = pointing;
  const AttentionGrid cells = cells_of(grid, geometry);
  for (const DecodedWord& word : decoded.words) has_maps = has_maps || !is_uniform(word.attention);
  for (const NamedObjects& named : reading.nouns) {
    const DecodedWord& noun = decoded.words[named.word];
    pointing.add(noun.attention, cells, named.seen, {.counts = decoded.counts});
    pointing_centre.add(noun.attention, cells, named.seen,
                        {.tolerance = 0, .counts = decoded.counts});
    if (noun.chosen < 0) continue;
    std::vector<float> chosen(noun.attention.size(), 0);
    SACCADE_CHECK(static_cast<std::size_t>(noun.chosen) < chosen.size(),
                  "[scene_scores] chose region ", noun.chosen, " of ", chosen.size());
    chosen[static_cast<std::size_t>(noun.chosen)] = 1;
    pointing_chosen.add(chosen, cells, named.seen, {.counts = decoded.counts});
  }
  hits.push_back(static_cast<double>(pointing.hits - before.hits));
  nouns.push_back(static_cast<double>(pointing.words - before.words));
}

}  // namespace saccade
