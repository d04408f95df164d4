// SPDX-License-Identifier: Apache-2.0
#include "capi/src/ort/values.h"

#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/ort/memory.h"
#include "capi/src/ort/status.h"

namespace temper::capi::ort {

DType dtypeOf(ONNXTensorElementDataType type) {
    const auto dtype = static_cast<DType>(type);
    if (isTaken(dtype)) return dtype;
    throw Error(ErrorCode::Unsupported,
                "Tensors of the element type " + std::to_string(type) + " are not available here.");
}

std::vector<Tensor> tensorsOf(const OrtValue* const* values, size_t count) {
    if (count > 0) required(values, "inputs");
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < count; ++i) tensors.push_back(required(values[i], "input").tensor);
    return tensors;
}

namespace {

/// Throws: Error(InvalidInput) unless the output has the type and shape of the result.
void requireFit(const Tensor& output, const Tensor& result, size_t index) {
    if (output.dtype() == result.dtype() && output.shape() == result.shape()) return;
    throw Error(ErrorCode::InvalidInput,
                "Output " + std::to_string(index) + " is " +
                    std::string(dtypeName(output.dtype())) + formatShape(output.shape()) +
                    "; expected " + std::string(dtypeName(result.dtype())) +
                    formatShape(result.shape()) + ".",
                "Pass null for an output to be made.");
}

Shape shapeOf(const int64_t* dims, size_t count) {
    if (count > 0) required(dims, "shape");
    Shape shape(dims, dims + count);
    numElements(shape);  // throws for negative dimensions
    return shape;
}

OrtStatus* createTensor(OrtAllocator* allocator, const int64_t* dims, size_t rank,
                        ONNXTensorElementDataType type, OrtValue** value) {
    return guarded([&] {
        required(value, "out");
        *value = new OrtValue(tensorOf(allocator, dtypeOf(type), shapeOf(dims, rank)));
    });
}

OrtStatus* createTensorWithData(const OrtMemoryInfo* info, void* data, size_t bytes,
                                const int64_t* dims, size_t rank, ONNXTensorElementDataType type,
                                OrtValue** value) {
    return guarded([&] {
        required(info, "info");
        required(value, "out");
        const DType dtype = dtypeOf(type);
        if (dtype == DType::String) {
            throw Error(ErrorCode::InvalidInput, "A tensor of strings can't use given memory.",
                        "Make it with CreateTensorAsOrtValue, and fill it with FillStringTensor.");
        }
        Shape shape = shapeOf(dims, rank);
        const auto count = static_cast<size_t>(numElements(shape));
        if (bytes / dtypeSize(dtype) < count) {
            throw Error(ErrorCode::InvalidInput,
                        "The memory has " + std::to_string(bytes) + " bytes; expected those of " +
                            std::string(dtypeName(dtype)) + formatShape(shape) + ".");
        }
        if (data == nullptr && count > 0) throwNull("p_data");
        *value = new OrtValue(Tensor::wrap(dtype, std::move(shape), nullptr, data));
    });
}

void releaseValue(OrtValue* value) { delete value; }

OrtStatus* isTensor(const OrtValue* value, int* out) {
    return guarded([&] { set(out, required(value, "value").tensor.empty() ? 0 : 1, "out"); });
}

OrtStatus* isSparseTensor(const OrtValue* value, int* out) {
    return guarded([&] {
        required(value, "value");
        set(out, 0, "out");
    });
}

OrtStatus* getValueType(const OrtValue* value, ONNXType* type) {
    return guarded([&] {
        required(value, "value");
        set(type, ONNX_TYPE_TENSOR, "out");
    });
}

OrtStatus* getMutableData(OrtValue* value, void** data) {
    return guarded([&] {
        Tensor& tensor = required(value, "value").tensor;
        if (tensor.dtype() == DType::String) {
            throw Error(ErrorCode::Unsupported, "The data of a tensor of strings has no address.",
                        "Read it with GetStringTensorElement.");
        }
        set(data, tensor.address(), "out");
    });
}

OrtStatus* tensorAt(OrtValue* value, const int64_t* location, size_t count, void** element) {
    return guarded([&] {
        const Tensor& tensor = required(value, "value").tensor;
        if (count != tensor.shape().size() || tensor.dtype() == DType::String)
            throw Error(ErrorCode::InvalidInput, "The location does not fit the tensor.");
        if (count > 0) required(location, "location_values");
        int64_t offset = 0;
        for (size_t axis = 0; axis < count; ++axis) {
            if (location[axis] < 0 || location[axis] >= tensor.shape()[axis])
                throwIndex("location", location[axis], static_cast<size_t>(tensor.shape()[axis]));
            offset = offset * tensor.shape()[axis] + location[axis];
        }
        set(element, tensor.address() + static_cast<size_t>(offset) * dtypeSize(tensor.dtype()),
            "out");
    });
}

OrtStatus* getMemoryInfo(const OrtValue* value, const OrtMemoryInfo** info) {
    return guarded([&] {
        required(value, "value");
        set(info, &hostMemory(), "mem_info");
    });
}

}  // namespace

void writeOutputs(std::span<const Tensor> results, OrtValue** outputs) {
    if (!results.empty()) required(outputs, "outputs");
    std::vector<std::unique_ptr<OrtValue>> made(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
        if (outputs[i] == nullptr) {
            made[i] = std::make_unique<OrtValue>(results[i].clone());
        } else {
            requireFit(outputs[i]->tensor, results[i], i);
        }
    }
    for (size_t i = 0; i < results.size(); ++i) {
        if (made[i]) {
            outputs[i] = made[i].release();
        } else if (results[i].dtype() == DType::String) {
            outputs[i]->tensor = results[i].clone();
        } else {
            outputs[i]->tensor.assign(results[i]);
        }
    }
}

void addTensorFunctions(OrtApi& api) {
    api.CreateTensorAsOrtValue = createTensor;
    api.CreateTensorWithDataAsOrtValue = createTensorWithData;
    api.ReleaseValue = releaseValue;
    api.IsTensor = isTensor;
    api.HasValue = isTensor;
    api.IsSparseTensor = isSparseTensor;
    api.GetValueType = getValueType;
    api.GetTensorMutableData = getMutableData;
    api.TensorAt = tensorAt;
    api.GetTensorMemoryInfo = getMemoryInfo;
}

}  // namespace temper::capi::ort
