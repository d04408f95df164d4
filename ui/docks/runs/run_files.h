// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <functional>

#include "ui/panels/panel.h"

namespace temper {
struct RunRecord;
struct StoredRun;
}  // namespace temper

namespace temper::ui {

/// Imports files into the history of runs and exports files from it. The user is asked for the
/// path; tasks read and write the files.
class RunFiles : public QObject {
    Q_OBJECT
public:
    /// `page`: the parent of the dialogs.
    RunFiles(const PanelContext& context, QWidget* page);

    void importLog();
    /// A page about the run, for a browser or to print.
    void saveReport(int64_t run);
    /// The run's curves as TensorBoard reads them.
    void saveTensorBoard(int64_t run);

private:
    /// Returns: the file that was written.
    using Write = std::function<std::filesystem::path(const RunRecord&, const StoredRun&)>;

    void write(const QString& title, int64_t id, const Write& make);

    PanelContext context_;
    QWidget* page_;
};

}  // namespace temper::ui
