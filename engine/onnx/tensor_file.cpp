// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_file.h"

#include <onnx/onnx-data_pb.h>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/proto.h"
#include "engine/onnx/tensor_reader.h"

namespace temper {
namespace {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

template <typename Proto>
Proto parsed(const std::filesystem::path& path, const std::string& what) {
    Proto proto;
    if (proto.ParseFromString(readFile(path))) return proto;
    throw Error(ErrorCode::InvalidInput, what + " is not a serialized " + proto.GetTypeName() + ".",
                "Expected a file such as 'input_0.pb' of an ONNX backend test.");
}

Tensor tensorOf(onnx::TensorProto& proto, const std::string& what) {
    ExternalData noExternalData{std::filesystem::path()};
    return readTensor(proto, noExternalData, what);
}

ValueData sequenceOf(onnx::SequenceProto& proto, const std::string& what) {
    std::vector<Tensor> tensors;
    for (onnx::TensorProto& tensor : *proto.mutable_tensor_values())
        tensors.push_back(tensorOf(tensor, what));
    return ValueData::sequence(std::move(tensors));
}

}  // namespace

Tensor readTensorFile(const std::filesystem::path& path) {
    const std::string what = "Tensor " + quoted(path);
    auto proto = parsed<onnx::TensorProto>(path, what);
    return tensorOf(proto, what);
}

ValueData readValueFile(const std::filesystem::path& path, const ValueType& type) {
    if (type.isTensor()) return readTensorFile(path);
    if (!type.isOptional) {
        const std::string what = "Sequence " + quoted(path);
        auto proto = parsed<onnx::SequenceProto>(path, what);
        return sequenceOf(proto, what);
    }
    const std::string what = "Optional " + quoted(path);
    auto proto = parsed<onnx::OptionalProto>(path, what);
    if (proto.has_tensor_value()) return tensorOf(*proto.mutable_tensor_value(), what);
    if (proto.has_sequence_value()) return sequenceOf(*proto.mutable_sequence_value(), what);
    return {};
}

}  // namespace temper
