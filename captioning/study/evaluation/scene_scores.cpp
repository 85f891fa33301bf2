#include "captioning/study/evaluation/scene_scores.h"

#include "core/base/error.h"

namespace saccade {

namespace {

double share(Index part, Index whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double SceneScores::true_caption_rate() const { return share(true_captions, captions); }
double SceneScores::parsed_rate() const { return share(parsed, captions); }

std::vector<ImageStatistics> SceneScores::metrics() const {
  std::vector<ImageStatistics> out{mean_statistics("true_caption_rate", truths)};
  for (ImageStatistics& metric : grounding.metrics()) out.push_back(std::move(metric));
  return out;
}

SceneReading read_scene_caption(const Scene& scene, std::span<const std::string> words,
                                const Geometry& geometry) {
  const CaptionCheck check = check_caption(scene, words);
  SceneReading reading{.verdict = check.verdict, .nouns = {}};
  for (const Phrase& mention : check.mentions) {
    const std::vector<Rect> boxes = boxes_of(scene, mention);
    reading.nouns.push_back(
        {.word = mention.noun, .boxes = boxes, .seen = seen_boxes(boxes, geometry)});
  }
  return reading;
}

void SceneScores::add(const Scene& scene, std::span<const std::string> words,
                      const DecodedCaption& decoded, const Geometry& geometry) {
  SACCADE_CHECK(words.size() == decoded.words.size(), "[scene_scores] ", words.size(),
                " words for a caption of ", decoded.words.size());
  const SceneReading reading = read_scene_caption(scene, words, geometry);
  ++captions;
  parsed += reading.verdict == Verdict::kNotParsed ? 0 : 1;
  true_captions += reading.verdict == Verdict::kTrue ? 1 : 0;
  truths.push_back(reading.verdict == Verdict::kTrue ? 1 : 0);
  grounding.add(reading.nouns, decoded, geometry);
}

}  // namespace saccade
