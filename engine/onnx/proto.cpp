// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/proto.h"

#include "engine/core/error.h"

namespace temper {
namespace {

/// The last element type of IR version 14.
constexpr auto kLastType = static_cast<int32_t>(DType::Float6E3M2);

Dim readDim(const onnx::TensorShapeProto::Dimension& dim, const std::string& what) {
    if (dim.has_dim_param() && !dim.dim_param().empty()) return Dim::named(dim.dim_param());
    if (!dim.has_dim_value()) return Dim::unknown();
    // Some exporters write -1 for an unknown dimension.
    if (dim.dim_value() == -1) return Dim::unknown();
    if (dim.dim_value() < 0) {
        throw Error(ErrorCode::InvalidInput, what + " has a dimension of " +
                                                 std::to_string(dim.dim_value()) +
                                                 "; expected a number of at least 0.");
    }
    return Dim::of(dim.dim_value());
}

ValueType readTensorType(const onnx::TypeProto::Tensor& proto, const std::string& what) {
    if (proto.elem_type() == 0) return {};
    ValueType type{readDType(proto.elem_type(), what), std::nullopt, false};
    if (!proto.has_shape()) return type;
    SymbolicShape shape;
    for (const auto& dim : proto.shape().dim()) shape.push_back(readDim(dim, what));
    type.shape = std::move(shape);
    return type;
}

void writeTensorType(const ValueType& type, onnx::TypeProto::Tensor& proto) {
    proto.set_elem_type(static_cast<int32_t>(type.dtype));
    if (!type.shape) return;
    onnx::TensorShapeProto& shape = *proto.mutable_shape();
    for (const Dim& dim : *type.shape) {
        auto& made = *shape.add_dim();
        if (dim.isNumber()) made.set_dim_value(dim.value);
        if (dim.isSymbol()) made.set_dim_param(dim.symbol);
    }
}

google::protobuf::ArenaOptions optionsOfArenas() {
    google::protobuf::ArenaOptions options;
    options.max_block_size = size_t{1} << 20;
    return options;
}

}  // namespace

ModelMessage::ModelMessage()
    : arena_(optionsOfArenas()),
      model_(google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena_)) {}

DType readDType(int32_t number, const std::string& what) {
    if (number > kLastType) {
        throw Error(ErrorCode::Unsupported,
                    what + " has the element type number " + std::to_string(number) +
                        ", which Temper does not know.",
                    "Export the model with float32 weights.");
    }
    if (number <= 0) throw Error(ErrorCode::InvalidInput, what + " has no element type.");
    return static_cast<DType>(number);
}

ValueType readType(const onnx::TypeProto& proto, const std::string& what) {
    const bool isOptional = proto.has_optional_type();
    const onnx::TypeProto& content = isOptional ? proto.optional_type().elem_type() : proto;
    const bool isSequence = content.has_sequence_type();
    const onnx::TypeProto& tensor = isSequence ? content.sequence_type().elem_type() : content;
    if (!tensor.has_tensor_type()) return {};
    ValueType type = readTensorType(tensor.tensor_type(), what);
    type.isSequence = isSequence && type.isKnown();
    type.isOptional = isOptional && type.isKnown();
    return type;
}

void writeType(const ValueType& type, onnx::TypeProto& proto) {
    onnx::TypeProto* inner = &proto;
    if (type.isOptional) inner = inner->mutable_optional_type()->mutable_elem_type();
    if (type.isSequence) inner = inner->mutable_sequence_type()->mutable_elem_type();
    writeTensorType(type, *inner->mutable_tensor_type());
}

std::string describeNode(const onnx::NodeProto& node) {
    if (!node.name().empty()) return "node '" + node.name() + "' (" + node.op_type() + ")";
    for (const std::string& output : node.output()) {
        if (!output.empty()) return "the " + node.op_type() + " node of '" + output + "'";
    }
    return "an unnamed " + node.op_type() + " node";
}

std::string unsupportedKind(const onnx::TypeProto& proto) {
    switch (proto.value_case()) {
        case onnx::TypeProto::kMapType: return "a map";
        case onnx::TypeProto::kOptionalType:
            return unsupportedKind(proto.optional_type().elem_type());
        case onnx::TypeProto::kSparseTensorType: return "a sparse tensor";
        case onnx::TypeProto::kOpaqueType: return "an opaque type";
        case onnx::TypeProto::kSequenceType:
            return proto.sequence_type().elem_type().has_tensor_type()
                       ? ""
                       : "a sequence of something other than tensors";
        default: return "";
    }
}

}  // namespace temper
