// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/onnx/proto.h"
#include "engine/onnx/token_stream.h"

namespace temper {

/// ONNX's textual format to protobuf: syntax only, names are not looked up.
/// Source: ONNX, docs/Syntax.md.
class TextParser {
public:
    /// `text` has to outlive the parser.
    explicit TextParser(std::string_view text) : tokens_(text) {}

    /// The whole text: an optional header, a graph, functions.
    /// Throws: Error(InvalidInput) naming line and column.
    void parseModel(onnx::ModelProto& model);

private:
    using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;
    using Attribute = onnx::AttributeProto;

    void parseHeader(onnx::ModelProto& model);
    void parseHeaderEntry(const std::string& key, onnx::ModelProto& model);
    template <typename Proto>
    void parseOpsets(Proto& proto);
    void parseMetadata(onnx::ModelProto& model);

    void parseGraph(onnx::GraphProto& graph);
    void parseInputs(onnx::GraphProto& graph);
    void parseOutputs(onnx::GraphProto& graph);
    void parseDeclarations(onnx::GraphProto& graph);
    void parseValue(const std::string& what, onnx::ValueInfoProto& value);
    bool parseInitializer(const onnx::ValueInfoProto& value, onnx::GraphProto& graph);
    template <typename Proto>
    void parseNodes(Proto& proto);
    void parseNode(onnx::NodeProto& node);
    void parseNames(std::string_view end, google::protobuf::RepeatedPtrField<std::string>& names);

    void parseAttributes(onnx::NodeProto& node);
    void parseAttribute(Attribute& attribute);
    void parseAttributeValue(Attribute& attribute);
    void parseList(Attribute& attribute);
    void parseStrings(Attribute& attribute);
    void parseNumbers(Attribute& attribute);
    void parseTensor(Attribute& attribute);
    Attribute::AttributeType parseKind();
    bool isGraphNext() const;

    void parseFunction(onnx::FunctionProto& function);
    void parseFunctionHeader(onnx::FunctionProto& function);
    void parseFunctionAttributes(onnx::FunctionProto& function);

    TokenStream tokens_;
    int depth_ = 0;
};

}  // namespace temper
