// SPDX-License-Identifier: Apache-2.0
#include "engine/core/dtype.h"

#include <array>
#include <utility>

namespace temper {
namespace {

struct DTypeInfo {
    DType dtype;
    std::string_view name;
    size_t size;
};

constexpr std::array<DTypeInfo, 29> kInfos = {{
    {DType::Undefined, "undefined", 0},
    {DType::Float32, "float32", 4},
    {DType::UInt8, "uint8", 1},
    {DType::Int8, "int8", 1},
    {DType::UInt16, "uint16", 2},
    {DType::Int16, "int16", 2},
    {DType::Int32, "int32", 4},
    {DType::Int64, "int64", 8},
    {DType::String, "string", sizeof(std::string_view)},
    {DType::Bool, "bool", 1},
    {DType::Float16, "float16", 2},
    {DType::Float64, "float64", 8},
    {DType::UInt32, "uint32", 4},
    {DType::UInt64, "uint64", 8},
    {DType::Complex64, "complex64", 8},
    {DType::Complex128, "complex128", 16},
    {DType::BFloat16, "bfloat16", 2},
    {DType::Float8E4M3FN, "float8e4m3fn", 1},
    {DType::Float8E4M3FNUZ, "float8e4m3fnuz", 1},
    {DType::Float8E5M2, "float8e5m2", 1},
    {DType::Float8E5M2FNUZ, "float8e5m2fnuz", 1},
    {DType::UInt4, "uint4", 1},
    {DType::Int4, "int4", 1},
    {DType::Float4E2M1, "float4e2m1", 1},
    {DType::Float8E8M0, "float8e8m0", 1},
    {DType::UInt2, "uint2", 1},
    {DType::Int2, "int2", 1},
    {DType::Float6E2M3, "float6e2m3", 1},
    {DType::Float6E3M2, "float6e3m2", 1},
}};

const DTypeInfo& infoOf(DType dtype) {
    const auto index = static_cast<size_t>(dtype);
    return index < kInfos.size() ? kInfos[index] : kInfos[0];
}

}  // namespace

size_t dtypeSize(DType dtype) { return infoOf(dtype).size; }

std::string_view dtypeName(DType dtype) { return infoOf(dtype).name; }

std::optional<DType> dtypeFromName(std::string_view name) {
    for (const DTypeInfo& info : kInfos) {
        if (info.name == name) return info.dtype;
    }
    return std::nullopt;
}

bool isFloating(DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16 ||
           dtype == DType::BFloat16;
}

bool isInteger(DType dtype) {
    switch (dtype) {
        case DType::UInt8:
        case DType::Int8:
        case DType::UInt16:
        case DType::Int16:
        case DType::Int32:
        case DType::Int64:
        case DType::UInt32:
        case DType::UInt64: return true;
        default: return false;
    }
}

}  // namespace temper
