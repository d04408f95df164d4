// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>

#include "ui/panels/evaluate/evaluation_result.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QAction;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace temper::ui {

class Banner;
class ClassReportModel;
class ConfusionView;
class CurvesView;
class SampleView;
class TryView;

/// How good a model is, on which samples it fails, and its prediction for a single one. Uses a copy
/// of the weights: training continues undisturbed.
class EvaluatePanel : public QWidget {
    Q_OBJECT
public:
    EvaluatePanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

    /// Evaluates the chosen samples with the chosen weights.
    void evaluate();
    bool isEvaluating() const { return task_ != 0 || fetching_; }
    const std::shared_ptr<const EvaluationResult>& result() const { return result_; }
    SampleView* samples() const { return samples_; }
    TryView* tryView() const { return try_; }
    QTabWidget* tabs() const { return tabs_; }
    /// Write the predictions as comma-separated values.
    void savePredictions(const QString& path);
    void saveClassReport(const QString& path);

signals:
    void saved(const QString& path);

private:
    QWidget* buildControls();
    QToolButton* buildSave(QWidget* parent);
    void askSave(const QString& name, void (EvaluatePanel::*save)(const QString&));
    void saveAs(const QString& path, std::function<bool(std::stop_token)> write);
    QWidget* buildOverview();
    void start(Weights weights);
    void adopt(std::shared_ptr<const EvaluationResult> result);
    void cancel();
    void refresh();
    void refreshButtons();
    void showError(const Problem& problem);
    void chooseCell(int truth, int predicted);
    QString summary() const;

    PanelContext context_;
    Banner* banner_;
    WeightSource* weights_ = nullptr;
    QComboBox* part_ = nullptr;
    QPushButton* run_ = nullptr;
    QToolButton* save_ = nullptr;
    QAction* saveReport_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* summary_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QStackedWidget* overview_ = nullptr;
    ConfusionView* confusion_ = nullptr;
    ClassReportModel* report_ = nullptr;
    QTableView* reportTable_ = nullptr;
    CurvesView* curves_ = nullptr;
    SampleView* samples_ = nullptr;
    TryView* try_ = nullptr;
    std::shared_ptr<const EvaluationResult> result_;
    std::shared_ptr<std::atomic<int64_t>> done_;
    QTimer watch_;
    bool fetching_ = false;
    int task_ = 0;
    int generation_ = 0;
};

}  // namespace temper::ui
