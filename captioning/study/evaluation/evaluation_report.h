// An evaluation as JSON, and as the file of results that other scorers read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/study/evaluation/evaluate.h"

namespace saccade {

// {"schema_version": 1, "dataset", "split" (train, val, test or all), "n_images", "left_out",
// "search": {"mode", "beam", "max_length", "length_normalization", "temperature", "seed"; "groups"
// and "diversity" of diverse beam search}, "regimes": [{"name", "corpus": {"Bleu_1": ...};
// "by_length" of texts, from the shortest on: [{"tokens", "texts", "exact_match",
// "token_accuracy"}]; "intervals" of a full report: {metric: {"low", "high"}}, the 95 % bootstrap
// intervals of the headline metrics over the images; "sets" of joined data: [{"name", "n_images",
// "corpus", "intervals", "marks", "ground_truth_words"}], each set scored by itself}]}. An ensemble
// has "members", its checkpoints.
// A regime of a full report has "groups", where its images differ (score_groups.h): [{"by":
// "length", "objects" or "rare_words", "text": what the values are, "least_images": how many every
// group has at least, "groups" (none where no two are so large): [{"name", "low",
// "high", "mean": of the values of its images, "images": how many, "scores": {metric: {"score",
// "low", "high": the bootstrap
// interval}}}]}]. A full report has "perplexity" (null without a reference word) and
// "unknown_share" (perplexity.h) and, for a model with attention, "attention_health": {"regime",
// "words", "entropy", ... (attention_health.h), "dead": why the attention looks dead,
// or null (dead_attention.h), "need": "needed", "needless", "cannot tell" or null, "ablations":
// {"uniform": {"CIDEr", "Bleu_4", "true_caption_rate" where known}, "shuffled"}, "losses":
// {"uniform": {"metric", "loss", "low", "high"}, "shuffled"}}, with ablations and losses unless
// they were left out. Where the request has them, there are "samples":
// {"per_image", "regime", "temperature", "seed", "corpus": {"Div_1": ...}}
// (sample_scores.h) and "baselines": {"nearest": {"Bleu_1": ...}, "consensus", "human"}
// (baselines.h). Where there are boxes, there is "grounding": {"boxes": where they come from,
// "images": how many have some, "rules": {"pointing_tolerance", "loc_threshold", "loc_iou",
// "point_pixels" of a picture of "point_picture_side", "centre_sigma"}, "generated_words":
// [{"regime", "nouns", "without_boxes", "model": {...}, "centre_bias": {...}, "uniform": {...}}],
// "ground_truth_words": the same, "intervals" of its headlines as those of a regime, "captions" and
// "corpus", the scores that `compare` calls references_*} (grounding_scores.h). Where heads were
// removed, there is "without": {"heads": their names, "whole": the scores of the whole model}. Keys
// may be added, but are never renamed.
std::string evaluation_json(const EvaluationReport& report);

// The "groups" of a regime.
nlohmann::ordered_json groups_json(const std::vector<ScoreGrouping>& groupings);

// The captions of one regime in the COCO results format: [{"image_id", "caption"}]. Where the files
// of the data set do not number their images, "image" beside them names each. `part` is one of
// EvaluationReport::parts, whose images are called as in the files of that set; null: all images.
std::string coco_results(const EvaluationReport& report, const RegimeReport& regime,
                         const DatasetPart* part = nullptr);

}  // namespace saccade
