// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/panels/panel.h"

class QAction;
class QLabel;

namespace temper::ui {

class SweepDialog;

/// Puts runs into the queue and lets it go: what is chosen now, or a run for each value of one
/// setting.
class QueueCommands : public QObject {
    Q_OBJECT
public:
    /// Dialogs lie over `owner`.
    QueueCommands(const PanelContext& context, QWidget* owner);

    /// A line that says how many runs are waiting, with a button; hidden while none does.
    QWidget* makeBar(QWidget* parent);

private:
    void addThis();
    void askVariations();
    void addVariations(const SweepDialog& dialog);
    void refresh();

    PanelContext context_;
    QWidget* owner_;
    QAction* add_;
    QAction* vary_;
    QAction* run_;
    QWidget* bar_ = nullptr;
    QLabel* count_ = nullptr;
};

}  // namespace temper::ui
