#include "captioning/python/saccade/training.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <tuple>

#include "captioning/python/errors.h"
#include "captioning/python/saccade/opened.h"

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

// What a reward of Python returned: a list, or an array of NumPy or another library.
std::vector<double> numbers(const py::object& returned) {
  const auto array =
      py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(returned);
  if (!array || array.ndim() != 1) {
    PyErr_Clear();
    throw UsageError(str("reward: the function returns ",
                         std::string(py::str(py::type::of(returned))),
                         "; return a list or an array with one number for each caption"));
  }
  return {array.data(), array.data() + array.size()};
}

// The next example of an iterator of Python.
std::optional<TrainingExample> next_example(const py::object& iterator,
                                            const MessageListener& listener) {
  const py::gil_scoped_acquire locked;
  check_signals();
  const auto item = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()));
  if (!item) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return {};
  }
  auto [photo, captions, validation] =
      item.cast<std::tuple<py::object, std::vector<std::string>, bool>>();
  const Given one = given(photo);
  const py::gil_scoped_release unlocked;
  return TrainingExample{.picture = picture_of(one, listener),
                         .captions = std::move(captions),
                         .validation = validation};
}

// Calls functions of Python. A signal, which may arrive while they run, is kept for the end of an
// update.
class Caller {
 public:
  const std::unique_ptr<py::error_already_set>& signal() const { return signal_; }

  // Returns whether the function ran to its end.
  template <class Function>
  bool call(Function&& function) {
    try {
      check_signals();
      function();
      return true;
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      signal_ = std::make_unique<py::error_already_set>(error);
      return false;
    }
  }

 private:
  std::unique_ptr<py::error_already_set> signal_;
};

}  // namespace

py::dict train(TrainingOptions options, const TrainingCalls& calls) {
  Caller caller;
  bool begun = false;
  options.on_update = [&](const TrainingUpdate& update) {
    const py::gil_scoped_acquire locked;
    begun = true;
    bool go_on = true;
    caller.call([&] {
      if (!calls.on_update.is_none())
        go_on = !calls.on_update(update_dict(update)).is(py::bool_(false));
    });
    return go_on && !caller.signal();
  };
  options.on_validation = [&](Index update, const Scoreboard& scores) {
    const py::gil_scoped_acquire locked;
    caller.call([&] {
      if (!calls.on_validation.is_none()) calls.on_validation(update, scores);
    });
  };
  options.listener = [&, hand_on = listener_of(calls.tell)](Severity severity,
                                                            const std::string& text) {
    if (!begun) check_signals();
    hand_on(severity, text);
  };
  if (!calls.reward.is_none())
    options.reward = [&](const std::vector<std::string>& captions,
                         const std::vector<std::vector<std::string>>& references) {
      const py::gil_scoped_acquire locked;
      std::vector<double> out;
      const auto ask = [&] { out = numbers(calls.reward(captions, references)); };
      if (!caller.call(ask)) ask();
      return out;
    };
  if (!calls.data.is_none())
    options.data = [&] { return next_example(calls.data, options.listener); };
  TrainedCaptioner trained;
  {
    const py::gil_scoped_release unlocked;
    trained = train_captioner(options);
  }
  if (caller.signal()) throw py::error_already_set(*caller.signal());
  py::dict out;
  out["updates"] = trained.updates;
  out["stopped"] = trained.stopped;
  out["best"] = trained.best;
  out["last"] = trained.last.string();
  out["checkpoint"] = trained.checkpoint.string();
  return out;
}

}  // namespace saccade::python
