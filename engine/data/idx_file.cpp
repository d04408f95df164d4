// SPDX-License-Identifier: Apache-2.0
#include "engine/data/idx_file.h"

#include <array>
#include <cstring>
#include <string_view>

#include "engine/data/byte_order.h"
#include "engine/data/data_file.h"

namespace temper {
namespace {

struct IdxType {
    unsigned code;
    DType dtype;
};
constexpr std::array<IdxType, 6> kTypes = {{
    {0x08, DType::UInt8},
    {0x09, DType::Int8},
    {0x0B, DType::Int16},
    {0x0C, DType::Int32},
    {0x0D, DType::Float32},
    {0x0E, DType::Float64},
}};

DType typeOf(unsigned code, const std::string& name) {
    for (const IdxType& type : kTypes) {
        if (type.code == code) return type.dtype;
    }
    throw badFile(
        name, "has IDX element type " + std::to_string(code) + "; expected 8, 9, 11, 12, 13 or 14");
}

/// How images and labels are named in the files of MNIST and its relatives.
struct Naming {
    std::string_view images;
    std::string_view labels;
};
constexpr std::array<Naming, 2> kNamings = {{
    {"images-idx3", "labels-idx1"},
    {"images.idx3", "labels.idx1"},
}};

std::optional<std::string> withReplaced(std::string text, std::string_view from,
                                        std::string_view to) {
    const size_t at = text.rfind(from);
    if (at == std::string::npos) return std::nullopt;
    return text.replace(at, from.size(), to);
}

}  // namespace

IdxHeader parseIdxHeader(std::span<const std::byte> bytes, const std::string& name) {
    if (bytes.empty()) throw badFile(name, "is empty; expected an IDX array");
    if (bytes.size() < 4 || bytes[0] != std::byte{0} || bytes[1] != std::byte{0}) {
        throw badFile(name, "does not start like an IDX array (two zero bytes, type, rank)");
    }
    IdxHeader header;
    header.dtype = typeOf(std::to_integer<unsigned>(bytes[2]), name);
    const auto rank = std::to_integer<size_t>(bytes[3]);
    if (rank == 0) throw badFile(name, "has IDX rank 0; expected at least 1");
    header.dataOffset = 4 + 4 * rank;
    if (bytes.size() < header.dataOffset) throw badFile(name, "ends inside the IDX header");
    for (size_t i = 0; i < rank; ++i)
        header.shape.push_back(static_cast<int64_t>(bigEndian(bytes.subspan(4 + 4 * i, 4))));
    return header;
}

Tensor parseIdx(std::span<const std::byte> bytes, const std::string& name) {
    const IdxHeader header = parseIdxHeader(bytes, name);
    const std::span<const std::byte> elements = bytes.subspan(header.dataOffset);
    requireElements(name, elements.size(), header.shape, header.dtype);
    Tensor tensor(header.dtype, header.shape);
    if (!elements.empty()) std::memcpy(tensor.mutableData(), elements.data(), elements.size());
    swapByteOrder({tensor.mutableData(), tensor.byteSize()}, dtypeSize(header.dtype));
    return tensor;
}

std::optional<IdxPair> idxPairOf(const std::string& path) {
    for (const Naming& naming : kNamings) {
        if (auto labels = withReplaced(path, naming.images, naming.labels))
            return {{path, *labels}};
        if (auto images = withReplaced(path, naming.labels, naming.images))
            return {{*images, path}};
    }
    return std::nullopt;
}

}  // namespace temper
