// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/docks/dock.h"

class QLabel;
class QTableView;

namespace temper::ui {

class LayerModel;
class Placeholder;

/// Distributions, norms and updates of the parameters while they train.
class LayersDock : public QWidget {
    Q_OBJECT
public:
    explicit LayersDock(const PanelContext& context, QWidget* parent = nullptr);

    LayerModel* model() const { return model_; }

private:
    void buildTable();
    void refresh();

protected:
    void showEvent(QShowEvent* event) override;

private:
    RunModel& run_;
    LayerModel* model_;
    QTableView* table_ = nullptr;
    QLabel* caption_;
    Placeholder* empty_;
};

DockInfo layersDock();

}  // namespace temper::ui
