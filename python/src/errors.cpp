// SPDX-License-Identifier: Apache-2.0
#include "python/src/errors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "engine/core/interruption.h"

namespace temper::python {
namespace {

const char* codeName(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidInput: return "invalid_input";
        case ErrorCode::NotFound: return "not_found";
        case ErrorCode::Unsupported: return "unsupported";
        case ErrorCode::Io: return "io";
        case ErrorCode::Numeric: return "numeric";
        case ErrorCode::State: return "state";
        case ErrorCode::Internal: return "internal";
    }
    return "internal";
}

/// The Python classes of errors. They are imported only now, so that the module can be loaded
/// without its package.
nb::module_ errorClasses() { return nb::module_::import_("temper._errors"); }

void setError(const nb::object& error) { PyErr_SetObject(error.type().ptr(), error.ptr()); }

/// An error may quote single bytes of a damaged file.
nb::object textOf(std::string_view text) {
    PyObject* decoded =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    if (decoded == nullptr) throw nb::python_error();
    return nb::steal(decoded);
}

void setError(const Error& error) {
    try {
        setError(errorClasses().attr("from_engine")(codeName(error.code()), textOf(error.what()),
                                                    textOf(error.hint())));
    } catch (nb::python_error& another) {
        another.restore();
    }
}

void translate(const std::exception_ptr& exception, void*) {
    try {
        std::rethrow_exception(exception);
    } catch (const Interrupted&) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const Error& error) {
        setError(error);
    }
}

}  // namespace

void throwTypeError(const std::string& message, const std::string& hint) {
    setError(errorClasses().attr("ArgumentTypeError")(message, hint));
    throw nb::python_error();
}

void throwFindings(const std::vector<Finding>& findings) {
    setError(errorClasses().attr("ArtifactsError")(findings));
    throw nb::python_error();
}

void bindErrors(nb::module_& /*module*/) { nb::register_exception_translator(translate); }

}  // namespace temper::python
