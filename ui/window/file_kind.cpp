// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/file_kind.h"

#include <QFile>
#include <QFileInfo>
#include <QStringList>

namespace temper::ui {
namespace {

/// The file identifier of ONNX Runtime's checkpoints, behind the root offset.
bool isCheckpoint(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(8).mid(4) == "ODTC";
}

bool isData(const QFileInfo& info) {
    const QStringList suffixes{"csv", "tsv", "npz", "npy", "idx", "gz", "idx1-ubyte", "idx3-ubyte"};
    return suffixes.contains(info.suffix().toLower()) || info.fileName().contains("ubyte");
}

}  // namespace

FileKind kindOfFile(const QString& path) {
    if (isCheckpoint(path)) return FileKind::Checkpoint;
    return isData(QFileInfo(path)) ? FileKind::Data : FileKind::Model;
}

}  // namespace temper::ui
