// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/foreign_file.h"

#include <string>
#include <string_view>
#include <system_error>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/folder.h"

namespace temper {
namespace {

/// The offset of the root table, the identifier and the smallest table.
constexpr size_t kHeaderBytes = 12;

[[noreturn]] void throwForeign(const std::string& is, const std::string& hint) {
    throw Error(ErrorCode::InvalidInput,
                "The file is " + is + "; expected a training checkpoint (identifier 'ODTC').",
                hint);
}

/// Up to version 1.14, ONNX Runtime stored a checkpoint as a folder of protobuf sequences.
bool isLegacyCheckpoint(const std::filesystem::path& folder) {
    for (const auto& entry : entriesOf(folder)) {
        if (entry.path().extension() == ".pbseq") return true;
    }
    return false;
}

/// A ModelProto starts with its field 1, ir_version, a small varint; a length-delimited field or
/// model_version follows.
bool looksLikeOnnxModel(std::string_view bytes) {
    if (bytes.size() < 3 || bytes[0] != '\x08') return false;
    const auto version = static_cast<unsigned char>(bytes[1]);
    const auto next = static_cast<unsigned char>(bytes[2]);
    return version >= 1 && version < 0x20 && ((next & 7U) == 2U || next == 0x28);
}

}  // namespace

void throwNotACheckpoint(const std::filesystem::path& folder) {
    if (isLegacyCheckpoint(folder)) {
        throw Error(
            ErrorCode::Unsupported,
            "The checkpoint is a folder, as ONNX Runtime wrote before version 1.15; "
            "expected a file.",
            "Use a function that accepts folders: 'temper checkpoint' or loadCheckpoint().");
    }
    std::error_code absent;
    const bool hasCheckpoint = std::filesystem::is_regular_file(folder / "checkpoint", absent);
    throw Error(ErrorCode::InvalidInput, "The path is a folder; expected a checkpoint file.",
                hasCheckpoint
                    ? "Specify the file in it: '" + (folder / "checkpoint").string() + "'."
                    : "Specify the checkpoint file.");
}

void throwNotACheckpoint(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (looksLikeOnnxModel(text)) {
        throwForeign("an ONNX model",
                     "Generate training artifacts from the model; the checkpoint is one of them.");
    }
    if (text.starts_with("PK\x03\x04")) {
        throwForeign("a zip archive, perhaps of PyTorch",
                     "Export the model to ONNX and generate training artifacts from it.");
    }
    if (text.size() < kHeaderBytes) {
        throwForeign(counted(text.size(), "byte") + " long",
                     "The file is cut off; use another copy.");
    }
    if (text.substr(4, 4) == "ORTM") {
        throwForeign("a model in ORT format", "Specify the checkpoint that belongs to the model.");
    }
    throwForeign("of an unknown format", "Specify a checkpoint written by ONNX Runtime or Temper.");
}

}  // namespace temper
