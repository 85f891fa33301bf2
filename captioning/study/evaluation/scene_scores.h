// How well captions of scenes fit what is known about the scenes: whether they are true, and
// whether the model attended to the objects that it named.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/data/scenes/caption_checker.h"
#include "captioning/study/evaluation/grounding_scores.h"

namespace saccade {

struct SceneReading {
  Verdict verdict = Verdict::kNotParsed;
  std::vector<NamedObjects> nouns;  // the shape words; none where the caption was not parsed
};

// What a caption states about its scene, and where that is in a picture of this geometry.
SceneReading read_scene_caption(const Scene& scene, std::span<const std::string> words,
                                const Geometry& geometry);

// Sums over captions. Truth: a caption is true if the checker (caption_checker.h) parses it and it
// holds for its scene. Grounding: of every shape word of a parsed caption whose phrase names at
// least one object (an object of a true reading; where no reading is true, any that fits the phrase
// by itself).
struct SceneScores {
  Index captions = 0, parsed = 0, true_captions = 0;
  GroundingScores grounding;
  std::vector<double> truths;  // per caption: 1 where it is true, else 0

  double true_caption_rate() const;  // 0 without captions
  double parsed_rate() const;

  // true_caption_rate and the metrics of the grounding, caption by caption.
  std::vector<ImageStatistics> metrics() const;

  // Adds a caption, where words[i] is the text of decoded.words[i]. `geometry` puts the
  // regions of the maps on the scene's picture. Throws ShapeError when they do not fit.
  void add(const Scene& scene, std::span<const std::string> words, const DecodedCaption& decoded,
           const Geometry& geometry);
};

}  // namespace saccade
