// A page of photos that one model captioned: the explorer's cards, in one file that opens without a
// network (`saccade caption --page`). It is the page of a report without a data set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "captioning/model/decoders/regime.h"
#include "captioning/model/maps/caption_record.h"
#include "experiments/report/report_model.h"
#include "vision/images/image.h"

namespace saccade {

struct PhotoPageOptions {
  Regime regime = Regime::kExpectation;  // of all captions
  bool all_maps = false;        // whether it has the maps of all layers and heads, if recorded
  bool occlusion = false;       // whether the words of captions have the effects of regions
  bool self_attention = false;  // whether it has what regions and words attend to
};

// Collects the captions of photos.
class PhotoPage {
 public:
  // `model` and what it points to must outlive the page.
  PhotoPage(const ShownModel& model, const PhotoPageOptions& options);
  ~PhotoPage();
  PhotoPage(const PhotoPage&) = delete;
  PhotoPage& operator=(const PhotoPage&) = delete;

  // Adds a photo. record.image is its path, and `input` is what the model saw of it.
  void add(const Image& picture, const InputView& input, const CaptionRecord& record);
  std::size_t photos() const;
  // Whether a photo has what regions or words attend to; never without the option.
  bool attends_to_itself() const;

  std::string html() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
