// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/not_a_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/core/error.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

struct Signature {
    size_t offset;
    std::string_view bytes;
    const char* what;
    const char* hint;
};

constexpr const char* kExportHint = "Export the network to ONNX first.";

constexpr std::array<Signature, 12> kSignatures = {{
    {4, "ODTC", "a checkpoint",
     "Specify the model here, and the checkpoint where one is expected."},
    {4, "TFL3", "a TensorFlow Lite model", "Convert the network to ONNX first (tf2onnx)."},
    {0, "PK\x03\x04", "a ZIP archive, e.g. a PyTorch checkpoint or NumPy data", kExportHint},
    {0, "\x89HDF", "an HDF5 file, e.g. a Keras model", kExportHint},
    {0, "\x80\x02", "a Python pickle", kExportHint},
    {0, "\x93NUMPY", "a NumPy array",
     "Specify the model here, and the array where data is expected."},
    {0, "\x1f\x8b", "a gzip archive", "Unpack it first."},
    {0, "\x89PNG", "a PNG image", "Specify the .onnx file."},
    {0, "\xff\xd8\xff", "a JPEG image", "Specify the .onnx file."},
    {0, "%PDF", "a PDF document", "Specify the .onnx file."},
    {0,
     "\x7f"
     "ELF",
     "a program", "Specify the .onnx file."},
    {0, "version https://git-lfs", "a Git LFS pointer",
     "Run `git lfs pull` to fetch the file itself."},
}};

bool isText(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) {
        return std::isprint(static_cast<unsigned char>(c)) != 0 || c == '\n' || c == '\r' ||
               c == '\t' || (c & 0x80) != 0;
    });
}

}  // namespace

void throwNoModel(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.empty()) {
        throw Error(ErrorCode::InvalidInput, "The file is empty; expected an ONNX model.");
    }
    for (const Signature& known : kSignatures) {
        if (text.size() < known.offset) continue;
        if (!text.substr(known.offset).starts_with(known.bytes)) continue;
        throw Error(ErrorCode::InvalidInput,
                    std::string("The file is ") + known.what + "; expected an ONNX model.",
                    known.hint);
    }
    if (isText(text.substr(0, 512))) {
        throw Error(ErrorCode::InvalidInput, "The file is text; expected a binary ONNX model.",
                    "Perhaps a web page was downloaded instead of the model.");
    }
    throw Error(ErrorCode::InvalidInput, "The file is not an ONNX model, or it is cut off.",
                "Copy or export the model again.");
}

void checkIsFile(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status) || fs::is_regular_file(status)) return;
    if (!fs::is_directory(status)) {
        throw Error(ErrorCode::InvalidInput, "'" + path.string() + "' is not a regular file.",
                    "Specify an ONNX file.");
    }
    const bool isCheckpoint = fs::exists(path / "paramtrain_tensors.pbseq", error);
    throw Error(ErrorCode::InvalidInput,
                "'" + path.string() + "' is a folder" +
                    (isCheckpoint ? " with a checkpoint of an older version" : "") +
                    "; expected an ONNX file.",
                isCheckpoint ? "Specify the model here, and the checkpoint where one is expected."
                             : "Specify the .onnx file in it.");
}

}  // namespace temper
