// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npy_file.h"

#include <algorithm>
#include <cstring>

#include "engine/core/file.h"
#include "engine/data/byte_order.h"
#include "engine/data/data_file.h"
#include "engine/data/half.h"
#include "engine/data/npy_header.h"

namespace temper {
namespace {

/// The bytes of the elements, after checking that the file holds exactly as many as the shape
/// requires.
std::span<const std::byte> payload(std::span<const std::byte> bytes, const NpyHeader& header,
                                   const std::string& name) {
    requireElements(name, bytes.size() - header.dataOffset, header.shape, header.dtype);
    return bytes.subspan(header.dataOffset);
}

/// Copies a column-major array to a row-major one: walks the target, stepping in the source.
void copyFromFortran(std::span<const std::byte> from, Tensor& to) {
    const Shape& shape = to.shape();
    Shape step(shape.size());
    int64_t stride = 1;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        step[axis] = stride;
        stride *= shape[axis];
    }
    const size_t size = dtypeSize(to.dtype());
    Shape index(shape.size(), 0);
    int64_t source = 0;
    for (int64_t target = 0; target < to.numElements(); ++target) {
        std::memcpy(to.mutableData() + static_cast<size_t>(target) * size,
                    from.data() + static_cast<size_t>(source) * size, size);
        for (size_t axis = shape.size(); axis-- > 0;) {
            source += step[axis];
            if (++index[axis] < shape[axis]) break;
            source -= step[axis] * shape[axis];
            index[axis] = 0;
        }
    }
}

void normalizeBoolsOf(Tensor& tensor) {
    if (tensor.dtype() == DType::Bool) normalizeBools({tensor.mutableData(), tensor.byteSize()});
}

Tensor copyNpy(std::span<const std::byte> elements, const NpyHeader& header) {
    Tensor tensor(header.dtype, header.shape);
    if (header.fortranOrder && header.shape.size() > 1) {
        copyFromFortran(elements, tensor);
    } else if (!elements.empty()) {
        std::memcpy(tensor.mutableData(), elements.data(), elements.size());
    }
    swapByteOrder({tensor.mutableData(), tensor.byteSize()}, header.swapUnit);
    normalizeBoolsOf(tensor);
    return tensor;
}

bool usableInPlace(std::span<const std::byte> elements, const NpyHeader& header) {
    const bool rowMajor = !header.fortranOrder || header.shape.size() <= 1;
    const auto address = reinterpret_cast<uintptr_t>(elements.data());
    return rowMajor && header.swapUnit == 1 && address % dtypeSize(header.dtype) == 0;
}

}  // namespace

Tensor parseNpy(std::span<const std::byte> bytes, const std::string& name) {
    const NpyHeader header = parseNpyHeader(bytes, name);
    return copyNpy(payload(bytes, header, name), header);
}

Tensor adoptNpy(std::shared_ptr<std::byte> buffer, size_t size, const std::string& name) {
    const std::span<std::byte> bytes(buffer.get(), size);
    const NpyHeader header = parseNpyHeader(bytes, name);
    const std::span<const std::byte> elements = payload(bytes, header, name);
    if (!usableInPlace(elements, header)) return copyNpy(elements, header);
    std::byte* data = buffer.get() + header.dataOffset;
    Tensor tensor = Tensor::wrap(header.dtype, header.shape, std::move(buffer), data);
    normalizeBoolsOf(tensor);
    return tensor;
}

Tensor readNpy(const std::filesystem::path& path) {
    return parseNpy(openDataFile(path.string()).bytes, path.string());
}

std::string formatNpy(const Tensor& tensor) {
    if (tensor.dtype() == DType::BFloat16) return formatNpy(widenToFloat32(tensor));
    std::string text = formatNpyHeader(tensor.dtype(), tensor.shape());
    return text.append(reinterpret_cast<const char*>(tensor.data()), tensor.byteSize());
}

void writeNpy(const std::filesystem::path& path, const Tensor& tensor) {
    writeFileAtomically(path, formatNpy(tensor));
}

}  // namespace temper
