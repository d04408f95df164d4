// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QEvent>
#include <QString>

class QWidget;

namespace temper::ui {

/// A file that the user wanted is written; who receives this says where it is.
class WrittenFile : public QEvent {
public:
    explicit WrittenFile(const QString& path);

    static Type kind();
    const QString& path() const { return path_; }

private:
    QString path_;
};

/// Sends it from a widget to those around it until one accepts it, as the window does.
void tellWritten(QWidget* widget, const QString& path);

}  // namespace temper::ui
