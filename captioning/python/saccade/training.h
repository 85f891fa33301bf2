// Training from Python: saccade.train.
#pragma once

#include <pybind11/pybind11.h>

#include "captioning/learning/train_captioner.h"

namespace saccade::python {

// Trains a run. on_update(dict) ends it where it returns False, on_validation(update, scores) is
// told of every validation; both may be None. KeyboardInterrupt, of a signal or from one of these
// functions, also ends it after an update, so that the run can be resumed, and is thrown then;
// before the first update at the next message. Called with the interpreter's lock, which it frees.
pybind11::dict train(TrainingOptions options, const pybind11::object& on_update,
                     const pybind11::object& on_validation, const pybind11::function& tell);

}  // namespace saccade::python
