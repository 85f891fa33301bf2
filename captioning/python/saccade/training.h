// Training from Python: saccade.train.
#pragma once

#include <pybind11/pybind11.h>

#include "captioning/learning/train_captioner.h"

namespace saccade::python {

// What a training calls of Python. All but `tell` may be None.
struct TrainingCalls {
  pybind11::object on_update;      // (dict): False ends the run
  pybind11::object on_validation;  // (update, scores)
  pybind11::object reward;         // (captions, references) -> a number for each caption
  pybind11::object data;  // an iterator over (photo as given() takes it, captions, for validation)
  pybind11::function tell;
};

// Trains a run. KeyboardInterrupt, of a signal or from one of these functions, ends it after an
// update, for which the reward is asked again, so that the run can be resumed, and is thrown then;
// before the first update at the next message or example. Called with the interpreter's lock, which
// it frees.
pybind11::dict train(TrainingOptions options, const TrainingCalls& calls);

}  // namespace saccade::python
