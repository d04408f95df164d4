// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/tensor_file_drag.h"

#include <QUrl>

#include "engine/data/tensor_export.h"

namespace temper::ui {
namespace {

constexpr char kUrls[] = "text/uri-list";

}  // namespace

TensorMimeData::TensorMimeData(const Tensor& tensor, const QString& path) {
    setUrls({QUrl::fromLocalFile(path)});
    written_ = std::async(std::launch::async, [tensor, file = path.toStdString(),
                                               stop = stop_.get_token()] {
                   return exportNpy(file, tensor, stop);
               }).share();
}

TensorMimeData::~TensorMimeData() { stop_.request_stop(); }

QVariant TensorMimeData::retrieveData(const QString& type, QMetaType preferred) const {
    if (type != QLatin1String(kUrls)) return QMimeData::retrieveData(type, preferred);
    try {
        if (written_.get()) return QMimeData::retrieveData(type, preferred);
    } catch (...) {
        problem_ = problemFrom(std::current_exception(), tr("The tensor could not be saved"));
    }
    return {};
}

}  // namespace temper::ui
