// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"
#include "ui/project/trainable_choice.h"

class QLabel;
class QLineEdit;
class QTableView;
class QSortFilterProxyModel;

namespace temper::ui {

class ParameterModel;
class Banner;
class NumberEdit;

/// Which parameters train: ticks, presets, patterns; with live counts.
class ParametersPanel : public QWidget {
    Q_OBJECT
public:
    ParametersPanel(const PanelContext& context, QWidget* parent = nullptr);

private:
    QWidget* buildPresets();
    QWidget* buildTable();
    QWidget* buildHead();
    void replaceHead(int64_t classes);
    void refreshHead();
    void refresh();
    void showFindings();
    void setTrained(const QString& what, const std::set<std::string>& trained);
    void applyPreset(const QString& what, TrainablePreset preset);
    void trainOne(const QString& name, bool train);
    /// All rows that the filter leaves visible, or the selected ones.
    void trainRows(bool train, bool selectedOnly);

    StudioProject& project_;
    ParameterModel* model_;
    QSortFilterProxyModel* proxy_;
    QLineEdit* filter_;
    QTableView* table_ = nullptr;
    QLabel* counts_;
    Banner* banner_;
    NumberEdit* classes_ = nullptr;
};

}  // namespace temper::ui
