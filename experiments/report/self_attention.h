// How the regions of a picture attend to each other, and the words of a caption, for pages where
// one points at a region or a word and sees what it attends to.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "captioning/model/maps/decoded_caption.h"

namespace saccade {

class CaptionModel;
struct InputView;

// {"class_token": whether row 0 of the maps with more rows than regions is of a class token,
// "regions": [{"of": "encoder", "refinement" or "rollout", "layer", "head": a number or "mean",
// "rows", "cols", "low", "high", "weights"}], "words": [the same without "of"]}. The last L rows
// and columns of a map are of the L regions in reading order; those before are of tokens without a
// place (of a rollout, what lands on them is in column 0). The map of words has a row for each
// word; column 0 is <bos>, and column s is word s - 1. Row r is one byte per weight in base64,
// low[r] + (high[r] - low[r]) byte / 255, because some rows have their weight on one place, and
// others everywhere.
//
// null where neither the model's regions nor its words attend to each other. The picture is encoded
// once more. Maps of mixtures of regions are left out, and the heads of a layer are joined to their
// mean where they would take too much room. Words need Recording::words, and are left out where
// captions consist of pieces.
nlohmann::ordered_json self_attention_json(const CaptionModel& model, const InputView& input,
                                           const DecodedCaption& caption);

}  // namespace saccade
