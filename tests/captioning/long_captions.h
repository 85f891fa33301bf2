// Makes an untrained captioner useful in tests: its captions have words and differ between images.
#pragma once

#include "captioning/model/model.h"

namespace saccade::test {

// Multiplies the small initial weights, and makes <eos> improbable.
inline void prolong_captions(CaptionModel& model) {
  ParameterStore& store = model.parameters();
  for (Real& value : store.flat().span()) value *= 4;
  store.value(model.decoder().word_parameters().bias)[Vocabulary::kEos] = -6;
}

}  // namespace saccade::test
