// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "ui/widgets/banner.h"

class QStatusBar;

namespace temper::ui {

class Workspace;

/// Messages to the user: across the top of the window if they matter now, in the status bar for a
/// moment, and in the log for later. Reports errors of the workspace.
class Messages : public QObject {
    Q_OBJECT
public:
    /// All arguments outlive it.
    Messages(Workspace& work, Banner& banner, QStatusBar& bar);

    /// Shows a problem that belongs to no page; the log keeps it.
    void report(const Problem& problem);
    /// Shows a message with a button.
    void offer(Banner::Kind kind, const Problem& message, const BannerAction& action);
    void show(Banner::Kind kind, const Problem& message);
    /// Shows a message in the status bar for some seconds, and in the log.
    void tell(const QString& message);
    /// Says where a file is that the user wanted, with a button that shows it there.
    void tellWritten(const QString& path);
    /// Adds a message only to the log.
    void note(const QString& message);
    /// Removes the message across the top.
    void clear();
    /// The same, but for an offer.
    void clearReport();
    /// Whether the message across the top has this title.
    bool isShown(const QString& title) const;
    /// Removes it if it has this title.
    void withdraw(const QString& title);

private:
    Workspace& work_;
    Banner& banner_;
    QStatusBar& bar_;
    bool isOffer_ = false;  ///< what was shown last
};

/// Puts text on the clipboard and reports it with `message`.
void copyText(const QString& content, const QString& message, Messages& messages);

}  // namespace temper::ui
