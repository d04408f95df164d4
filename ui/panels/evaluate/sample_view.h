// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "ui/panels/evaluate/evaluation_result.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace temper::ui {

class SampleModel;
class TaskRunner;

/// The worst, the best or any samples, all of them or those of a cell of the confusion matrix.
class SampleView : public QWidget {
    Q_OBJECT
public:
    explicit SampleView(TaskRunner* tasks, QWidget* parent = nullptr);

    void setResult(std::shared_ptr<const EvaluationResult> result);
    /// Shows only samples of class `truth` predicted as `predicted`; -1: all.
    void setCell(int64_t truth, int64_t predicted);
    SampleModel* model() const { return model_; }

signals:
    /// The user requests predictions that do not exist yet.
    void evaluationRequested();
    /// The user wants to try this sample.
    void sampleChosen(std::shared_ptr<const temper::Dataset> data, qlonglong sample,
                      qlonglong place);

private:
    void buildControls();
    void choose();
    void activate();

    TaskRunner* tasks_;
    SampleModel* model_;
    QTableView* table_;
    QWidget* empty_;
    QComboBox* order_;
    QLabel* cellLabel_;
    QPushButton* allButton_;
    std::shared_ptr<const EvaluationResult> result_;
    int64_t truth_ = -1;
    int64_t predicted_ = -1;
    uint64_t seed_ = 0;
    int task_ = 0;
};

}  // namespace temper::ui
