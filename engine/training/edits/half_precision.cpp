// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/half_precision.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/ir/type_inference.h"
#include "engine/training/edits/element_types.h"

namespace temper {
namespace {

/// Metadata of a model: the original types, as JSON.
constexpr const char* kNotes = "temper.half_precision";

bool isHalf(DType type) { return type == DType::Float16 || type == DType::BFloat16; }

/// Types by the name of the value.
using Notes = std::map<std::string, DType>;

std::string toText(const Notes& notes) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, type] : notes) json[std::string(dtypeName(type))].push_back(name);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Empty for a text that widenHalfPrecision() did not write.
Notes notesOf(const Graph& model) {
    Notes notes;
    const auto text = model.info().metadata.find(kNotes);
    if (text == model.info().metadata.end()) return notes;
    const auto json = nlohmann::json::parse(text->second, nullptr, false);
    if (!json.is_object()) return notes;
    for (const DType type : {DType::Float16, DType::BFloat16}) {
        const auto names = json.find(dtypeName(type));
        if (names == json.end() || !names->is_array()) continue;
        for (const auto& name : *names) {
            if (name.is_string()) notes[name.get<std::string>()] = type;
        }
    }
    return notes;
}

std::string countOf(const Notes& notes, DType type) {
    size_t count = 0;
    for (const auto& [name, noted] : notes) count += noted == type ? 1 : 0;
    return count == 0 ? "" : std::to_string(count) + " as " + std::string(dtypeName(type));
}

}  // namespace

bool hasHalfPrecision(const Graph& model) {
    return givesAnyOf(model, {DType::Float16, DType::BFloat16});
}

void widenHalfPrecision(Graph& model, const OpCatalog& catalog) {
    if (!hasHalfPrecision(model)) return;
    Notes notes;
    changeElementTypes(model, [&notes](const std::string& name, DType type, TypeSource source) {
        if (!isHalf(type)) return type;
        if (source == TypeSource::Given) notes[name] = type;
        return DType::Float32;
    });
    model.info().metadata[kNotes] = toText(notes);
    inferTypes(model, catalog);
}

std::optional<Finding> remarkOnHalfPrecision(const Graph& model) {
    const Notes notes = notesOf(model);
    if (notes.empty()) return std::nullopt;
    const std::string half = countOf(notes, DType::Float16);
    const std::string brain = countOf(notes, DType::BFloat16);
    Finding found;
    found.code = "W007";
    found.severity = Severity::Info;
    found.message = "The model has numbers in half precision (" + half +
                    (half.empty() || brain.empty() ? "" : ", ") + brain +
                    "): it trains and is exported in float32.";
    found.hint = "To restore the file's types, export with --as-it-came.";
    return found;
}

void forgetHalfPrecision(Graph& model) { model.info().metadata.erase(kNotes); }

void restoreHalfPrecision(Graph& model, const OpCatalog& catalog) {
    const Notes notes = notesOf(model);
    if (notes.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "The model file is in float32; expected one with half-precision values.",
                    "Export it without --as-it-came.");
    }
    changeElementTypes(model, [&notes](const std::string& name, DType type, TypeSource source) {
        if (type != DType::Float32) return type;
        if (source == TypeSource::Computed) return DType::Undefined;
        const auto noted = notes.find(name);
        return noted == notes.end() ? type : noted->second;
    });
    forgetHalfPrecision(model);
    for (const Finding& finding : inferTypes(model, catalog)) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput,
                    "The types of the model's file can't be restored: " + finding.message,
                    "Export it without --as-it-came.");
    }
}

}  // namespace temper
