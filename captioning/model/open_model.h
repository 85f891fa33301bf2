// A model that is open: what captions pictures or texts, and what reads them for it. A checkpoint
// gives one by open_model() (learning/runs/open_model.h).
#pragma once

#include <memory>
#include <string>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"

namespace saccade {

struct OpenModel {
  std::string name{};                               // for messages and pages
  std::shared_ptr<const CaptionModel> model{};      // with its vocabulary
  std::shared_ptr<const InputPipeline> pipeline{};  // null where nothing is read for it

  // Of one input: of what its pipeline gives.
  Shape input_shape() const { return pipeline ? pipeline->shape() : model->input_shape(); }
};

// The model for features that its own encoder gave (encoder_features.h) in place of pictures; a
// model of features that another program computed stays as it is. Throws UsageError where the
// encoder reads texts, or has regions without a place.
OpenModel of_features(OpenModel model, const EncoderConfig& encoder);

// What somebody else owns, and keeps for as long as it is used here.
template <class T>
std::shared_ptr<const T> borrowed(const T& owned) {
  return {std::shared_ptr<void>(), &owned};
}

}  // namespace saccade
