// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/file_kind.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/data/data_formats.h"

namespace temper::ui {
namespace {

/// The file identifier of ONNX Runtime's checkpoints, after the root offset.
bool isCheckpoint(const QString& path) {
    try {
        constexpr size_t kHead = 8;
        return QByteArray::fromStdString(readFile(path.toStdString(), kHead)).mid(4) == "ODTC";
    } catch (const Error&) {  // opening it reports why
        return false;
    }
}

/// One of the engine's formats recognizes it; other folders may be projects.
bool isData(const QString& path) {
    const std::string name = path.toStdString();
    return std::any_of(dataFormats().begin(), dataFormats().end(),
                       [&](const DataFormat& format) { return format.recognises(name, {}); });
}

}  // namespace

FileKind kindOfFile(const QString& path) {
    if (isCheckpoint(path)) return FileKind::Checkpoint;
    return isData(path) ? FileKind::Data : FileKind::Model;
}

bool mayHaveWeights(const QString& path) {
    const QString name = path.toLower();
    return isCheckpoint(path) || name.endsWith(QStringLiteral(".onnx")) ||
           name.endsWith(QStringLiteral(".ort"));
}

}  // namespace temper::ui
