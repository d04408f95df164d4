// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/written_file.h"

#include <QCoreApplication>
#include <QWidget>

namespace temper::ui {

WrittenFile::WrittenFile(const QString& path) : QEvent(kind()), path_(path) {}

QEvent::Type WrittenFile::kind() {
    static const auto kKind = static_cast<Type>(registerEventType());
    return kKind;
}

void tellWritten(QWidget* widget, const QString& path) {
    WrittenFile event(path);
    event.ignore();
    for (; widget != nullptr && !event.isAccepted(); widget = widget->parentWidget())
        QCoreApplication::sendEvent(widget, &event);
}

}  // namespace temper::ui
