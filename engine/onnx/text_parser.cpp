// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/text_parser.h"

#include <array>
#include <utility>

#include "engine/onnx/text_types.h"

namespace temper {
namespace {

/// Nesting depth of bodies; real models have three.
constexpr int kMaxDepth = 64;

using Type = onnx::AttributeProto;

constexpr std::array<std::pair<std::string_view, Type::AttributeType>, 9> kKinds = {{
    {"float", Type::FLOAT},
    {"floats", Type::FLOATS},
    {"graph", Type::GRAPH},
    {"int", Type::INT},
    {"ints", Type::INTS},
    {"string", Type::STRING},
    {"strings", Type::STRINGS},
    {"tensor", Type::TENSOR},
    {"type_proto", Type::TYPE_PROTO},
}};

}  // namespace

void TextParser::parseModel(onnx::ModelProto& model) {
    if (tokens_.isSymbol("<")) parseHeader(model);
    parseGraph(*model.mutable_graph());
    while (!tokens_.atEnd()) parseFunction(*model.add_functions());
}

// Header

void TextParser::parseHeader(onnx::ModelProto& model) {
    tokens_.expect("<");
    if (tokens_.accept(">")) return;
    do {
        const std::string key = tokens_.expectName("a field of the header");
        tokens_.expect(":");
        parseHeaderEntry(key, model);
    } while (tokens_.accept(","));
    tokens_.expect(">");
}

void TextParser::parseHeaderEntry(const std::string& key, onnx::ModelProto& model) {
    if (key == "ir_version") return model.set_ir_version(tokens_.expectInteger("a version"));
    if (key == "opset_import") return parseOpsets(model);
    if (key == "producer_name") return model.set_producer_name(tokens_.expectString("a string"));
    if (key == "producer_version") {
        return model.set_producer_version(tokens_.expectString("a string"));
    }
    if (key == "domain") return model.set_domain(tokens_.expectString("a string"));
    if (key == "model_version") return model.set_model_version(tokens_.expectInteger("a version"));
    if (key == "doc_string") return model.set_doc_string(tokens_.expectString("a string"));
    if (key == "metadata_props") return parseMetadata(model);
    tokens_.fail("a value of a known field; the header has the unknown field '" + key + "'");
}

template <typename Proto>
void TextParser::parseOpsets(Proto& proto) {
    tokens_.expect("[");
    if (tokens_.accept("]")) return;
    do {
        onnx::OperatorSetIdProto& import = *proto.add_opset_import();
        import.set_domain(tokens_.expectString("the domain of an opset in quotes"));
        tokens_.expect(":");
        import.set_version(tokens_.expectInteger("the version of an opset"));
    } while (tokens_.accept(","));
    tokens_.expect("]");
}

void TextParser::parseMetadata(onnx::ModelProto& model) {
    tokens_.expect("[");
    if (tokens_.accept("]")) return;
    do {
        onnx::StringStringEntryProto& entry = *model.add_metadata_props();
        entry.set_key(tokens_.expectString("a key in quotes"));
        tokens_.expect(":");
        entry.set_value(tokens_.expectString("a string"));
    } while (tokens_.accept(","));
    tokens_.expect("]");
}

// Graph

void TextParser::parseGraph(onnx::GraphProto& graph) {
    if (++depth_ > kMaxDepth) tokens_.fail("fewer graphs within graphs");
    if (tokens_.isName()) graph.set_name(tokens_.expectName("the name of a graph"));
    parseInputs(graph);
    tokens_.expect("=>");
    parseOutputs(graph);
    if (tokens_.isSymbol("<")) parseDeclarations(graph);
    parseNodes(graph);
    --depth_;
}

void TextParser::parseInputs(onnx::GraphProto& graph) {
    tokens_.expect("(");
    if (tokens_.accept(")")) return;
    do {
        onnx::ValueInfoProto& input = *graph.add_input();
        parseValue("an input", input);
        parseInitializer(input, graph);
    } while (tokens_.accept(","));
    tokens_.expect(")");
}

void TextParser::parseOutputs(onnx::GraphProto& graph) {
    tokens_.expect("(");
    if (tokens_.accept(")")) return;
    do parseValue("an output", *graph.add_output());
    while (tokens_.accept(","));
    tokens_.expect(")");
}

/// Initializers and the types of intermediate values.
void TextParser::parseDeclarations(onnx::GraphProto& graph) {
    tokens_.expect("<");
    if (tokens_.accept(">")) return;
    do {
        onnx::ValueInfoProto value;
        parseValue("an initializer or a value", value);
        if (!parseInitializer(value, graph)) *graph.add_value_info() = std::move(value);
    } while (tokens_.accept(","));
    tokens_.expect(">");
}

void TextParser::parseValue(const std::string& what, onnx::ValueInfoProto& value) {
    if (isTypeNext(tokens_)) parseType(tokens_, *value.mutable_type());
    value.set_name(tokens_.expectName("the name of " + what));
}

bool TextParser::parseInitializer(const onnx::ValueInfoProto& value, onnx::GraphProto& graph) {
    if (!tokens_.accept("=")) return false;
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(value.name());
    parseElements(tokens_, value.type(), tensor);
    return true;
}

template <typename Proto>
void TextParser::parseNodes(Proto& proto) {
    tokens_.expect("{");
    while (!tokens_.accept("}")) parseNode(*proto.add_node());
}

void TextParser::parseNode(onnx::NodeProto& node) {
    if (tokens_.accept("[")) {
        node.set_name(tokens_.expectName("the name of a node"));
        tokens_.expect("]");
    }
    parseNames("=", *node.mutable_output());
    const std::string op = tokens_.expectName("an operator");
    const size_t dot = op.rfind('.');
    if (dot != std::string::npos) node.set_domain(op.substr(0, dot));
    node.set_op_type(dot == std::string::npos ? op : op.substr(dot + 1));
    if (tokens_.isSymbol("<")) parseAttributes(node);
    tokens_.expect("(");
    parseNames(")", *node.mutable_input());
    if (tokens_.isSymbol("<")) parseAttributes(node);
}

/// Names up to the symbol `end`, which is taken. After a comma an absent one may be empty, as in
/// "(x, , y)", or "".
void TextParser::parseNames(std::string_view end,
                            google::protobuf::RepeatedPtrField<std::string>& names) {
    if (tokens_.accept(end)) return;
    names.Add(tokens_.expectName("a name"));
    while (tokens_.accept(",")) {
        const bool isAbsent = tokens_.isSymbol(",") || tokens_.isSymbol(end);
        names.Add(isAbsent ? std::string() : tokens_.expectName("a name"));
    }
    tokens_.expect(end);
}

// Attributes

void TextParser::parseAttributes(onnx::NodeProto& node) {
    tokens_.expect("<");
    if (tokens_.accept(">")) return;
    do parseAttribute(*node.add_attribute());
    while (tokens_.accept(","));
    tokens_.expect(">");
}

void TextParser::parseAttribute(Attribute& attribute) {
    attribute.set_name(tokens_.expectName("the name of an attribute"));
    if (tokens_.accept(":")) attribute.set_type(parseKind());
    tokens_.expect("=");
    const Token token = tokens_.peek();
    const Attribute::AttributeType declared = attribute.type();
    if (tokens_.accept("@")) {
        attribute.set_ref_attr_name(tokens_.expectName("the name of the function's attribute"));
        return;
    }
    parseAttributeValue(attribute);
    if (declared == Type::UNDEFINED || declared == attribute.type()) return;
    tokens_.failAt(token, "attribute '" + attribute.name() + "' has a value of another type than " +
                              Type::AttributeType_Name(declared));
}

Type::AttributeType TextParser::parseKind() {
    for (const auto& [word, kind] : kKinds) {
        if (tokens_.peek().kind != TokenKind::Word || tokens_.peek().text != word) continue;
        tokens_.take();
        return kind;
    }
    tokens_.fail("the kind of an attribute, such as 'int' or 'floats'");
}

bool TextParser::isGraphNext() const {
    return tokens_.isSymbol("(") || (tokens_.isName() && tokens_.isSymbol("(", 1));
}

void TextParser::parseAttributeValue(Attribute& attribute) {
    if (tokens_.isSymbol("[")) return parseList(attribute);
    if (attribute.type() == Type::TYPE_PROTO) return parseType(tokens_, *attribute.mutable_tp());
    if (isTypeNext(tokens_)) return parseTensor(attribute);
    if (isGraphNext()) {
        attribute.set_type(Type::GRAPH);
        return parseGraph(*attribute.mutable_g());
    }
    if (tokens_.peek().kind == TokenKind::String) {
        attribute.set_type(Type::STRING);
        return attribute.set_s(tokens_.expectString("a string"));
    }
    if (!isNumberNext(tokens_)) tokens_.fail("the value of an attribute");
    if (attribute.type() == Type::FLOAT || isRealNext(tokens_)) {
        attribute.set_type(Type::FLOAT);
        return attribute.set_f(parseFloat(tokens_));
    }
    attribute.set_type(Type::INT);
    attribute.set_i(parseInteger(tokens_));
}

/// An empty list needs a declared kind.
void TextParser::parseList(Attribute& attribute) {
    const Token bracket = tokens_.take();
    if (!tokens_.accept("]")) {
        if (tokens_.peek().kind == TokenKind::String) return parseStrings(attribute);
        return parseNumbers(attribute);
    }
    if (attribute.type() != Type::UNDEFINED) return;
    tokens_.failAt(bracket,
                   "an empty list needs a kind, as in '" + attribute.name() + ": ints = []'");
}

void TextParser::parseStrings(Attribute& attribute) {
    attribute.set_type(Type::STRINGS);
    do attribute.add_strings(tokens_.expectString("a string"));
    while (tokens_.accept(","));
    tokens_.expect("]");
}

/// Integers mixed with real numbers become real numbers.
void TextParser::parseNumbers(Attribute& attribute) {
    bool isReal = attribute.type() == Type::FLOATS;
    for (size_t i = 0; !isReal && !tokens_.isSymbol("]", i); i += 2) {
        isReal = isRealNext(tokens_, i);
        if (!tokens_.isSymbol(",", i + 1)) break;
    }
    attribute.set_type(isReal ? Type::FLOATS : Type::INTS);
    do {
        if (isReal) {
            attribute.add_floats(parseFloat(tokens_));
        } else {
            attribute.add_ints(parseInteger(tokens_));
        }
    } while (tokens_.accept(","));
    tokens_.expect("]");
}

void TextParser::parseTensor(Attribute& attribute) {
    attribute.set_type(Type::TENSOR);
    onnx::TypeProto type;
    parseType(tokens_, type);
    onnx::TensorProto& tensor = *attribute.mutable_t();
    if (tokens_.isName()) tensor.set_name(tokens_.expectName("the name of a tensor"));
    tokens_.accept("=");
    parseElements(tokens_, type, tensor);
}

// Functions

void TextParser::parseFunction(onnx::FunctionProto& function) {
    if (tokens_.isSymbol("<")) parseFunctionHeader(function);
    function.set_name(tokens_.expectName("the name of a function"));
    if (tokens_.isSymbol("<")) parseFunctionAttributes(function);
    tokens_.expect("(");
    parseNames(")", *function.mutable_input());
    tokens_.expect("=>");
    tokens_.expect("(");
    parseNames(")", *function.mutable_output());
    parseNodes(function);
}

void TextParser::parseFunctionHeader(onnx::FunctionProto& function) {
    tokens_.expect("<");
    do {
        const std::string key = tokens_.expectName("'domain' or 'opset_import'");
        tokens_.expect(":");
        if (key == "domain") {
            function.set_domain(tokens_.expectString("a string"));
        } else if (key == "opset_import") {
            parseOpsets(function);
        } else {
            tokens_.fail("a value of 'domain' or 'opset_import'; found the field '" + key + "'");
        }
    } while (tokens_.accept(","));
    tokens_.expect(">");
}

void TextParser::parseFunctionAttributes(onnx::FunctionProto& function) {
    tokens_.expect("<");
    parseNames(">", *function.mutable_attribute());
}

}  // namespace temper
