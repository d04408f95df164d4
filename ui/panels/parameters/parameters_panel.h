// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "engine/training/parameters/name_expression.h"
#include "engine/training/parameters/trainable_choice.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;
class QToolButton;

namespace temper::ui {

class ParameterFilter;
class ParameterModel;
class Banner;
class GroupsEditor;
class NumberEdit;
class StatisticsBox;

/// Which parameters train: ticks, presets, patterns, regular expressions; with live counts.
class ParametersPanel : public QWidget {
    Q_OBJECT
public:
    ParametersPanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

private:
    QWidget* buildPresets();
    QWidget* buildTable();
    QWidget* buildGroups();
    void connectSelected(CommandRegistry& commands);
    void showTrained();
    void refreshGroups();
    QWidget* buildFilter(QWidget* parent);
    QWidget* buildListed(QWidget* parent);
    void applyFilter();
    void refreshOperators();
    QString filterText() const;
    void showFilter(const std::optional<ExpressionFault>& fault);
    std::set<std::string> listed() const;
    QWidget* buildHead();
    void replaceHead(int64_t classes);
    void refreshHead();
    void refresh();
    void describePresets();
    std::set<std::string> chosenBy(TrainablePreset preset) const;
    void showFindings();
    void setTrained(const QString& what, const std::set<std::string>& trained);
    void applyPreset(const QString& what, TrainablePreset preset);
    void trainOne(const QString& name, bool train);
    /// Toggles all rows that the filter leaves visible, or the selected ones.
    void toggleLayer();
    void trainRows(bool train, bool selectedOnly);

    StudioProject& project_;
    const RunModel& run_;
    ParameterModel* model_;
    ParameterFilter* proxy_;
    QLineEdit* filter_;
    QToolButton* isExpression_ = nullptr;
    QComboBox* operator_ = nullptr;
    QLabel* filterNote_;
    QPushButton *only_ = nullptr, *train_ = nullptr, *freeze_ = nullptr;
    std::vector<std::pair<TrainablePreset, QPushButton*>> presets_;
    QTableView* table_ = nullptr;
    QLabel* counts_;
    StatisticsBox* statistics_;
    GroupsEditor* groups_ = nullptr;
    Banner* banner_;
    NumberEdit* classes_ = nullptr;
};

}  // namespace temper::ui
