// The JSON that the explorer of a page reads about a model, its captions and a photo, which comes
// from a data set (report_captions.h) or from a visitor (experiments/serve).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "captioning/input_batch.h"
#include "captioning/search/search.h"
#include "experiments/report/report_model.h"

namespace saccade {

// Rounds to the four digits that a page shows.
double rounded(double value);

// A rectangle of the photo: [x, y, width, height] as shares of it.
nlohmann::ordered_json rectangle_json(const Rect& rectangle, const Geometry& geometry);
// Where a model's grid lies on a photo: "seen", the rectangle that it covers, and "cells", those
// that show some of the photo: [left, top, right, bottom), the others being padding.
nlohmann::ordered_json grid_json(const Geometry& geometry, const GridShape& grid);

// How many maps a word has, where a model has those of its layers and heads.
struct ViewCount {
  Index layers = 1, heads = 1;

  bool several() const { return layers * heads > 1; }
};
ViewCount view_count(const LoadedModel& loaded);

// The search of a model's config, which also keeps the captions of a beam that a page lists.
SearchOptions page_search(const LoadedModel& loaded);

// {"name", "checkpoint", "update", "parameters", "attention", "gate", "sentinel", "selection",
// "rows", "cols", "layers", "heads", "regimes": the model's own one first}
nlohmann::ordered_json model_facts(const ReportModel& model);

// {"words", "p", "gate", "sentinel", "chosen", "layers", "heads", "low", "high", "maps"
// (packed_maps.h), "entropy", "finished", "logprob", "others": [[caption, log p]]}. What a model
// does not have is left out. Maps are those of single layers and heads where `input`, the input of
// the model, is given and the model has several; else the mean over heads of the last layer.
nlohmann::ordered_json decoded_json(const LoadedModel& loaded, const DecodedCaption& caption,
                                    const InputView* input);

// {"width", "height", "photo": a JPEG as a data URI, no side longer than `longest` pixels}
nlohmann::ordered_json photo_json(const Image& picture, Index longest);

// The colours of heat from 0 to full: base64 of red, green, blue of 256 steps.
std::string colours_text();

}  // namespace saccade
