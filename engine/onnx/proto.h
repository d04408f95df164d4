// SPDX-License-Identifier: Apache-2.0
#pragma once

// The protobuf classes of ONNX, and what reading and writing both need of them.

#include <google/protobuf/arena.h>
#include <onnx/onnx_pb.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/core/dtype.h"
#include "engine/ir/type.h"

namespace temper {

static_assert(std::endian::native == std::endian::little,
              "tensors are stored in ONNX's byte order, little endian");

/// Protobuf counts the bytes of a message with an int.
inline constexpr size_t kMaxMessageBytes = std::numeric_limits<int>::max();

/// A model as a message whose parts are in one arena: faster to make and free than each separately.
class ModelMessage {
public:
    ModelMessage();
    onnx::ModelProto& operator*() { return *model_; }
    onnx::ModelProto* operator->() { return model_; }

private:
    google::protobuf::Arena arena_;
    onnx::ModelProto* model_;
};

/// The element type with ONNX's number; `what` names the element of the message that has it.
/// Throws: Error(InvalidInput) for no type, Error(Unsupported) for a newer one.
DType readDType(int32_t number, const std::string& what);

/// Unknown (dtype Undefined) if there is no type, or one that is neither a tensor, a sequence of
/// tensors nor an optional of these.
ValueType readType(const onnx::TypeProto& proto, const std::string& what);

/// The inverse, for known types.
void writeType(const ValueType& type, onnx::TypeProto& proto);

/// "a map", "a sparse tensor", ... for kinds that readType() leaves unknown; empty for others.
std::string unsupportedKind(const onnx::TypeProto& proto);

/// "node 'relu' (Relu)", "the Relu node of 'y'", for messages.
std::string describeNode(const onnx::NodeProto& node);

}  // namespace temper
