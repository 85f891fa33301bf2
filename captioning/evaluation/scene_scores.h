// How well captions of scenes fit what is known about the scenes: their truth, and whether the
// model looked at the objects it named.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/data/scenes/caption_checker.h"
#include "captioning/metrics/grounding.h"
#include "captioning/search/search.h"
#include "captioning/statistics/image_statistics.h"
#include "vision/encoders/grid.h"
#include "vision/geometry.h"

namespace saccade {

// A noun of a caption - a shape word - whose phrase names objects of the scene.
struct NamedObjects {
  std::size_t word = 0;    // the noun's place in the caption
  std::vector<Box> boxes;  // in pixels of the scene; empty where the phrase fits nothing
  std::vector<Box> seen;   // the same in pixels of what the network saw
};

struct SceneReading {
  Verdict verdict = Verdict::kNotParsed;
  std::vector<NamedObjects> nouns;  // none where the caption was not parsed
};

// What a caption says of its scene, and where that is in a picture of this geometry.
SceneReading read_scene_caption(const Scene& scene, std::span<const std::string> words,
                                const Geometry& geometry);

// The cells that a grid has in what a network saw.
AttentionGrid cells_of(const GridShape& grid, const Geometry& geometry);

// Sums over captions. Truth: a caption is true if the checker (caption_checker.h) parses it and it
// holds of its scene. Pointing: counted for each noun of a parsed caption - a shape word - whose
// phrase names at least one object (an object of a true reading; where no reading is true, any that
// fits the phrase alone). It is a hit if the cell of the largest weight at that word
//   pointing         overlaps the box of one of these objects (tolerance of half a cell),
//   pointing_centre  has its centre in such a box (no tolerance),
//   pointing_chosen  the same as `pointing` for the cell that was taken instead (sampling).
struct SceneScores {
  Index captions = 0, parsed = 0, true_captions = 0;
  PointingTally pointing, pointing_centre, pointing_chosen;
  // Of each caption: 1 where it is true, else 0; its nouns and how many of them are hits.
  std::vector<double> truths, nouns, hits;
  bool has_maps = false;  // some map was not uniform: the model has an attention to speak of

  double true_caption_rate() const;  // 0 without captions
  double parsed_rate() const;

  // true_caption_rate, and pointing_accuracy where there are maps and nouns, caption by caption.
  std::vector<ImageStatistics> metrics() const;

  // Adds a caption: words[i] is what decoded.words[i] says. The weights are over a grid that
  // `geometry` puts on the scene's picture. Throws ShapeError when they do not fit.
  void add(const Scene& scene, std::span<const std::string> words, const DecodedCaption& decoded,
           const GridShape& grid, const Geometry& geometry);
};

}  // namespace saccade
