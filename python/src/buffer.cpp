// SPDX-License-Identifier: Apache-2.0
#include "python/src/buffer.h"

#include <bit>
#include <memory>
#include <string_view>

#include "python/src/interpreter.h"

namespace temper::python {
namespace {

/// `format` is in the notation of Python's module struct. How many bytes an integer's letter stands
/// for depends on the platform, so that `bytes` decides.
std::optional<DType> elementType(std::string_view format, Py_ssize_t bytes) {
    constexpr bool isLittle = std::endian::native == std::endian::little;
    const std::string_view own = isLittle ? "@=<" : "@=>!";
    if (!format.empty() && own.find(format[0]) != std::string_view::npos) format.remove_prefix(1);
    if (format.size() != 1) return std::nullopt;
    const auto isOf = [&](std::string_view letters) {
        return letters.find(format[0]) != std::string_view::npos;
    };
    const auto ofSize = [&](DType one, DType two, DType four, DType eight) {
        return bytes == 1 ? one : bytes == 2 ? two : bytes == 4 ? four : eight;
    };
    if (format == "f") return DType::Float32;
    if (format == "d") return DType::Float64;
    if (format == "e") return DType::Float16;
    if (format == "?") return DType::Bool;
    if (isOf("bhilqn")) return ofSize(DType::Int8, DType::Int16, DType::Int32, DType::Int64);
    if (isOf("BHILQN")) return ofSize(DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64);
    return std::nullopt;
}

/// Tensors may be released by threads that do not hold the interpreter's lock.
struct Release {
    void operator()(Py_buffer* buffer) const {
        const LockAcquired lock;
        PyBuffer_Release(buffer);  // does nothing if there is no object
        delete buffer;
    }
};

}  // namespace

std::optional<Tensor> tensorOfBuffer(nb::handle object) {
    if (!PyObject_CheckBuffer(object.ptr())) return std::nullopt;
    std::unique_ptr<Py_buffer, Release> buffer(new Py_buffer());
    if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
        PyErr_Clear();
        return std::nullopt;
    }
    const std::optional<DType> dtype =
        elementType(buffer->format == nullptr ? "B" : buffer->format, buffer->itemsize);
    if (!dtype) return std::nullopt;
    Shape shape(buffer->shape, buffer->shape + buffer->ndim);
    void* data = buffer->buf;
    return Tensor::wrap(*dtype, std::move(shape), std::shared_ptr<const void>(std::move(buffer)),
                        data);
}

}  // namespace temper::python
