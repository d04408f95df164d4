// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/metadata_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <string>

#include "engine/core/error.h"
#include "engine/onnx/proto.h"

namespace temper {
namespace {

using google::protobuf::Message;
using google::protobuf::UnknownField;

constexpr const char* kField = "metadata_props";

/// Source: onnx.proto of ONNX 1.16.
int numberIn(const std::string& message) {
    return message == "GraphProto" ? 16 : message == "NodeProto" ? 9 : 4;
}

void add(const onnx::StringStringEntryProto& entry, Metadata& metadata) {
    metadata[entry.key()] = entry.value();
}

void addUnread(const UnknownField& field, Metadata& metadata) {
    onnx::StringStringEntryProto entry;
    if (field.type() != UnknownField::TYPE_LENGTH_DELIMITED ||
        !entry.ParseFromString(field.length_delimited())) {
        throw Error(ErrorCode::InvalidInput, "An entry of the metadata is damaged.",
                    "Export the model again.");
    }
    add(entry, metadata);
}

}  // namespace

Metadata readMetadata(const Message& message) {
    const auto& reflection = *message.GetReflection();
    Metadata metadata;
    if (const auto* field = message.GetDescriptor()->FindFieldByName(kField)) {
        for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
            add(dynamic_cast<const onnx::StringStringEntryProto&>(
                    reflection.GetRepeatedMessage(message, field, i)),
                metadata);
        }
        return metadata;
    }
    const auto& fields = reflection.GetUnknownFields(message);
    const int number = fields.empty() ? 0 : numberIn(message.GetDescriptor()->name());
    for (int i = 0; i < fields.field_count(); ++i) {
        if (fields.field(i).number() == number) addUnread(fields.field(i), metadata);
    }
    return metadata;
}

void writeMetadata(const Metadata& metadata, Message& message) {
    const auto& reflection = *message.GetReflection();
    const auto* field = message.GetDescriptor()->FindFieldByName(kField);
    const int number = numberIn(message.GetDescriptor()->name());
    for (const auto& [key, value] : metadata) {
        onnx::StringStringEntryProto entry;
        entry.set_key(key);
        entry.set_value(value);
        if (field != nullptr) {
            reflection.AddMessage(&message, field)->CopyFrom(entry);
        } else {
            reflection.MutableUnknownFields(&message)->AddLengthDelimited(
                number, entry.SerializeAsString());
        }
    }
}

}  // namespace temper
