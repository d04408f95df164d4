// SPDX-License-Identifier: Apache-2.0
// Types and shapes of tensors.
#include <algorithm>

#include "capi/src/arguments.h"
#include "capi/src/ort/status.h"
#include "capi/src/ort/values.h"

namespace temper::capi::ort {

OrtTensorTypeAndShapeInfo infoOf(const Tensor& tensor) {
    return {static_cast<ONNXTensorElementDataType>(tensor.dtype()), tensor.shape(),
            std::vector<std::string>(tensor.shape().size())};
}

namespace {

using Info = OrtTensorTypeAndShapeInfo;

OrtStatus* createInfo(Info** info) {
    return guarded([&] { set(info, new Info, "out"); });
}

void releaseInfo(Info* info) { delete info; }

OrtStatus* setElementType(Info* info, ONNXTensorElementDataType type) {
    return guarded([&] { required(info, "info").type = type; });
}

OrtStatus* setDimensions(Info* info, const int64_t* dims, size_t count) {
    return guarded([&] {
        Info& target = required(info, "info");
        if (count > 0) required(dims, "dim_values");
        target.dims.assign(dims, dims + count);
        target.symbols.assign(count, "");
    });
}

OrtStatus* getElementType(const Info* info, ONNXTensorElementDataType* type) {
    return guarded([&] { set(type, required(info, "info").type, "out"); });
}

OrtStatus* getRank(const Info* info, size_t* rank) {
    return guarded([&] { set(rank, required(info, "info").dims.size(), "out"); });
}

OrtStatus* getDimensions(const Info* info, int64_t* dims, size_t room) {
    return guarded([&] {
        const Info& source = required(info, "info");
        const size_t count = std::min(room, source.dims.size());
        if (count > 0) required(dims, "dim_values");
        std::copy_n(source.dims.begin(), count, dims);
    });
}

OrtStatus* getSymbols(const Info* info, const char** symbols, size_t room) {
    return guarded([&] {
        const Info& source = required(info, "info");
        const size_t count = std::min(room, source.symbols.size());
        if (count > 0) required(symbols, "dim_params");
        for (size_t i = 0; i < count; ++i) symbols[i] = source.symbols[i].c_str();
    });
}

OrtStatus* getElementCount(const Info* info, size_t* count) {
    return guarded(
        [&] { set(count, static_cast<size_t>(numElements(required(info, "info").dims)), "out"); });
}

OrtStatus* getTypeAndShape(const OrtValue* value, Info** info) {
    return guarded([&] {
        const Tensor& tensor = required(value, "value").tensor;
        set(info, new Info(infoOf(tensor)), "out");
    });
}

OrtStatus* getTypeInfo(const OrtValue* value, OrtTypeInfo** info) {
    return guarded([&] {
        const Tensor& tensor = required(value, "value").tensor;
        set(info, new OrtTypeInfo{infoOf(tensor)}, "out");
    });
}

void releaseTypeInfo(OrtTypeInfo* info) { delete info; }

OrtStatus* castToTensor(const OrtTypeInfo* info, const Info** tensor) {
    return guarded([&] { set(tensor, &required(info, "type_info").tensor, "out"); });
}

OrtStatus* getType(const OrtTypeInfo* info, ONNXType* type) {
    return guarded([&] {
        required(info, "type_info");
        set(type, ONNX_TYPE_TENSOR, "out");
    });
}

}  // namespace

void addTypeFunctions(OrtApi& api) {
    api.CreateTensorTypeAndShapeInfo = createInfo;
    api.ReleaseTensorTypeAndShapeInfo = releaseInfo;
    api.SetTensorElementType = setElementType;
    api.SetDimensions = setDimensions;
    api.GetTensorElementType = getElementType;
    api.GetDimensionsCount = getRank;
    api.GetDimensions = getDimensions;
    api.GetSymbolicDimensions = getSymbols;
    api.GetTensorShapeElementCount = getElementCount;
    api.GetTensorTypeAndShape = getTypeAndShape;
    api.GetTypeInfo = getTypeInfo;
    api.ReleaseTypeInfo = releaseTypeInfo;
    api.CastTypeInfoToTensorInfo = castToTensor;
    api.GetOnnxTypeFromTypeInfo = getType;
}

}  // namespace temper::capi::ort
