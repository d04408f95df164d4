// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <memory>

#include "ui/document/preparation.h"
#include "ui/messages/problem.h"
#include "ui/panels/panel.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTableView;

namespace temper::ui {

class Banner;
class BatchModel;
class BindingModel;
class ComboDelegate;
class HealthView;
class PrepareView;
class ThumbnailView;
struct FedBatch;

/// The source of the samples, which column feeds which input, and the first samples.
class DataPanel : public QWidget {
    Q_OBJECT
public:
    DataPanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

    /// Takes a file as training data, e.g. a dropped one.
    void chooseFile(const QString& path);

private:
    QWidget* buildSource();
    QWidget* buildBinding();
    QWidget* buildTabs();
    QWidget* buildBatch();
    QLineEdit* addSourceRow(QGridLayout* grid, bool evaluation, const QString& label,
                            const QString& help);
    void browse(bool evaluation);
    void browseFolder(bool evaluation);
    void take(bool evaluation, const QString& path);
    void takeTyped(bool evaluation, const std::string& source);
    void takeAgain(bool evaluation, const std::string& source);
    void setSource(bool evaluation, const std::string& source);
    void refreshSpec();
    void refreshData();
    void refreshFindings();
    void refreshBinding();
    /// As high as a few rows need, and the bar below them if there is one.
    void fitBinding();
    void refreshBanner();
    void showFinding(const Finding& finding, const QString& title);
    void refreshBatch();
    void showBatch();
    void bind(const std::string& input, const std::string& column);

    StudioProject& project_;
    Banner* banner_;
    std::function<void()> bannerFix_;  ///< action of the banner's button
    BindingModel* binding_;
    BatchModel* batch_;
    HealthView* health_;
    PrepareView* prepare_;
    QLineEdit* training_ = nullptr;
    QLineEdit* evaluation_ = nullptr;
    QLabel* description_ = nullptr;
    QTableView* bindingTable_ = nullptr;
    ComboDelegate* columnChoice_ = nullptr;
    QLabel* bindingHint_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QLabel* batchCaption_ = nullptr;
    QPushButton* asNumbers_ = nullptr;
    QTableView* numbers_ = nullptr;
    ThumbnailView* thumbnails_ = nullptr;
    QStackedWidget* samples_ = nullptr;
    std::shared_ptr<const FedBatch> fed_;
    Problem batchProblem_;  ///< why the first batch can't be read; empty if it can
    int batchTask_ = 0;
};

}  // namespace temper::ui
