// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"

class QTableView;
class QVBoxLayout;

namespace temper::ui {

class ClassBars;
class HealthModel;

/// Findings about the samples, with buttons for their fixes, and the samples per class.
class HealthView : public QWidget {
    Q_OBJECT
public:
    HealthView(const PanelContext& context, QWidget* parent = nullptr);

    void refresh();
    HealthModel* model() const { return model_; }
    /// Number of findings above mere remarks.
    int problemCount() const;

private:
    void refreshButtons();
    void refreshBars();

    PanelContext context_;
    HealthModel* model_;
    QTableView* table_;
    QWidget* fixes_;
    QWidget* good_;
    ClassBars* bars_;
};

}  // namespace temper::ui
