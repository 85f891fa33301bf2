// The captions of a report: those of every model and regime for its images, with words, maps and
// scores.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "captioning/study/evaluation/ground_captions.h"
#include "experiments/report/report_model.h"

namespace saccade {

// The boxes that the page shows: those of scenes, or of photos.
NounSource nouns_of(const ReportRequest& request);

// The captions, decoded by the search of each model's config.
class ReportCaptions {
 public:
  // Decodes `images` (indices into the data set of the request, in order) with every model. The
  // request must outlive this object. Throws what DatasetInputs throws.
  ReportCaptions(const ReportRequest& request, std::vector<Index> images);
  ~ReportCaptions();
  ReportCaptions(const ReportCaptions&) = delete;
  ReportCaptions& operator=(const ReportCaptions&) = delete;

  // The images that every model could read, in order.
  const std::vector<Index>& images() const;

  // The keys of model_facts(), "health": {regime: {measure: value}}, and "dead": why the attention
  // of the first regime looks dead (dead_attention.h), where it does.
  nlohmann::ordered_json model_json(std::size_t model) const;

  // The captions of a model for images()[i]: {"regimes": {name: the keys of page_caption(),
  // "scores", "verdict", "nouns": [{"word", "boxes", "hit", "centre"}]}},
  // "self_attention": what self_attention_json() returns, where it was asked for}. Keys for which a
  // model or a data set has nothing are left out.
  nlohmann::ordered_json caption_json(std::size_t model, std::size_t i) const;

  // For each model the "groups" of evaluation_json() in its first regime, over images() and, where
  // the request says so, all other texts of the split; and how many these are.
  nlohmann::ordered_json groups_json() const;
  std::size_t grouped() const;

  // What the model reads of images().
  const DatasetInputs& inputs(std::size_t model) const;

  // A sentence about maps that were left out, or empty.
  std::string left_out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
