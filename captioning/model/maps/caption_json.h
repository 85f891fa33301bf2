// Captions with the attention of the model that decoded them, as JSON: the one form in which the
// program writes them: in `caption --json`, beside overlays, and for the pages of `report` and
// `serve`. experiments/README.md describes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "captioning/model/maps/caption_record.h"

namespace saccade {

enum class CaptionForm {
  kFull,  // every number as it is; "attention" is a list of the grid's rows, from the top
  // For pages: "attention" is one byte per weight in base64, on the scale "packed": {"low", "high"}
  // (packed_maps.h), other numbers (those of "occlusion", too) have four decimals, nulls of words
  // and views are left out, and alternatives have no words.
  kPacked,
};

// {"image", "tokens" of a text, "caption", "words": [{"text", "logprob", "gate", "sentinel",
// "entropy" (map_entropy()), "uniform" (is_uniform()), "attention", "sampled", where there are any
// "elsewhere" (AttentionMap), "choices": the cells of DecodedWord::choices as [row, col], null for
// none, and "occlusion": the rows of DecodedWord::effects}], "grid": {"rows", "cols", "cells":
// [left, top, right, bottom]}, "geometry": {"original": [height, width], "resize", "seen": {"x",
// "y", "width", "height"}, "mirrored", "input": [height, width]}, "finished", "logprob", "regime"}.
// sampled is [row, col] of the region that hard attention took, else null; cells are those that
// show some of the picture, without the last two; seen is in pixels of the original. Where there
// are views, there is also "maps": [{"layer": 0 or "max", "head", "rollout", "attention": one map
// per word, and per word or null: "entropy", "uniform", "gate", "sentinel", "sampled", "elsewhere"
// (AttentionMap)}], and in the same way "class_token", with one map each, whose layer and head are
// null for the rollout. An ensemble has "members", and its maps are means (ensemble.h). Where
// several captions were requested there are "alternatives", the next best first: [{"caption",
// "words", "logprob"}]. Where a model did without heads (inspection/model_heads.h), there is
// "without": {"heads": their names, "whole": the caption of the whole model, where there is one}. A
// picture without a name has no "image". A caption that was given and not searched has "given":
// true.
nlohmann::ordered_json caption_json(const CaptionRecord& record, const CaptionSource& source,
                                    CaptionForm form = CaptionForm::kFull);

// JSON as one line. Paths and the texts of checkpoints may hold bytes that are not UTF-8; they are
// replaced.
std::string json_line(const nlohmann::ordered_json& json);

// An array of such objects, one per line.
std::string captions_json(std::span<const CaptionRecord> records, const CaptionSource& source);

}  // namespace saccade
