// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tensor_json.h"

#include "engine/core/string_tensor.h"

namespace temper::cli {
namespace {

template <typename T>
Json nested(std::span<const T> values, std::span<const int64_t> shape) {
    if (shape.empty()) return values.front();
    Json list = Json::array();
    const size_t stride = shape[0] == 0 ? 0 : values.size() / static_cast<size_t>(shape[0]);
    for (int64_t i = 0; i < shape[0]; ++i) {
        list.push_back(
            nested(values.subspan(static_cast<size_t>(i) * stride, stride), shape.subspan(1)));
    }
    return list;
}

Json toJson(const Dim& dim) {
    if (dim.isNumber()) return dim.value;
    if (dim.isSymbol()) return dim.symbol;
    return nullptr;
}

}  // namespace

Json toJson(const Tensor& tensor) {
    if (tensor.dtype() == DType::Float16 || tensor.dtype() == DType::BFloat16) {
        return toJson(tensor.cast(DType::Float32));
    }
    if (tensor.dtype() == DType::String) {
        return nested(tensor.values<std::string_view>(), std::span<const int64_t>(tensor.shape()));
    }
    return visitDType(tensor.dtype(), [&]<typename T>() {
        return nested(tensor.values<T>(), std::span<const int64_t>(tensor.shape()));
    });
}

Json toJson(const std::string& name, const ValueType& type) {
    Json shape;
    if (type.shape) {
        shape = Json::array();
        for (const Dim& dim : *type.shape) shape.push_back(toJson(dim));
    }
    const std::string dtype(dtypeName(type.dtype));
    return {{"name", name},
            {"dtype", (type.isOptional ? "optional " : "") +
                          (type.isSequence ? "sequence of " + dtype : dtype)},
            {"shape", std::move(shape)}};
}

}  // namespace temper::cli
