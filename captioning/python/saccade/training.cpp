#include "captioning/python/saccade/training.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>

#include "captioning/python/errors.h"

namespace saccade::python {

namespace py = pybind11;

namespace {

py::dict update_dict(const TrainingUpdate& update) {
  py::dict out;
  out["update"] = update.update;
  out["epoch"] = update.epoch;
  out["loss"] = update.loss;
  out["nll_per_word"] = update.nll_per_word;
  out["gradient_norm"] = update.gradient_norm;
  out["learning_rate"] = update.learning_rate;
  out["seconds"] = update.seconds;
  out["done"] = update.done;
  return out;
}

}  // namespace

py::dict train(TrainingOptions options, const py::object& on_update,
               const py::object& on_validation, const py::function& tell) {
  std::unique_ptr<py::error_already_set> signal;  // that ends the run after an update
  bool begun = false;
  // Calls a function of Python. A signal may arrive while it runs.
  const auto call = [&](auto&& function) {
    try {
      check_signals();
      function();
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      signal = std::make_unique<py::error_already_set>(error);
    }
  };
  options.on_update = [&](const TrainingUpdate& update) {
    const py::gil_scoped_acquire locked;
    begun = true;
    bool go_on = true;
    call([&] {
      if (!on_update.is_none()) go_on = !on_update(update_dict(update)).is(py::bool_(false));
    });
    return go_on && !signal;
  };
  options.on_validation = [&](Index update, const Scoreboard& scores) {
    const py::gil_scoped_acquire locked;
    call([&] {
      if (!on_validation.is_none()) on_validation(update, scores);
    });
  };
  options.listener = [&, hand_on = listener_of(tell)](Severity severity, const std::string& text) {
    if (!begun) check_signals();
    hand_on(severity, text);
  };
  TrainedCaptioner trained;
  {
    const py::gil_scoped_release unlocked;
    trained = train_captioner(options);
  }
  if (signal) throw py::error_already_set(*signal);
  py::dict out;
  out["updates"] = trained.updates;
  out["stopped"] = trained.stopped;
  out["best"] = trained.best;
  out["last"] = trained.last.string();
  out["checkpoint"] = trained.checkpoint.string();
  return out;
}

}  // namespace saccade::python
