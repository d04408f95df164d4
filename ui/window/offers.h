// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/run/run_history.h"
#include "ui/window/window_context.h"

namespace temper::ui {

/// Offers actions after events that the user did not cause: continuing an interrupted run, in the
/// open project or in the one that was open when the program died; rereading files that another
/// program changed; fine-tuning a model whose data was opened.
class Offers : public QObject {
    Q_OBJECT
public:
    explicit Offers(const WindowContext& context);

    /// Offers the project that was open last, if a run of it was interrupted.
    void offerLastProject();

    /// Offers to propose all settings: once for each document, while nothing is chosen.
    void offerFineTuning();

signals:
    void openRequested(const QString& path);

private:
    void offerToContinue(const UnfinishedRun& found);
    /// And the runs that wait after it.
    void resume(int64_t id);
    void offerReload(const QString& path);
    void offerQueue(int count);
    void offerFreeBatch();
    void withdrawProposals();
    void tellOfQueue(const std::vector<int64_t>& finished, int failed);

    WindowContext context_;
    int freed_ = 0;      ///< generation of the document for which a free batch was offered
    int fineTuned_ = 0;  ///< generation of the document for which it was offered
    QString continued_;  ///< a project being opened to continue its run
};

}  // namespace temper::ui
