// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <vector>

namespace temper::ui {

/// Carries requests to show something from any page or dock to the window.
class Navigator : public QObject {
    Q_OBJECT
public:
    explicit Navigator(QObject* parent = nullptr);

signals:
    void pageRequested(const QString& id);
    /// Opens a dock and brings it to the front.
    void dockRequested(const QString& id);
    /// Chooses runs of the open project in their dock.
    void comparisonRequested(const std::vector<int64_t>& runs);
    /// Shows what the model predicts with these weights: those of a checkpoint, by its path, or of
    /// the trained state, or the average of these.
    void trialRequested(const QString& checkpoint, bool isAverage);
    /// Shows a node of the forward model, by its name.
    void nodeRequested(const QString& name);
    /// Asks which file to open.
    void openRequested();
    /// Opens this file; asks before a run or trained weights are given up.
    void fileRequested(const QString& path);
    /// Shows a file where it is, in the desktop's file manager.
    void folderRequested(const QString& file);
    /// Opens a bundled lesson; asks before it stops a run.
    void lessonRequested(const QString& name);
    /// Runs a command of the menus, by its id.
    void commandRequested(const QString& id);
    /// Explains a term, by its id; see ui/explain/terms.h.
    void termRequested(const QString& id);
};

}  // namespace temper::ui
