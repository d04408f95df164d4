// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMimeData>
#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

namespace temper::ui {

/// "conv1_weight" for "conv1/weight": a valid file name.
QString fileNameOf(const QString& name);

/// A file to write on demand. `write` returns whether it succeeded.
struct LazyFile {
    QString path;
    std::function<bool(const QString& path)> write;
};

/// Files dragged into another program, written when it requests their URLs. Files that can't be
/// written are left out.
/// Thread: the GUI thread.
class FilesMimeData : public QMimeData {
    Q_OBJECT
public:
    explicit FilesMimeData(std::vector<LazyFile> files);

    /// Files that could not be written, once the URLs were requested.
    const QStringList& failed() const { return failed_; }

protected:
    QVariant retrieveData(const QString& type, QMetaType preferred) const override;

private:
    std::vector<LazyFile> files_;
    mutable bool isWritten_ = false;
    mutable QStringList failed_;
};

}  // namespace temper::ui
