// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "ui/widgets/banner.h"

class QStatusBar;

namespace temper::ui {

class Workspace;

/// What the window tells a person: across its top if it matters now, in the status bar for a
/// moment, and in the log for later. Reports what goes wrong in the workspace.
class Messages : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it.
    Messages(Workspace& work, Banner& banner, QStatusBar& bar);

    /// Shows a problem that is no page's own; the log keeps it.
    void report(const Problem& problem);
    /// A message whose button does something.
    void offer(Banner::Kind kind, const Problem& message, const BannerAction& action);
    void show(Banner::Kind kind, const Problem& message);
    /// In the status bar for some seconds, and in the log.
    void tell(const QString& message);
    /// In the log only.
    void note(const QString& message);
    /// No message across the top any more.
    void clear();

private:
    Workspace& work_;
    Banner& banner_;
    QStatusBar& bar_;
};

/// Puts text on the clipboard and tells so with `message`.
void copyText(const QString& content, const QString& message, Messages& messages);

}  // namespace temper::ui
