// The errors of saccade as exceptions of Python, and what modules do while the interpreter's lock
// is free.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>

#include "core/base/error.h"
#include "core/base/messages.h"

namespace saccade::python {

// The name of the exception for an error.
inline const char* exception_name(const Error& error) {
  switch (error.code()) {
    case ExitCode::kUsage:
      return "UsageError";
    case ExitCode::kData:
      return "DataError";
    case ExitCode::kCheckpoint:
      return "CheckpointError";
    case ExitCode::kIo:
      return "IoError";
    case ExitCode::kDiverged:
      return "DivergedError";
    case ExitCode::kBusy:
      return "BusyError";
    default:
      break;
  }
  if (dynamic_cast<const ShapeError*>(&error)) return "ShapeError";
  return dynamic_cast<const InternalError*>(&error) ? "InternalError" : "Error";
}

// Sets the exception of this name in the module of Python, or else its `Error`.
inline void set_exception(const Error& error, const char* module) {
  const pybind11::object classes = pybind11::module_::import(module);
  const char* name = exception_name(error);
  const pybind11::object type =
      pybind11::getattr(classes, name, static_cast<pybind11::object>(classes.attr("Error")));
  PyErr_SetString(type.ptr(), error.what());
}

// Throws the exception of a signal that arrived (KeyboardInterrupt). Only the main thread gets
// signals; elsewhere it does nothing. The lock may be free.
inline void check_signals() {
  const pybind11::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

// Hands messages to tell(warning, text). It may be copied and destroyed while the lock is free.
inline MessageListener listener_of(const pybind11::function& tell) {
  const std::shared_ptr<pybind11::function> kept(new pybind11::function(tell),
                                                 [](pybind11::function* function) {
                                                   const pybind11::gil_scoped_acquire locked;
                                                   delete function;
                                                 });
  return [kept](Severity severity, const std::string& text) {
    const pybind11::gil_scoped_acquire locked;
    (*kept)(severity == Severity::kWarning, text);
  };
}

}  // namespace saccade::python
