// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "engine/core/joined.h"
#include "engine/core/small_types.h"
#include "engine/core/string_tensor.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/text_types.h"
#include "engine/onnx/token_stream.h"

namespace temper {
namespace {

/// The name unquoted if the parser reads it as a name, otherwise in quotes.
std::string nameText(const std::string& name) {
    const bool isReserved = dtypeOfWord(name) || name == "seq" || name == "optional";
    return isIdentifier(name) && !isReserved ? name : quotedString(name);
}

/// "Relu", "com.microsoft.Gelu"; in quotes if a part is not an identifier.
std::string operatorText(const std::string& op) {
    std::istringstream parts(op);
    bool isWord = !op.ends_with('.');
    for (std::string part; std::getline(parts, part, '.');) isWord = isWord && isIdentifier(part);
    return isWord ? op : quotedString(op);
}

/// The shortest text that gives the same number.
template <typename T>
std::string numberText(T value) {
    std::array<char, 64> buffer;
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}
template <>
std::string numberText(bool value) {
    return value ? "1" : "0";
}

/// Like numberText(), but never the text of an integer.
std::string realText(float value) {
    if (std::isnan(value)) return "nan";
    const std::string text = numberText(value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string dimText(const Dim& dim) {
    if (dim.isNumber()) return numberText(dim.value);
    return dim.isSymbol() ? nameText(dim.symbol) : "?";
}

std::string tensorTypeText(const ValueType& type) {
    std::string text(typeWord(type.dtype));
    if (!type.shape) return text + "[]";
    if (type.shape->empty()) return text;
    return text + "[" + joined(*type.shape, dimText) + "]";
}

std::string typeText(const ValueType& type) {
    std::string text = tensorTypeText(type);
    if (type.isSequence) text = "seq(" + text + ")";
    return type.isOptional ? "optional(" + text + ")" : text;
}

std::string typeText(const Tensor& tensor) {
    return tensorTypeText({tensor.dtype(), symbolicShape(tensor.shape()), false});
}

std::string valueText(const Value& value) {
    const std::string name = nameText(value.name());
    if (!value.type().isKnown()) return name;
    return typeText(value.type()) + " " + name;
}

std::string valuesText(const std::vector<Value*>& values) {
    return "(" + joined(values, [](const Value* value) { return valueText(*value); }) + ")";
}

std::string namesText(const std::vector<Value*>& values) {
    return joined(values, [](const Value* value) {
        return value == nullptr ? "\"\"" : nameText(value->name());
    });
}

/// Text of `count` elements that are `T`s in memory.
template <typename T>
std::string numbersText(const Tensor& tensor, int64_t count) {
    return joinedIndices(static_cast<size_t>(count), [&](size_t i) {
        T value;
        std::memcpy(&value, tensor.data() + i * sizeof(T), sizeof(T));
        return numberText(value);
    });
}

std::string textsText(const Tensor& tensor, int64_t count) {
    const auto texts = tensor.values<std::string_view>().first(static_cast<size_t>(count));
    return joined(texts, [](std::string_view text) { return quotedString(std::string(text)); });
}

/// The first `count` elements; bits for floating-point types of 16 bits and less.
std::string numbersOf(const Tensor& tensor, int64_t count) {
    if (isSmallInteger(tensor.dtype())) return numbersText<int8_t>(tensor, count);
    if (isSmallFloat(tensor.dtype())) return numbersText<uint8_t>(tensor, count);
    switch (tensor.dtype()) {
        case DType::Complex64: return numbersText<float>(tensor, 2 * count);
        case DType::Complex128: return numbersText<double>(tensor, 2 * count);
        case DType::Float16:
        case DType::BFloat16: return numbersText<uint16_t>(tensor, count);
        case DType::String: return textsText(tensor, count);
        default: break;
    }
    return visitDType(tensor.dtype(), [&]<typename T>() { return numbersText<T>(tensor, count); });
}

/// `entry` texts of a map, separated by commas.
template <typename Map, typename F>
std::string entriesText(const Map& map, F&& entry) {
    const auto text = [&](const auto& each) {
        return quotedString(each.first) + entry(each.second);
    };
    return "[" + joined(map, text) + "]";
}

std::string headerText(const ModelInfo& info) {
    std::vector<std::string> fields;
    const auto add = [&fields](bool isGiven, const std::string& key, const std::string& value) {
        if (isGiven) fields.push_back(key + ": " + value);
    };
    const auto addText = [&add](const std::string& key, const std::string& value) {
        add(!value.empty(), key, quotedString(value));
    };
    const auto version = [](int64_t number) { return " : " + numberText(number); };
    const auto text = [](const std::string& value) { return ": " + quotedString(value); };
    add(true, "ir_version", numberText(info.irVersion));
    add(true, "opset_import", entriesText(info.opsetImports, version));
    addText("producer_name", info.producerName);
    addText("producer_version", info.producerVersion);
    addText("domain", info.domain);
    add(info.modelVersion != 0, "model_version", numberText(info.modelVersion));
    addText("doc_string", info.docString);
    add(!info.metadata.empty(), "metadata_props", entriesText(info.metadata, text));
    return "<" + joined(fields) + ">\n";
}

/// Prints graphs, whose nodes may contain graphs.
class Printer {
public:
    explicit Printer(const TextOptions& options) : options_(options) {}

    std::string print(const Graph& graph) const {
        return (options_.header ? headerText(graph.info()) : "") + graphText(graph, "") + "\n";
    }

private:
    std::string graphText(const Graph& graph, const std::string& indent) const {
        std::string text = graph.name().empty() ? "graph" : nameText(graph.name());
        text += " " + valuesText(graph.inputs()) + " => " + valuesText(graph.outputs());
        text += declarationsText(graph, indent) + " {\n";
        const std::string inner = indent + "    ";
        for (const Value* value : graph.initializers()) {
            if (!value->isLiteral()) continue;
            text += inner + nameText(value->name()) +
                    " = Constant<value = " + tensorText(value->constant()) + ">()\n";
        }
        for (const Node* node : graph.topologicalOrder()) {
            text += inner + nodeText(*node, inner) + "\n";
        }
        return text + indent + "}";
    }

    /// Initializers, then the types of intermediate values; one per line.
    std::string declarationsText(const Graph& graph, const std::string& indent) const {
        std::vector<std::string> parts;
        for (const Value* value : graph.initializers()) {
            if (value->isLiteral()) continue;
            parts.push_back(typeText(value->constant()) + " " + nameText(value->name()) + " = " +
                            elementsText(value->constant()));
        }
        for (const Value* value : graph.values()) {
            const bool isInner = value->producer() != nullptr && !value->isGraphOutput();
            if (options_.valueTypes && isInner && value->type().isKnown()) {
                parts.push_back(valueText(*value));
            }
        }
        if (parts.empty()) return "";
        const std::string lineBreak = "\n" + indent + "    ";
        return " <" + lineBreak + joinedBy("," + lineBreak, parts) + "\n" + indent + ">";
    }

    std::string elementsText(const Tensor& tensor) const {
        const int64_t limit = options_.maxTensorElements;
        if (limit < 0 || tensor.numElements() <= limit) {
            return "{" + numbersOf(tensor, tensor.numElements()) + "}";
        }
        return "{" + numbersOf(tensor, limit) + (limit > 0 ? ", ...}" : "...}");
    }

    std::string tensorText(const Tensor& tensor) const {
        return typeText(tensor) + " " + elementsText(tensor);
    }

    std::string nodeText(const Node& node, const std::string& indent) const {
        const std::string label = node.name().empty() ? "" : "[" + nameText(node.name()) + "] ";
        return label + namesText(node.outputs()) + " = " + operatorText(node.qualifiedOp()) +
               attributesText(node, indent) + "(" + namesText(node.inputs()) + ")";
    }

    std::string attributesText(const Node& node, const std::string& indent) const {
        std::vector<std::string> parts;
        for (const auto& [name, value] : node.attributes()) {
            parts.push_back(attributeText(name, value, indent));
        }
        return parts.empty() ? "" : "<" + joined(parts) + ">";
    }

    std::string attributeText(const std::string& name, const Attribute& value,
                              const std::string& indent) const {
        const std::string text =
            std::visit([&](const auto& held) { return formatValue(held, indent); }, value);
        const bool needsKind = text == "[]" || std::holds_alternative<ValueType>(value);
        return nameText(name) + (needsKind ? ": " + attributeKind(value) : "") + " = " + text;
    }

    std::string formatValue(int64_t value, const std::string&) const { return numberText(value); }
    std::string formatValue(float value, const std::string&) const { return realText(value); }
    std::string formatValue(const std::string& value, const std::string&) const {
        return quotedString(value);
    }
    std::string formatValue(const Tensor& value, const std::string&) const {
        return tensorText(value);
    }
    std::string formatValue(const ValueType& value, const std::string&) const {
        return typeText(value);
    }
    std::string formatValue(const std::shared_ptr<const Graph>& value,
                            const std::string& indent) const {
        return graphText(*value, indent);
    }
    template <typename T>
    std::string formatValue(const std::vector<T>& values, const std::string& indent) const {
        std::vector<std::string> parts;
        for (const T& value : values) parts.push_back(formatValue(value, indent));
        return "[" + joined(parts) + "]";
    }

    const TextOptions& options_;
};

}  // namespace

std::string toText(const Graph& graph, const TextOptions& options) {
    return Printer(options).print(graph);
}

}  // namespace temper
