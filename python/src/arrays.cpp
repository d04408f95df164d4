// SPDX-License-Identifier: Apache-2.0
#include "python/src/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/string_tensor.h"
#include "python/src/buffer.h"
#include "python/src/errors.h"
#include "python/src/interpreter.h"

namespace temper::python {
namespace {

using InputArray = nb::ndarray<nb::ro, nb::c_contig>;
using Code = nb::dlpack::dtype_code;

struct ElementType {
    DType dtype;
    Code code;
    uint8_t bits;
};

constexpr std::array kElementTypes = {
    ElementType{DType::Float32, Code::Float, 32},   ElementType{DType::Float64, Code::Float, 64},
    ElementType{DType::Float16, Code::Float, 16},   ElementType{DType::Int8, Code::Int, 8},
    ElementType{DType::Int16, Code::Int, 16},       ElementType{DType::Int32, Code::Int, 32},
    ElementType{DType::Int64, Code::Int, 64},       ElementType{DType::UInt8, Code::UInt, 8},
    ElementType{DType::UInt16, Code::UInt, 16},     ElementType{DType::UInt32, Code::UInt, 32},
    ElementType{DType::UInt64, Code::UInt, 64},     ElementType{DType::Bool, Code::Bool, 8},
    ElementType{DType::BFloat16, Code::Bfloat, 16},
};

[[noreturn]] void throwUnknownElements(const std::string& name) {
    throwTypeError("The array for " + name + " has an element type that models do not have.",
                   "Convert it to a real number type, such as float32 or int64.");
}

DType dtypeOf(const nb::dlpack::dtype& type, const std::string& name) {
    for (const ElementType& known : kElementTypes) {
        const bool isSame = type.code == static_cast<uint8_t>(known.code) &&
                            type.bits == known.bits && type.lanes == 1;
        if (isSame) return known.dtype;
    }
    throwUnknownElements(name);
}

nb::dlpack::dtype numpyType(DType dtype) {
    for (const ElementType& known : kElementTypes) {
        if (known.dtype == dtype && dtype != DType::BFloat16)
            return {static_cast<uint8_t>(known.code), known.bits, 1};
    }
    throw Error(ErrorCode::Unsupported,
                "NumPy has no element type " + std::string(dtypeName(dtype)) + ".");
}

std::string typeName(nb::handle object) {
    return nb::cast<std::string>(nb::str(nb::handle(object.type()).attr("__name__")));
}

bool isNumpyArray(nb::handle object) {
    return nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray"));
}

/// Whether it is a NumPy array of texts, which no protocol for arrays carries.
bool holdsTexts(nb::handle object) {
    const nb::object type = nb::getattr(object, "dtype", nb::none());
    const nb::object kind = nb::getattr(type, "kind", nb::none());
    return nb::isinstance<nb::str>(kind) &&
           std::string("USO").find(nb::cast<std::string>(kind)) != std::string::npos;
}

Tensor textsFrom(nb::handle array, const std::string& name) {
    Shape shape;
    for (const nb::handle dim : nb::object(array.attr("shape")))
        shape.push_back(nb::cast<int64_t>(dim));
    std::vector<std::string> texts;
    for (const nb::handle item : nb::object(array.attr("ravel")().attr("tolist")())) {
        nb::object text = nb::borrow(item);
        if (nb::isinstance<nb::bytes>(item)) text = item.attr("decode")();
        if (!nb::isinstance<nb::str>(text)) {
            throwTypeError("The array for " + name + " holds " + typeName(item) +
                               "; expected texts or numbers.",
                           "Convert it to a type of texts or numbers.");
        }
        texts.push_back(nb::cast<std::string>(text));
    }
    return stringTensor(std::move(shape), std::span<const std::string>(texts));
}

/// An array of objects.
nb::object textArray(const Tensor& tensor) {
    nb::list texts;
    for (const std::string_view text : tensor.values<std::string_view>())
        texts.append(nb::str(text.data(), text.size()));
    const nb::module_ numpy = nb::module_::import_("numpy");
    nb::list shape;
    for (const int64_t dim : tensor.shape()) shape.append(dim);
    return numpy.attr("array")(texts, nb::arg("dtype") = "object")
        .attr("reshape")(nb::tuple(shape));
}

/// A contiguous copy in the byte order of this machine, by NumPy. nanobind copies only arrays of
/// libraries that it knows, and of NumPy none whose strides are no multiples of elements. None if
/// NumPy can't read the object.
nb::object rearranged(nb::handle object) {
    try {
        const char* reader = PyObject_CheckBuffer(object.ptr()) ? "asarray" : "from_dlpack";
        const nb::object array =
            isNumpyArray(object) ? nb::borrow(object)
                                 : nb::object(nb::module_::import_("numpy").attr(reader)(object));
        return array.attr("astype")(array.attr("dtype").attr("newbyteorder")("="),
                                    nb::arg("order") = "C");
    } catch (const nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        return nb::none();
    }
}

[[noreturn]] void throwNoArray(nb::handle object, const std::string& name) {
    if (isNumpyArray(object)) throwUnknownElements(name);
    throwTypeError("Expected an array for " + name + "; found " + typeName(object) + ".",
                   "Pass a NumPy array, or an object with __dlpack__ in the memory of the "
                   "processor.");
}

/// Tensors may be released by threads that do not hold the interpreter's lock.
std::shared_ptr<const void> keep(InputArray array) {
    return {new InputArray(std::move(array)), [](const void* owner) {
                const LockAcquired lock;
                delete static_cast<const InputArray*>(owner);
            }};
}

}  // namespace

Tensor tensorFrom(nb::handle object, const std::string& name) {
    if (std::optional<Tensor> tensor = tensorOfBuffer(object)) return *std::move(tensor);
    InputArray array;
    if (!nb::try_cast(object, array)) {
        if (holdsTexts(object)) return textsFrom(object, name);
        if (!nb::try_cast(rearranged(object), array)) throwNoArray(object, name);
    }
    if (array.device_type() != nb::device::cpu::value) {
        throwTypeError("The array for " + name + " is in the memory of another device.",
                       "Copy it to the memory of the processor, as x.cpu() does in PyTorch.");
    }
    const DType dtype = dtypeOf(array.dtype(), name);
    Shape shape;
    for (size_t i = 0; i < array.ndim(); ++i) shape.push_back(static_cast<int64_t>(array.shape(i)));
    void* data = const_cast<void*>(array.data());  // inputs are only read
    return Tensor::wrap(dtype, std::move(shape), keep(std::move(array)), data);
}

std::vector<Tensor> tensorsFrom(const std::vector<nb::object>& arrays,
                                const std::vector<std::string>& names) {
    if (arrays.size() != names.size()) {
        throw Error(ErrorCode::InvalidInput,
                    "The model takes " + counted(names.size(), "input") + " (" + joined(names) +
                        "); found " + std::to_string(arrays.size()) + ".",
                    "Pass one array for each.");
    }
    std::vector<Tensor> tensors;
    tensors.reserve(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
        std::optional<Tensor> shared = tensorOfBuffer(arrays[i]);  // the usual case needs no text
        tensors.push_back(shared ? *std::move(shared)
                                 : tensorFrom(arrays[i], "input '" + names[i] + "'"));
    }
    return tensors;
}

nb::object viewOf(const Tensor& tensor) {
    if (tensor.dtype() == DType::String) return textArray(tensor);
    auto kept = std::make_unique<Tensor>(tensor);
    const std::vector<size_t> shape(tensor.shape().begin(), tensor.shape().end());
    std::byte* data = kept->mutableData();
    const nb::capsule owner(kept.get(),
                            [](void* held) noexcept { delete static_cast<Tensor*>(held); });
    static_cast<void>(kept.release());
    const nb::ndarray<nb::numpy> array(data, shape.size(), shape.data(), owner, nullptr,
                                       numpyType(tensor.dtype()));
    return nb::cast(array);
}

nb::list viewsOf(const std::vector<Tensor>& tensors) {
    nb::list views;
    for (const Tensor& tensor : tensors) views.append(viewOf(tensor));
    return views;
}

}  // namespace temper::python
