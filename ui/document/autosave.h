// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

namespace temper::ui {

class StudioProject;

/// Saves choices without asking: they are written into the project's folder soon after the last
/// edit and before it closes. A model without a project becomes an untitled document with its first
/// edit.
/// Thread: the GUI thread.
class Autosave : public QObject {
    Q_OBJECT
public:
    explicit Autosave(StudioProject& project, QObject* parent = nullptr);

    /// Writes pending changes before it returns.
    void flush();

private:
    void write();
    /// Returns: whether there is a folder to write into.
    bool hasFolder();

    StudioProject& project_;
    QTimer timer_;
    bool hasFailed_ = false;  ///< reported once, not with every edit
};

}  // namespace temper::ui
