// The words near a word, stage by stage, as text and as JSON, for `saccade inspect --word` and the
// section of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "captioning/study/inspection/word_neighbours.h"

namespace saccade {

// The neighbours in each caption, stage by stage.
std::string neighbours_text(const WordNeighbours& words);

// {"word", "captions", "tokens", "stages": [{"name", "between", "neighbours": for each caption (in
// the embedding: once) [{"word", "cosine", "caption"}]}]}; between is null where there is one
// caption, and in the embedding.
nlohmann::ordered_json neighbours_json(const WordNeighbours& words);

}  // namespace saccade
