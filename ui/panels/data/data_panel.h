// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"
#include "ui/project/preparation.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;

namespace temper::ui {

class Banner;
class BatchModel;
class ThumbnailView;

/// Where the samples come from, which column feeds which input, and the first of them.
class DataPanel : public QWidget {
    Q_OBJECT
public:
    DataPanel(const PanelContext& context, QWidget* parent = nullptr);

    /// Takes a file as training data, e.g. one that was dropped.
    void chooseFile(const QString& path);

private:
    QWidget* buildSource();
    QWidget* buildBinding();
    QWidget* buildBatch();
    QLineEdit* addSourceRow(QGridLayout* grid, bool evaluation, const QString& label,
                            const QString& help);
    void browse(bool evaluation);
    void setSource(bool evaluation, const std::string& source);
    void refreshSpec();
    void refreshData();
    void refreshBinding();
    void addBindingRow(QGridLayout* grid, const ModelInput& input, int row);
    void bind(const std::string& input, const std::string& column);

    StudioProject& project_;
    Banner* banner_;
    QLineEdit* training_ = nullptr;
    QLineEdit* evaluation_ = nullptr;
    QLabel* description_ = nullptr;
    QWidget* bindingRows_ = nullptr;
    QLabel* bindingHint_ = nullptr;
    BatchModel* batch_;
    QTableView* numbers_ = nullptr;
    ThumbnailView* thumbnails_ = nullptr;
    QStackedWidget* samples_ = nullptr;
};

}  // namespace temper::ui
