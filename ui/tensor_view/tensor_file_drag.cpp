// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/tensor_file_drag.h"

#include <QApplication>
#include <QMouseEvent>
#include <QUrl>

#include "engine/data/tensor_export.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

constexpr char kUrls[] = "text/uri-list";

}  // namespace

QString fileNameOf(const QString& tensor) {
    QString name = tensor;
    for (QChar& character : name)
        if (QStringLiteral("/\\:*?\"<>|").contains(character) || !character.isPrint())
            character = '_';
    while (name.startsWith('.')) name[0] = '_';
    return name;
}

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

DragHandle::DragHandle(QWidget* parent) : QLabel(parent) {
    setCursor(Qt::OpenHandCursor);
    draw();
}

void DragHandle::draw() {
    const int size = em(this, 1.2);
    setPixmap(themedIcon(QStringLiteral("grip")).pixmap(QSize(size, size), devicePixelRatioF()));
}

void DragHandle::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) draw();
}

void DragHandle::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) pressed_ = event->pos();
}

void DragHandle::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    if ((event->pos() - pressed_).manhattanLength() < QApplication::startDragDistance()) return;
    emit dragStarted();
}

}  // namespace temper::ui
