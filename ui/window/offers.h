// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/run/run_history.h"
#include "ui/window/window_context.h"

namespace temper::ui {

/// Offers what a person may want after something that they did not do: to continue a run that was
/// interrupted, in the project that is open or in the one that was open when the program died; to
/// read files again that another program changed.
class Offers : public QObject {
    Q_OBJECT
public:
    explicit Offers(const WindowContext& context);

    /// The project that was open last, if a run of it was interrupted.
    void offerLastProject();

signals:
    void openRequested(const QString& path);

private:
    void offerToContinue(const UnfinishedRun& found);
    void offerReload(const QString& path);

    WindowContext context_;
    QString continued_;  ///< a project that is being opened to continue its run
};

}  // namespace temper::ui
