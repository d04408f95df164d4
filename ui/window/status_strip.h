// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <ctime>

class QLabel;
class QProgressBar;
class QPushButton;
class QStatusBar;

namespace temper::ui {

class RunModel;
class StudioProject;
class TrainingActions;

/// The lower edge of the window: the model, its trained part, the program's use of the computer,
/// and the running job, with a button that cancels it.
class StatusStrip : public QObject {
    Q_OBJECT
public:
    StatusStrip(StudioProject& project, RunModel& run, TrainingActions& training, QStatusBar* bar);

protected:
    /// A narrow bar shows only the running job.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitToWidth();
    void build(QStatusBar* bar);
    void showModel();
    void showParameters();
    void showLoad();
    void showWork();
    void showRun();
    void showTask();
    void endWork();

    StudioProject& project_;
    RunModel& run_;
    TrainingActions& training_;
    QLabel* model_ = nullptr;
    QLabel* parameters_ = nullptr;
    QLabel* load_ = nullptr;
    QLabel* work_ = nullptr;
    QStatusBar* bar_;
    QProgressBar* progress_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QTimer tick_;
    QTimer patience_;  ///< a job that takes longer gets a button
    QElapsedTimer clock_, shown_;
    std::clock_t processor_ = 0;
    int task_ = 0;
    int widestWork_ = 0;
};

}  // namespace temper::ui
