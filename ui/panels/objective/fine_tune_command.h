// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/panels/panel.h"

class QAction;

namespace temper::ui {

/// Opens the sheet for fine-tuning, as soon as a model and data are open.
class FineTuneCommand : public QObject {
    Q_OBJECT
public:
    FineTuneCommand(const PanelContext& context, QWidget* owner);

    QAction* action() const { return action_; }

private:
    void open();
    void refresh();

    PanelContext context_;
    QWidget* owner_;
    QAction* action_;
};

}  // namespace temper::ui
