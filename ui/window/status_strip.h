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

/// What the window's lower edge says: the model, what of it trains, what the program takes of the
/// computer, and what is being done, with a button that ends it.
class StatusStrip : public QObject {
    Q_OBJECT
public:
    StatusStrip(StudioProject& project, RunModel& run, TrainingActions& training, QStatusBar* bar);

protected:
    /// A narrow bar has room for what is being done only.
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
};

}  // namespace temper::ui
