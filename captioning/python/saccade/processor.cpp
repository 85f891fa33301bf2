// The Python module saccade._processor, which is imported before all others and compiled for any
// processor, with nothing but the interface of C.
#include <Python.h>

#include "core/base/processor_check.h"

namespace {

PyObject* missing(PyObject*, PyObject*) {
  return PyUnicode_FromString(saccade::missing_instructions());
}

PyMethodDef methods[] = {
    {"missing", missing, METH_NOARGS, "The instructions that the processor lacks, as a text."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module{
    PyModuleDef_HEAD_INIT, "_processor", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__processor() { return PyModule_Create(&module); }
