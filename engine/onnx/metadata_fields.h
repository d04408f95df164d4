// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include "engine/ir/metadata.h"

namespace temper {

/// `metadata_props` of a GraphProto, NodeProto or ValueInfoProto, even if the protobuf classes are
/// older than the field (IR version 10) and keep it as an unknown field. If a key is given twice,
/// the last entry counts. Throws: Error(InvalidInput) for a damaged entry.
Metadata readMetadata(const google::protobuf::Message& message);

/// Adds the entries, in the order of their keys.
void writeMetadata(const Metadata& metadata, google::protobuf::Message& message);

}  // namespace temper
