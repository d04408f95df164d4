// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMimeData>
#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

namespace temper::ui {

/// "conv1_weight" for "conv1/weight": a name that a file may have.
QString fileNameOf(const QString& name);

/// A file that is to be written, and how. `write` returns whether it was.
struct LazyFile {
    QString path;
    std::function<bool(const QString& path)> write;
};

/// Files on their way into another program, written when it asks for their URLs. Those that can't
/// be written are left out.
/// Thread: of the window.
class FilesMimeData : public QMimeData {
    Q_OBJECT
public:
    explicit FilesMimeData(std::vector<LazyFile> files);

    /// Those that could not be written, once the URLs were asked for.
    const QStringList& failed() const { return failed_; }

protected:
    QVariant retrieveData(const QString& type, QMetaType preferred) const override;

private:
    std::vector<LazyFile> files_;
    mutable bool isWritten_ = false;
    mutable QStringList failed_;
};

}  // namespace temper::ui
