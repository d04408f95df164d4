// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/exporter_metadata.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "engine/core/joined.h"

namespace temper {
namespace {

constexpr const char* kSignature = "pkg.torch.export.ExportedProgram.graph_signature";
constexpr const char* kInputKind = "pkg.torch.export.graph_signature.InputSpec.kind";
constexpr const char* kFoldedFrom = "pkg.onnxscript.optimizer.folded_from";
constexpr const char* kOperation = "pkg.torch.onnx.fx_node";
constexpr const char* kRestored = "temper.restored_parameter";

InputKind kindNamed(std::string_view word) {
    if (word == "PARAMETER") return InputKind::Parameter;
    return word == "BUFFER" ? InputKind::Buffer : InputKind::Other;
}

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool isQuote(char c) { return c == '\'' || c == '"'; }

/// Nothing for lines that do not belong to the signature.
std::optional<SignatureEntry> readEntry(const std::string& line) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || colon == 0) return std::nullopt;
    if (!std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), isWordPart)) {
        return std::nullopt;
    }
    const std::string_view rest = std::string_view(line).substr(colon + 2);
    SignatureEntry entry{line.substr(0, colon), kindNamed(rest.substr(0, rest.find(' '))), {}};
    constexpr std::string_view kTarget = "target=";
    size_t at = rest.find(kTarget);
    if (at == std::string_view::npos) return entry;
    at += kTarget.size();
    if (at < rest.size() && isQuote(rest[at])) entry.target = readQuoted(rest, at);
    return entry;
}

/// From "%y : ... = call_function[target=...](args = (%x, ...), kwargs = {...})" the content of the
/// first brackets.
std::string targetIn(const std::string& text) {
    constexpr std::string_view kTarget = "[target=";
    const size_t begin = text.find(kTarget);
    if (begin == std::string::npos) return {};
    const size_t name = begin + kTarget.size();
    return text.substr(name, text.find(']', name) - name);
}

std::vector<std::string> argumentsIn(const std::string& text) {
    std::vector<std::string> arguments;
    size_t at = text.find("(args = ");
    while (at != std::string::npos && (at = text.find('%', at)) != std::string::npos) {
        const size_t begin = ++at;
        while (at < text.size() && isWordPart(text[at])) ++at;
        if (at > begin) arguments.push_back(text.substr(begin, at - begin));
    }
    return arguments;
}

}  // namespace

std::vector<SignatureEntry> readSignature(const Graph& graph) {
    std::vector<SignatureEntry> entries;
    std::istringstream lines(metadataText(graph.metadata(), kSignature));
    for (std::string line; std::getline(lines, line) && line != "# outputs";) {
        if (auto entry = readEntry(line)) entries.push_back(std::move(*entry));
    }
    return entries;
}

std::optional<InputKind> inputKindOf(const Value& value) {
    const std::string& kind = metadataText(value.metadata(), kInputKind);
    return kind.empty() ? std::nullopt : std::optional(kindNamed(kind));
}

std::vector<std::string> foldedFrom(const Value& value) {
    return quotedTexts(metadataText(value.metadata(), kFoldedFrom));
}

Operation operationOf(const Node& node) {
    const std::string& text = metadataText(node.metadata(), kOperation);
    return {targetIn(text), argumentsIn(text)};
}

std::vector<double> numbersAmongArguments(const Node& node) {
    constexpr std::string_view kBegin = "(args = (";
    const std::string& text = metadataText(node.metadata(), kOperation);
    const size_t begin = text.find(kBegin);
    if (begin == std::string::npos) return {};
    const size_t first = begin + kBegin.size();
    std::istringstream arguments(text.substr(first, text.find("), kwargs", first) - first));
    std::vector<double> numbers;
    for (std::string argument; std::getline(arguments >> std::ws, argument, ',');) {
        char* end = nullptr;
        const double number = std::strtod(argument.c_str(), &end);
        if (end != argument.c_str() && *end == 0) numbers.push_back(number);
    }
    return numbers;
}

void markParameter(Value& value) {
    Metadata metadata = value.metadata();
    metadata[kInputKind] = "PARAMETER";
    value.setMetadata(std::move(metadata));
}

void markFoldedFrom(Value& value, const std::vector<std::string>& names) {
    const auto escaped = [](const std::string& name) {
        std::string text;
        for (const char c : name) {
            if (c == '\'' || c == '\\') text += '\\';
            text += c;
        }
        return text;
    };
    Metadata metadata = value.metadata();
    metadata.erase(kInputKind);
    metadata[kFoldedFrom] = "[" + joinedQuoted(names, escaped) + "]";
    value.setMetadata(std::move(metadata));
}

void markRestored(Value& value, const std::string& parameter) {
    markFoldedFrom(value, {parameter});
    Metadata metadata = value.metadata();
    metadata[kRestored] = parameter;
    value.setMetadata(std::move(metadata));
}

bool isRestored(const Value& value) { return value.metadata().contains(kRestored); }

}  // namespace temper
