// Numbers of the library as arrays of NumPy, which own them and do not copy them.
#pragma once

#include <pybind11/numpy.h>

#include <utility>
#include <vector>

#include "core/base/error.h"

namespace saccade::python {

// An array of this shape over `memory`, which keeps `owner` alive; only for reading.
template <class T, class Owner>
pybind11::array view_of(const T* memory, const std::vector<pybind11::ssize_t>& shape, Owner owner) {
  const pybind11::capsule kept(new Owner(std::move(owner)),
                               [](void* one) { delete static_cast<Owner*>(one); });
  pybind11::array_t<T> out(shape, memory, kept);
  out.attr("setflags")(pybind11::arg("write") = false);
  return out;
}

// The array that takes over the numbers.
template <class T>
pybind11::array owned(std::vector<T> numbers, const std::vector<pybind11::ssize_t>& shape) {
  pybind11::ssize_t size = 1;
  for (const pybind11::ssize_t extent : shape) size *= extent;
  SACCADE_ASSERT(size == static_cast<pybind11::ssize_t>(numbers.size()), "an array of ", size,
                 " numbers has ", numbers.size());
  auto* memory = new std::vector<T>(std::move(numbers));
  const pybind11::capsule kept(memory, [](void* one) { delete static_cast<std::vector<T>*>(one); });
  return pybind11::array_t<T>(shape, memory->data(), kept);
}

}  // namespace saccade::python
